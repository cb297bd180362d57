import Foundation

/// Compares our fields of a capture with tshark's, frame by frame. `docs/known-differences.md` lists the accepted
/// differences and which side is right.
package struct FieldComparison {
    /// The compared fields; the first is the frame number.
    package let fields: [String]
    private let known: [KnownFieldDifference]
    private let isOfCutPackets: Bool
    private var seen: Set<Int> = []
    /// Fields with the same value on both sides in some frame.
    package private(set) var agreed: Set<String> = []
    /// Differences that are not in the list.
    package private(set) var differences: [String] = []

    /// Compares the fields that both sides know; `names` are ours. For truncated packets we may print more than tshark.
    package init(_ names: some Sequence<String>, ofCutPackets: Bool = false) throws {
        isOfCutPackets = ofCutPackets
        var shared = try Tshark.fieldNames().intersection(names)
        // tshark lists layers even if none of their bytes were captured.
        if ofCutPackets { shared.remove("frame.protocols") }
        fields = [Self.number] + shared.subtracting([Self.number]).sorted()
        known = try KnownFieldDifference.all()
    }

    private static let number = "frame.number"

    private static func isEarlier(_ one: String, _ other: String) -> Bool { (Int(one) ?? 0) < (Int(other) ?? 0) }

    /// Compares one capture, named as in `captures/battery-charging`.
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
                    // tshark assigns a handle to the last captured service or characteristic before it, although the
                    // handle's own entry was cut off. We assign it to none.
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

    /// Whether a list contains all values of another list in their order. tshark also lists fields without bytes.
    private static func holds(_ ours: String, all theirs: String) -> Bool {
        var rest = ours.split(separator: ",")[...]
        return theirs.split(separator: ",").allSatisfy { value in
            if value == "<MISSING>" { return true }
            guard let place = rest.firstIndex(of: value) else { return false }
            rest = rest[(place + 1)...]
            return true
        }
    }

    /// Rows of the list for captures in a folder that matched no difference.
    package func unneeded(in folder: String) -> [String] {
        known.indices.filter { !seen.contains($0) && known[$0].belongs(to: folder) }.map { known[$0].line }
    }
}

/// A row of `docs/known-differences.md`: the frames and fields in which we and tshark differ, both values, and the
/// reason.
///
/// In each cell, `*` matches any text. A cell may list several patterns, separated by spaces; an empty cell means no
/// value. A frame pattern may also match our value of another field: `btatt.opcode=0x09`. The tshark value `reversed`
/// stands for our values with the bytes of some in the opposite order.
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

    /// Whether captures of the folder must use the row. A row for all captures belongs to the folder `captures`.
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

    /// Whether the values are equal apart from the byte order of some.
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
