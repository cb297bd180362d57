/// The part of a capture's name that all logs of one rotation share: its folder, and its words without numbers, times
/// and the marks of a rotation. `btsnoop_hci.log` and `btsnoop_hci.log.1` are equal.
struct RotatedName: Hashable {
    private let folder: Substring
    private let words: [Substring]

    init(_ path: String) {
        let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        folder = path[..<start]
        words = path[start...].split { Self.separators.contains($0) }.filter { !Self.isMark($0) }
    }

    private static let separators: Set<Character> = [".", "_", "-", ":", "+", " "]

    /// Whether a word differs within a rotation: a number, a part of a time, or what phones call a log's age.
    private static func isMark(_ word: Substring) -> Bool {
        ["last", "latest", "old", "gz"].contains(word)
            || word.contains { $0.isNumber } && word.allSatisfy { $0.isNumber || $0 == "T" || $0 == "Z" }
    }
}
