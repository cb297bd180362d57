/// A date of the proleptic Gregorian calendar.
package struct CivilDate: Hashable, Sendable {
    package var year: Int64
    /// 1 to 12.
    package var month: Int64
    /// 1 to 31.
    package var day: Int64

    private static let daysPerEra: Int64 = 146_097

    package init(year: Int64, month: Int64, day: Int64) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// Counts in years that begin in March, so that the leap day is a year's last.
    package init(daysSince1970 days: Int64) {
        let (era, dayOfEra) = (days + 719_468).flooredQuotientAndRemainder(dividingBy: Self.daysPerEra)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// Days since 1970-01-01.
    package var daysSince1970: Int64 {
        let (era, yearOfEra) = (month <= 2 ? year - 1 : year).flooredQuotientAndRemainder(dividingBy: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * Self.daysPerEra + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}

extension Int64 {
    /// Quotient rounded down, and the remainder that belongs to it, never negative.
    fileprivate func flooredQuotientAndRemainder(dividingBy divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

extension TextWriter {
    /// Writes a time in nanoseconds since 1970 (UTC) as `2026-03-01T11:59:58.500000Z` with so many decimals, nine at
    /// most; the rest is cut off.
    package mutating func writeISO8601(nanoseconds: Int64, decimals: Int) {
        let (days, nanosecond) = nanoseconds.flooredQuotientAndRemainder(dividingBy: 86_400_000_000_000)
        let date = CivilDate(daysSince1970: days)
        writeDecimal(UInt64(date.year), digits: 4)
        write(UInt8(ascii: "-"))
        writeDecimal(UInt64(date.month), digits: 2)
        write(UInt8(ascii: "-"))
        writeDecimal(UInt64(date.day), digits: 2)
        write(UInt8(ascii: "T"))
        let (second, fraction) = UInt64(nanosecond).quotientAndRemainder(dividingBy: 1_000_000_000)
        writeDecimal(second / 3600, digits: 2)
        write(UInt8(ascii: ":"))
        writeDecimal(second / 60 % 60, digits: 2)
        write(UInt8(ascii: ":"))
        writeDecimal(second % 60, digits: 2)
        if decimals > 0 {
            write(UInt8(ascii: "."))
            writeDecimal(fraction, digits: 9)
            truncate(to: count - (9 - decimals))
        }
        write(UInt8(ascii: "Z"))
    }
}

/// Points in time as ISO 8601 writes them.
package enum ISO8601 {
    /// Nanoseconds since 1970 of `2026-02-01T12:00:00Z`, with a fraction of up to nine digits where one likes, or of a
    /// date alone; nil for anything else, and outside of the years 1678 to 2261.
    package static func nanoseconds(_ text: some StringProtocol) -> Int64? {
        let letters = Array(text.utf8)
        func number(_ start: Int, _ count: Int) -> Int64? {
            guard start + count <= letters.count else { return nil }
            return letters[start..<(start + count)].reduce(0 as Int64?) { number, letter in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(letter)
                    ? number.map { $0 * 10 + Int64(letter - UInt8(ascii: "0")) } : nil
            }
        }
        func isAt(_ index: Int, _ letter: Unicode.Scalar) -> Bool {
            index < letters.count && letters[index] == UInt8(ascii: letter)
        }
        guard let year = number(0, 4), isAt(4, "-"), let month = number(5, 2), isAt(7, "-"), let day = number(8, 2),
            (1678...2261).contains(year), (1...12).contains(month), (1...31).contains(day)
        else { return nil }
        let date = CivilDate(year: year, month: month, day: day)
        guard CivilDate(daysSince1970: date.daysSince1970) == date else { return nil }
        let midnight = date.daysSince1970 * 86_400_000_000_000
        if letters.count == 10 { return midnight }
        guard isAt(10, "T") || isAt(10, " "), let hour = number(11, 2), isAt(13, ":"), let minute = number(14, 2),
            isAt(16, ":"), let second = number(17, 2), hour < 24, minute < 60, second < 60,
            letters.last == UInt8(ascii: "Z")
        else { return nil }
        var fraction: Int64 = 0
        if letters.count > 20 {
            let digits = letters.count - 21
            guard isAt(19, "."), (1...9).contains(digits), let number = number(20, digits) else { return nil }
            fraction = (digits..<9).reduce(number) { number, _ in number * 10 }
        }
        return midnight + ((hour * 60 + minute) * 60 + second) * 1_000_000_000 + fraction
    }

    /// Decimals that tell steps of so many nanoseconds apart: 0, 3, 6 or 9.
    package static func decimals(step: Int64) -> Int {
        if step % 1_000_000_000 == 0 { return 0 }
        if step % 1_000_000 == 0 { return 3 }
        return step % 1000 == 0 ? 6 : 9
    }

    /// Nanoseconds since 1970 of a raw time; nil where that is no Int64.
    package static func nanoseconds(_ raw: Int64, epoch: Int64, step: Int64) -> Int64? {
        let (start, isTooFar) = epoch.multipliedReportingOverflow(by: 1_000_000_000)
        let (span, isTooLong) = raw.multipliedReportingOverflow(by: step)
        let (sum, isTooMuch) = start.addingReportingOverflow(span)
        return isTooFar || isTooLong || isTooMuch ? nil : sum
    }
}
