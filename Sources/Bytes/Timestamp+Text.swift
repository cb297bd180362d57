/// Times as text, in the profile of ISO 8601 that RFC 3339 defines.
extension TextWriter {
    /// Writes `2026-03-01T11:59:58.500000Z` with at least `decimals` decimals; with 3, 6 or 9 if the time is finer.
    public mutating func writeISO8601(_ time: Timestamp, decimals: Int = 6) {
        let (second, nanosecond) = time.secondAndNanosecond
        writeISO8601(second: second)
        writeFraction(ofSecond: nanosecond, decimals: decimals)
        write(UInt8(ascii: "Z"))
    }

    /// Writes seconds since 1970 as `2026-03-01T11:59:58`.
    public mutating func writeISO8601(second: Int64) {
        let (day, secondOfDay) = second.flooredQuotientAndRemainder(dividingBy: 86_400)
        write(CivilDate(daysSince1970: day))
        write(UInt8(ascii: "T"))
        writeTime(ofDay: secondOfDay)
    }

    /// Writes the nanoseconds of a second as `.500000` with at least `decimals` decimals; with 3, 6 or 9 if they are
    /// finer.
    public mutating func writeFraction(ofSecond nanoseconds: Int64, decimals: Int) {
        var (rest, digits) = (UInt64(nanoseconds), 9)
        while digits > decimals, digits > 0, rest % 1000 == 0 { (rest, digits) = (rest / 1000, digits - 3) }
        guard digits > 0 else { return }
        write(UInt8(ascii: "."))
        writeDecimal(rest, digits: digits)
    }

    /// Writes `Mar  1, 2026 11:59:58.500000000 UTC`, as Wireshark does.
    public mutating func writeLongTime(_ time: Timestamp) {
        let (second, nanosecond) = time.secondAndNanosecond
        let (day, secondOfDay) = second.flooredQuotientAndRemainder(dividingBy: 86_400)
        let date = CivilDate(daysSince1970: day)
        write(Self.months[Int(date.month - 1)])
        write(date.day < 10 ? "  " : " " as StaticString)
        writeDecimal(UInt64(date.day))
        write(", " as StaticString)
        writeDecimal(UInt64(max(0, date.year)))
        write(UInt8(ascii: " "))
        writeTime(ofDay: secondOfDay)
        writeFraction(ofSecond: nanosecond, decimals: 9)
        write(" UTC" as StaticString)
    }

    private static let months: [12 of StaticString] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Writes `2026-03-01 11:59:58.500000`, or only the time of day, in UTC.
    public mutating func writeClock(_ time: Timestamp, hasDate: Bool) {
        let (second, nanosecond) = time.secondAndNanosecond
        let (day, secondOfDay) = second.flooredQuotientAndRemainder(dividingBy: 86_400)
        if hasDate {
            write(CivilDate(daysSince1970: day))
            write(UInt8(ascii: " "))
        }
        writeTime(ofDay: secondOfDay)
        writeFraction(ofSecond: nanosecond, decimals: 6)
    }

    /// Writes `2026/060 12:00:00.000000`: year, day of the year from 1, and time of day truncated to microseconds.
    public mutating func writeDayOfYearAndClock(_ time: Timestamp) {
        let day = time.secondAndNanosecond.second.flooredQuotientAndRemainder(dividingBy: 86_400).quotient
        let date = CivilDate(daysSince1970: day)
        writeDecimal(UInt64(max(0, date.year)), digits: 4)
        write(UInt8(ascii: "/"))
        writeDecimal(UInt64(date.dayOfYear), digits: 3)
        write(UInt8(ascii: " "))
        writeClock(time, hasDate: false)
    }

    /// Writes a second of a day as `11:59:58`.
    private mutating func writeTime(ofDay second: Int64) {
        let second = UInt64(second)
        writePair(second / 3600)
        write(UInt8(ascii: ":"))
        writePair(second / 60 % 60)
        write(UInt8(ascii: ":"))
        writePair(second % 60)
    }

    mutating func write(_ date: CivilDate) {
        writeDecimal(UInt64(max(0, date.year)), digits: 4)
        write(UInt8(ascii: "-"))
        writePair(UInt64(date.month))
        write(UInt8(ascii: "-"))
        writePair(UInt64(date.day))
    }
}

extension Timestamp {
    /// Seconds since 1970 and the nanoseconds within the second, which are never negative.
    public var secondAndNanosecond: (second: Int64, nanosecond: Int64) {
        let (second, nanosecond) = nanoseconds.flooredQuotientAndRemainder(dividingBy: 1_000_000_000)
        return (second, nanosecond)
    }
}

extension Timestamp: CustomStringConvertible {
    /// `2026-03-01T11:59:58Z`, with 3, 6 or 9 decimals if the time is finer than a second.
    public var description: String {
        var text = TextWriter(capacity: 32)
        text.writeISO8601(self, decimals: 0)
        return String(decoding: text.bytes, as: UTF8.self)
    }

