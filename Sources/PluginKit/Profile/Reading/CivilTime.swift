/// Dates and times as ISO 8601 writes them: `2026-02-01`, `2026-02-01T12:00:00Z`, `2026-02-01T12:00:00.250Z`.
enum CivilTime {
    /// Nanoseconds since 1970, UTC; nil for any other text, and for times out of the range of 64 bits.
    static func nanoseconds(_ text: String) -> Int64? {
        let parts = text.utf8.split(separator: UInt8(ascii: "T"), omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let days = days(parts[0]) else { return nil }
        guard parts.count == 2 else { return sum(days, 0, 0) }
        guard parts[1].last == UInt8(ascii: "Z") else { return nil }
        let halves = parts[1].dropLast().split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let clock = numbers(halves[0], by: ":", widths: [2, 2, 2])
        guard halves.count <= 2, let clock, clock[0] < 24, clock[1] < 60, clock[2] < 60 else { return nil }
        var fraction = 0
        if halves.count == 2 {
            guard (1...9).contains(halves[1].count), let digits = number(halves[1]) else { return nil }
            fraction = (halves[1].count..<9).reduce(digits) { digits, _ in digits * 10 }
        }
        return sum(days, (clock[0] * 60 + clock[1]) * 60 + clock[2], fraction)
    }

    private static func sum(_ days: Int, _ seconds: Int, _ nanoseconds: Int) -> Int64? {
        let (whole, overflow) = (days * 86_400 + seconds).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, further) = whole.addingReportingOverflow(nanoseconds)
        return overflow || further ? nil : Int64(sum)
    }

    /// Days since 1970 of a date.
    private static func days(_ text: Substring.UTF8View.SubSequence) -> Int? {
        guard let date = numbers(text, by: "-", widths: [4, 2, 2]), (1...12).contains(date[1]) else { return nil }
        let (year, month, day) = (date[0], date[1], date[2])
        let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard (1...lengths[month - 1]).contains(day) else { return nil }
        let before = year - 1
        let ofYears = year * 365 + before / 4 - before / 100 + before / 400
        return ofYears + lengths[..<(month - 1)].reduce(0, +) + day - 1 - 719_527
    }

    /// Numbers of so many digits each, with a sign between them.
    private static func numbers(
        _ text: Substring.UTF8View.SubSequence, by sign: Unicode.Scalar, widths: [Int]
    ) -> [Int]? {
        let parts = text.split(separator: UInt8(ascii: sign), omittingEmptySubsequences: false)
        let numbers = parts.compactMap { number($0) }
        return parts.map(\.count) == widths && numbers.count == widths.count ? numbers : nil
    }

    private static func number(_ digits: Substring.UTF8View.SubSequence) -> Int? {
        let isNumber = digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return isNumber ? digits.reduce(0) { $0 * 10 + Int($1) - 48 } : nil
    }
}

extension Form where Value == Int64 {
    /// A date or a time, as seconds since 1970, UTC.
    static var epoch: Self {
        Form(scalar: "a date or a time, like 1970-01-01 or 2026-02-01T12:00:00Z") {
            CivilTime.nanoseconds($0.text).map { $0 / 1_000_000_000 }
        }
    }
}
