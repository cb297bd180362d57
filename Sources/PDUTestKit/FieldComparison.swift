import Foundation

/// Compares the fields that we print for captures with tshark's, frame by frame, but for the differences that
/// `docs/known-differences.md` lists with who is right.
package struct FieldComparison {
    /// The fields that are compared; the first is the frame's number.
    package let fields: [String]
    private let known: [KnownFieldDifference]
    private let isOfCutPackets: Bool
    private var seen: Set<Int> = []
    /// Fields for which both print the same value in some frame.
    package private(set) var agreed: Set<String> = []
    /// Differences that are not known.
    package private(set) var differences: [String] = []

    /// A comparison of the fields that both know: ours are `names`. Of cut packets we may print more.
    package init(_ names: some Sequence<String>, ofCutPackets: Bool = false) throws {
        isOfCutPackets = ofCutPackets
        var shared = try Tshark.fieldNames().intersection(names)
        // tshark lists layers of which no byte was captured.
        if ofCutPackets { shared.remove("frame.protocols") }
        fields = [Self.number] + shared.subtracting([Self.number]).sorted()
        known = try KnownFieldDifference.all()
    }

    private static let number = "frame.number"

    private static func isEarlier(_ one: String, _ other: String) -> Bool { (Int(one) ?? 0) < (Int(other) ?? 0) }

    /// Compares a capture, which has a name as in `captures/battery-charging`.
    package mutating func compare(_ capture: String, ours: [[String]], theirs: [[String]]) {
        let ours = Dictionary(ours.map { ($0[0], $0) }) { first, _ in first }
        let theirs = Dictionary(theirs.map { ($0[0], $0) }) { first, _ in first }
        let missing = Array(repeating: "", count: fields.count)
        let candidates = known.indices.filter { known[$0].concerns(capture: capture) }
        for frame in Set(ours.keys).union(theirs.keys).sorted(by: Self.isEarlier) {
            let (our, their) = (ours[frame] ?? missing, theirs[frame] ?? missing)
            for column in fields.indices {
                guard our[column] != their[column] else {
                    if !our[column].isEmpty { agreed.insert(fields[column]) }
                    continue
                }
                if isOfCutPackets {
                    if Self.holds(our[column], all: their[column]) { continue }
                    // tshark counts a handle to the service or characteristic before it whose entry was captured, though
                    // that of its own was cut; for us it belongs to none.
                    if our[column].isEmpty, Self.isOwner(fields[column]) { continue }
                }
                let row = candidates.first {
                    known[$0].explains(
                        frame, fields[column], ours: our[column], theirs: their[column],
                        beside: Dictionary(zip(fields, our)) { first, _ in first })
                }
                if let row {
                    seen.insert(row)
                } else {
                    differences.append(
                        "\(capture), frame \(frame), \(fields[column]): ours \(our[column]), tshark's \(their[column])")
                }
            }
        }
    }

    private static func isOwner(_ field: String) -> Bool {
        field.hasPrefix("btatt.service_uuid") || field.hasPrefix("btatt.characteristic_uuid")
    }

    /// Whether all values of a list are in another one, in their order. tshark names fields without bytes, too.
    private static func holds(_ ours: String, all theirs: String) -> Bool {
        var rest = ours.split(separator: ",")[...]
        return theirs.split(separator: ",").allSatisfy { value in
            if value == "<MISSING>" { return true }
            guard let place = rest.firstIndex(of: value) else { return false }
            rest = rest[(place + 1)...]
            return true
        }
    }

    /// Rows of the list for captures in a folder that explained nothing.
    package func unneeded(in folder: String) -> [String] {
        known.indices.filter { !seen.contains($0) && known[$0].belongs(to: folder) }.map { known[$0].line }
    }
}

/// A row of `docs/known-differences.md`: in which frames and fields we and tshark differ, what both print, and why.
///
/// In each cell, `*` stands for any text. A cell may list several patterns, separated by blanks; an empty one is no value.
/// Frames are also chosen by what we print for another field: `btatt.opcode=0x09`. tshark's `reversed` are our values, some
/// of them with their bytes in the opposite order.
private struct KnownFieldDifference {
    let line: String
    private let captures: [String]
    private let frames: [String]
    private let fields: [String]
    private let ours: [String]
    private let theirs: [String]

    static func all() throws -> [Self] {
        try Repository.text("docs/known-differences.md").split(separator: "\n")
            .filter { $0.hasPrefix("| `") }
            .map { line in
                let cells = line.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false)
                    .map { $0.trimmingCharacters(in: .whitespaces).replacing("`", with: "") }
                guard cells.count == 6, !cells[5].isEmpty else { throw CocoaError(.fileReadCorruptFile) }
                return Self(line: String(line), cells)
            }
    }

    private init(line: String, _ cells: [String]) {
        self.line = line
        let patterns = cells.map { $0.split(separator: " ").map(String.init) }
        (captures, frames, fields) = (patterns[0], patterns[1], patterns[2])
        ours = patterns[3].isEmpty ? [""] : patterns[3]
        theirs = patterns[4].isEmpty ? [""] : patterns[4]
    }

    func concerns(capture: String) -> Bool { Self.matches(captures, capture) }

    /// Whether the row must be needed by the captures of a folder: those that concern all captures are the project's.
    func belongs(to folder: String) -> Bool {
        captures.contains { $0.hasPrefix(folder + "/") || folder == "captures" && $0.hasPrefix("*") }
    }

    func explains(
        _ frame: String, _ field: String, ours: String, theirs: String,
        beside columns: @autoclosure () -> [String: String]
    ) -> Bool {
        guard Self.matches(fields, field), Self.matches(self.ours, ours) else { return false }
        let isValue = self.theirs == ["reversed"] ? Self.isReversed(ours, theirs) : Self.matches(self.theirs, theirs)
        guard isValue else { return false }
        return frames.contains { pattern in
            let parts = pattern.split(separator: "=", maxSplits: 1)
            if parts.count < 2 { return Self.matches(pattern[...], frame[...]) }
            return Self.matches(parts[1], columns()[String(parts[0])]?[...] ?? "")
        }
    }

    /// Whether values are the same, but for the order of the bytes of some.
    private static func isReversed(_ ours: String, _ theirs: String) -> Bool {
        let (ours, theirs) = (ours.split(separator: ","), theirs.split(separator: ","))
        return ours.count == theirs.count
            && zip(ours, theirs).allSatisfy { one, other in
                let pairs = stride(from: 0, to: other.count, by: 2).map { other.dropFirst($0).prefix(2) }
                return one == other || String(one) == pairs.reversed().joined()
            }
    }

    private static func matches(_ patterns: [String], _ text: String) -> Bool {
        patterns.contains { matches($0[...], text[...]) }
    }

    private static func matches(_ pattern: Substring, _ text: Substring) -> Bool {
        guard let star = pattern.firstIndex(of: "*") else { return pattern == text }
        guard text.hasPrefix(pattern[..<star]) else { return false }
        let after = pattern[pattern.index(after: star)...]
        if after.isEmpty { return true }
        var rest = text.dropFirst(pattern.distance(from: pattern.startIndex, to: star))
        while true {
            if matches(after, rest) { return true }
            if rest.popFirst() == nil { return false }
        }
    }
}