    /// Reads the forms that RFC 3339, 5.6 allows: `2026-03-01T11:59:58.5Z`, `2026-03-01 12:59:58+01:00`. Nil for any
    /// other text and for times out of range. Decimals after the ninth are ignored.
    public init?(rfc3339 text: String) {
        var digits = DigitReader(text.utf8)
        guard let date = digits.date(), digits.pass("T") || digits.pass("t") || digits.pass(" "),
            let hour = digits.number(2, upTo: 23), digits.pass(":"), let minute = digits.number(2, upTo: 59),
            digits.pass(":"), let second = digits.number(2, upTo: 60), let nanosecond = digits.fraction(),
            let offset = digits.zone(), digits.isAtEnd
        else { return nil }
        let seconds = date.daysSince1970 * 86_400 + hour * 3600 + minute * 60 + second - offset
        self.init(exactlySeconds: seconds, nanoseconds: nanosecond)
    }

    /// Reads seconds since 1970 in decimal, `1772366400` or `1772366400.25`. Nil for any other text and for times out
    /// of range. Decimals after the ninth are ignored.
    public init?(unixSeconds text: String) {
        var digits = DigitReader(text.utf8)
        let isNegative = digits.pass("-")
        guard let seconds = digits.number(), let nanosecond = digits.fraction(), digits.isAtEnd else { return nil }
        self.init(exactlySeconds: isNegative ? -seconds : seconds, nanoseconds: isNegative ? -nanosecond : nanosecond)
    }

    private init?(exactlySeconds seconds: Int64, nanoseconds: Int64) {
        let (product, isTooLarge) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isTooLate) = product.addingReportingOverflow(nanoseconds)
        guard !isTooLarge, !isTooLate else { return nil }
        self.init(nanoseconds: sum)
    }
}

/// Parses the parts of a date or a time from left to right.
struct DigitReader {
    private var rest: Substring.UTF8View

    init(_ text: String.UTF8View) {
        rest = text[...]
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// Skips an optional character.
    mutating func pass(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest = rest.dropFirst()
        return true
    }

    private mutating func digit() -> Int64? {
        guard let byte = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
        rest = rest.dropFirst()
        return Int64(byte - UInt8(ascii: "0"))
    }

    /// A number with exactly `count` digits.
    mutating func number(_ count: Int, upTo limit: Int64) -> Int64? {
        var value: Int64 = 0
        for _ in 0..<count {
            guard let digit = digit() else { return nil }
            value = value * 10 + digit
        }
        return value <= limit ? value : nil
    }

    /// A number of one digit or more; nil for more than 18 digits.
    mutating func number() -> Int64? {
        guard var value = digit() else { return nil }
        while let digit = digit() {
            guard value < 100_000_000_000_000_000 else { return nil }
            value = value * 10 + digit
        }
        return value
    }

    /// The decimals of a second in nanoseconds: 0 without a decimal point, nil if no digit follows it.
    mutating func fraction() -> Int64? {
        guard pass(".") else { return 0 }
        guard var value = digit() else { return nil }
        var count = 1
        while let digit = digit() {
            if count < 9 { value = value * 10 + digit }
            count += 1
        }
        for _ in count..<max(count, 9) { value *= 10 }
        return value
    }

    /// `2026-03-01`.
    mutating func date() -> CivilDate? {
        guard let year = number(4, upTo: 9999), pass("-"), let month = number(2, upTo: 12), pass("-"),
            let day = number(2, upTo: 31)
        else { return nil }
        return CivilDate(year: year, month: month, day: day)
    }

    /// The offset of local time from UTC in seconds: `Z` or `+01:00`.
    mutating func zone() -> Int64? {
        if pass("Z") || pass("z") { return 0 }
        let isBehind = pass("-")
        guard isBehind || pass("+"), let hours = number(2, upTo: 23), pass(":"), let minutes = number(2, upTo: 59)
        else { return nil }
        return (isBehind ? -1 : 1) * (hours * 3600 + minutes * 60)
    }
}

/// Points in time in profiles: counted in steps from an epoch, written as in RFC 3339.
public enum ISO8601 {
    /// Nanoseconds since 1970 of `2026-02-01T12:00:00Z`, in any form that RFC 3339 allows, or of a date alone. Nil for
    /// any other text and for times out of range.
    public static func nanoseconds(_ text: some StringProtocol) -> Int64? {
        let text = String(text)
        if let time = Timestamp(rfc3339: text) { return time.nanoseconds }
        guard let date = CivilDate(text) else { return nil }
        return nanoseconds(date.daysSince1970, epoch: 0, step: 86_400_000_000_000)
    }

    /// Decimals that distinguish steps of `step` nanoseconds: 0, 3, 6 or 9.
    public static func decimals(step: Int64) -> Int {
        if step % 1_000_000_000 == 0 { return 0 }
        if step % 1_000_000 == 0 { return 3 }
        return step % 1000 == 0 ? 6 : 9
    }

    /// Nanoseconds since 1970 of a raw time; nil if they overflow Int64.
    public static func nanoseconds(_ raw: Int64, epoch: Int64, step: Int64) -> Int64? {
        let (start, isTooFar) = epoch.multipliedReportingOverflow(by: 1_000_000_000)
        let (span, isTooLong) = raw.multipliedReportingOverflow(by: step)
        let (sum, isTooMuch) = start.addingReportingOverflow(span)
        return isTooFar || isTooLong || isTooMuch ? nil : sum
    }
}
