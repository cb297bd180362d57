import Bytes

/// Dates as Shortcuts and people write them. An ambiguous date is rejected.
///
/// Accepted are `2024-09-21`, also followed by a time (`2024-09-21T10:00:00Z`), `2024/09/21`, `21.09.2024`, `9/21/2024`
/// where one of the first two numbers is above 12, and English names of months in either order: `Sep 21, 2024`,
/// `Saturday, 21 September 2024 at 10:00`. The result is the day as written, in whatever time zone.
enum WrittenDate {
    /// Forms, for messages.
    static let forms = "YYYY-MM-DD, Sep 21, 2024, 21 September 2024 or 21.09.2024"

    static func read(_ text: String) -> CivilDate? {
        guard text.utf8.count <= longest else { return nil }
        return CivilDate(text) ?? withTime(text) ?? inNumbers(text) ?? withMonthName(text)
    }

    private static let longest = 64
    private static let months = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
        "december",
    ]
    private static let weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

    /// `2024-09-21T10:00:00Z`, `2024-09-21 10:00`.
    private static func withTime(_ text: String) -> CivilDate? {
        let date = text.prefix(10)
        let rest = text.dropFirst(10)
        guard let mark = rest.first, mark == "T" || mark == "t" || mark == " ", isTime(rest.dropFirst()) else {
            return nil
        }
        return CivilDate(String(date))
    }

    /// `10:00`, `10:00:00.5+02:00`, `10:00 AM`.
    private static func isTime(_ text: Substring) -> Bool {
        let text = text.lowercased()
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count >= 2, let hour = number(parts[0]), hour <= 24, number(parts[1].prefix(2)) ?? 60 < 60 else {
            return false
        }
        return text.allSatisfy { $0.isASCII && ($0.isWholeNumber || " :.+-zamp".contains($0)) }
    }

    /// `2024/09/21`, `21.09.2024`, `9/21/2024`.
    private static func inNumbers(_ text: String) -> CivilDate? {
        guard let mark = text.first(where: { $0 == "/" || $0 == "." }) else { return nil }
        let parts = text.split(separator: mark, omittingEmptySubsequences: false)
        let numbers = parts.compactMap(number)
        guard parts.count == 3, numbers.count == 3 else { return nil }
        if parts[0].count == 4, mark == "/" { return date(numbers[0], numbers[1], numbers[2]) }
        guard parts[2].count == 4 else { return nil }
        if mark == "." { return date(numbers[2], numbers[1], numbers[0]) }
        // Only a day above 12 shows whether the day or the month comes first.
        if numbers[0] > 12 { return date(numbers[2], numbers[1], numbers[0]) }
        return numbers[1] > 12 ? date(numbers[2], numbers[0], numbers[1]) : nil
    }

    /// `Sep 21, 2024`, `Saturday, 21 September 2024 at 10:00`.
    private static func withMonthName(_ text: String) -> CivilDate? {
        let parts = text.lowercased().split(separator: " ")
        let at = parts.firstIndex(of: "at") ?? parts.endIndex
        if at < parts.endIndex, !isTime(parts[(at + 1)...].joined(separator: " ")[...]) { return nil }
        var words = parts[..<at].flatMap { $0.split { ",.".contains($0) } }
        if let first = words.first, isName(first, of: weekdays) != nil { words.removeFirst() }
        guard words.count == 3, words[2].count == 4, let year = number(words[2]) else { return nil }
        for (name, day) in [(words[0], words[1]), (words[1], words[0])] {
            if let month = isName(name, of: months), let day = number(day) { return date(year, Int64(month), day) }
        }
        return nil
    }

    /// Index of the name that a word matches, from 1: the whole name, or its first three or more letters.
    private static func isName(_ word: Substring, of names: [String]) -> Int? {
        guard word.count >= 3 else { return nil }
        return names.firstIndex { $0.hasPrefix(word) }.map { $0 + 1 }
    }

    private static func number(_ text: Substring) -> Int64? {
        guard (1...4).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int64(text)
    }

    private static func date(_ year: Int64, _ month: Int64, _ day: Int64) -> CivilDate? {
        CivilDate(year: year, month: month, day: day)
    }
}
