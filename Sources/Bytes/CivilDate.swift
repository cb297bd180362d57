/// A date in the proleptic Gregorian calendar.
public struct CivilDate: Sendable, Hashable, Comparable {
    public private(set) var year: Int64
    /// 1 to 12.
    public private(set) var month: Int64
    /// 1 to 31.
    public private(set) var day: Int64

    private static let daysPerEra: Int64 = 146_097
    /// Days from 0000-03-01 to 1970-01-01.
    private static let epoch: Int64 = 719_468

    /// Calculates in years that begin in March, so that the leap day is the last day of its year.
    public init(daysSince1970 days: Int64) {
        let (era, dayOfEra) = (days + Self.epoch).flooredQuotientAndRemainder(dividingBy: Self.daysPerEra)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// Nil for a day that does not exist in the calendar. The year is 0 to 9999.
    public init?(year: Int64, month: Int64, day: Int64) {
        guard (0...9999).contains(year), (1...12).contains(month), (1...31).contains(day) else { return nil }
        self.year = year
        self.month = month
        self.day = day
        // A day past the end of its month would come back as a day of the next month.
        guard CivilDate(daysSince1970: daysSince1970) == self else { return nil }
    }

    /// Days from 1970-01-01 to this date.
    public var daysSince1970: Int64 {
        let (era, yearOfEra) = (month <= 2 ? year - 1 : year).flooredQuotientAndRemainder(dividingBy: 400)
        let marchMonth = month <= 2 ? month + 9 : month - 3
        let dayOfYear = (153 * marchMonth + 2) / 5 + day - 1
        return era * Self.daysPerEra + 365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - Self.epoch
    }

    /// The day of the year, from 1.
    public var dayOfYear: Int64 {
        var first = self
        (first.month, first.day) = (1, 1)
        return daysSince1970 - first.daysSince1970 + 1
    }

    public static func < (one: CivilDate, other: CivilDate) -> Bool {
        (one.year, one.month, one.day) < (other.year, other.month, other.day)
    }
}

extension CivilDate: CustomStringConvertible {
    /// `2026-03-01`.
    public var description: String {
        var text = TextWriter(capacity: 16)
        text.write(self)
        return String(decoding: text.bytes, as: UTF8.self)
    }

    /// The date a number of days later, or earlier if it is negative.
    public func advanced(days: Int64) -> CivilDate { CivilDate(daysSince1970: daysSince1970 + days) }

    /// Reads exactly the form `2026-03-01`; nil for any other text or an invalid date.
    public init?(_ text: String) {
        var digits = DigitReader(text.utf8)
        guard let date = digits.date(), digits.isAtEnd else { return nil }
        self = date
    }
}

extension Int64 {
    /// The quotient rounded down, and the matching remainder, which is never negative.
    func flooredQuotientAndRemainder(dividingBy divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
