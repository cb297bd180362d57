import Bytes
import PluginKit

/// A zone's rule for times after the last transition of its file: a POSIX `TZ` string with the extension of RFC 8536,
/// 3.3.1, such as `CET-1CEST,M3.5.0,M10.5.0/3`.
struct ZoneRule {
    /// A day and a second of that day, in local time before the transition.
    struct Change {
        enum Day {
            /// The n-th weekday (0 for Sunday) of a month; 5 for the last one.
            case weekday(Int64, week: Int64, month: Int64)
            /// A day of the year, from 0, February 29 counted.
            case ofYear(Int64)
            /// A day of the year, from 1, February 29 never counted.
            case julian(Int64)
        }

        var day: Day
        var second: Int64
    }

    /// Seconds ahead of UTC.
    var standard: Int64
    /// Offset, begin and end of daylight saving time; nil for a zone without it.
    var summer: (offset: Int64, begin: Change, end: Change)?

    init?(_ text: String) {
        var rest = Substring(text)
        guard rest.passName(), let west = rest.takeTime() else { return nil }
        standard = -west
        guard !rest.isEmpty else { return }
        guard rest.passName() else { return nil }
        var offset = standard + 3600
        if rest.first != "," {
            guard let west = rest.takeTime() else { return nil }
            offset = -west
        }
        guard rest.pass(","), let begin = rest.takeChange(), rest.pass(","), let end = rest.takeChange(), rest.isEmpty
        else { return nil }
        summer = (offset, begin, end)
    }

    /// The transitions of a year, ordered by time.
    func transitions(in year: Int64) -> [TimeZoneTable.Transition] {
        guard let summer else { return [] }
        let begin = TimeZoneTable.Transition(time: summer.begin.local(in: year) - standard, offset: summer.offset)
        let end = TimeZoneTable.Transition(time: summer.end.local(in: year) - summer.offset, offset: standard)
        return begin.time < end.time ? [begin, end] : [end, begin]
    }
}

extension ZoneRule.Change {
    /// Local time of the change, in seconds since 1970-01-01 00:00 local time.
    fileprivate func local(in year: Int64) -> Int64 {
        func days(_ month: Int64, _ day: Int64) -> Int64 {
            CivilDate(year: year, month: month, day: day)?.daysSince1970 ?? 0
        }
        let isLeap = CivilDate(year: year, month: 2, day: 29) != nil
        let date: Int64 =
            switch day {
            case .ofYear(let number): days(1, 1) + number
            case .julian(let number): days(1, 1) + number - (isLeap && number > 59 ? 0 : 1)
            case .weekday(let weekday, let week, let month):
                {
                    let first = days(month, 1)
                    // 1970-01-01 was a Thursday.
                    let offset = (weekday - (first + 4) % 7 + 7) % 7
                    let next = month == 12 ? days(12, 31) + 1 : days(month + 1, 1)
                    var date = first + offset + (week - 1) * 7
                    while date >= next { date -= 7 }
                    return date
                }()
            }
        return date * 86_400 + second
    }
}

extension Substring {
    fileprivate mutating func pass(_ character: Character) -> Bool {
        guard first == character else { return false }
        removeFirst()
        return true
    }

    /// Skips an abbreviation: three letters or more, or any text between `<` and `>`.
    fileprivate mutating func passName() -> Bool {
        if pass("<") {
            guard let end = firstIndex(of: ">") else { return false }
            self = self[index(after: end)...]
            return true
        }
        let name = prefix(while: \.isLetter)
        self = self[name.endIndex...]
        return name.count >= 3
    }

    fileprivate mutating func takeNumber() -> Int64? {
        let digits = prefix { $0.isASCII && $0.isNumber }
        guard digits.count <= 3, let number = Int64(digits) else { return nil }
        self = self[digits.endIndex...]
        return number
    }

    /// `[+-]hh[:mm[:ss]]` in seconds.
    fileprivate mutating func takeTime() -> Int64? {
        let isNegative = pass("-")
        if !isNegative { _ = pass("+") }
        guard let hours = takeNumber() else { return nil }
        var seconds = hours * 3600
        for unit in [60, 1] as [Int64] where pass(":") {
            guard let number = takeNumber() else { return nil }
            seconds += number * unit
        }
        return isNegative ? -seconds : seconds
    }

    /// `M3.5.0/2`, `J60`, `59`.
    fileprivate mutating func takeChange() -> ZoneRule.Change? {
        let day: ZoneRule.Change.Day
        if pass("M") {
            guard let month = takeNumber(), (1...12).contains(month), pass("."), let week = takeNumber(),
                (1...5).contains(week), pass("."), let weekday = takeNumber(), (0...6).contains(weekday)
            else { return nil }
            day = .weekday(weekday, week: week, month: month)
        } else if pass("J") {
            guard let number = takeNumber(), (1...365).contains(number) else { return nil }
            day = .julian(number)
        } else {
            guard let number = takeNumber(), (0...365).contains(number) else { return nil }
            day = .ofYear(number)
        }
        guard pass("/") else { return ZoneRule.Change(day: day, second: 7200) }
        return takeTime().map { ZoneRule.Change(day: day, second: $0) }
    }
}
