/// Suggests the intended name for a misspelled one.
public enum Spelling {
    /// The `candidates` within a few edits of `name`, or ending in it, nearest first. With `isNear` false, any number
    /// of edits is accepted.
    public static func nearest(
        to name: String, among candidates: [String], limit: Int = 3, isNear: Bool = true
    ) -> [String] {
        let wanted = Array(name.lowercased().utf8.prefix(80))
        guard !wanted.isEmpty else { return [] }
        let suffix = ([UInt8(ascii: ".")] + wanted)[...]
        let tolerance = isNear ? max(1, wanted.count / 4) : 160
        let scored = candidates.compactMap { candidate -> (distance: Int, name: String)? in
            let letters = Array(candidate.lowercased().utf8.prefix(80))
            if letters.suffix(wanted.count + 1) == suffix { return (tolerance, candidate) }
            let distance = distance(wanted, letters, limit: tolerance)
            return distance <= tolerance ? (distance, candidate) : nil
        }
        return scored.sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }.prefix(limit).map(\.name)
    }

    /// `; did you mean X?` with at most `limit` candidates; empty when none is near.
    public static func suggestion(for name: String, among candidates: [String], limit: Int = 1) -> String {
        suggestion(nearest(to: name, among: candidates, limit: limit))
    }

    /// `; did you mean a, b, c?`; empty without names.
    public static func suggestion(_ names: [String], last: String = ", ") -> String {
        question(names, last: last).map { "; \($0)" } ?? ""
    }

    /// `did you mean a, b, c?`, with `last` as the separator before the last name; nil without names.
    public static func question(_ names: [String], last: String = ", ") -> String? {
        guard let final = names.last else { return nil }
        let others = names.dropLast().joined(separator: ", ")
        return "did you mean \(others.isEmpty ? final : others + last + final)?"
    }

    /// The edit distance: letters to insert, remove, replace or swap with their neighbour. Any number above `limit`
    /// when there are more.
    private static func distance(_ one: [UInt8], _ other: [UInt8], limit: Int) -> Int {
        guard abs(one.count - other.count) <= limit else { return limit + 1 }
        var current = Array(0...other.count)
        var previous = current
        var next = current
        var least = 0
        for row in one.indices {
            next[0] = row + 1
            let leastBefore = least
            least = row + 1
            for column in other.indices {
                var cost = min(
                    current[column] + (one[row] == other[column] ? 0 : 1), current[column + 1] + 1, next[column] + 1)
                if row > 0, column > 0, one[row] == other[column - 1], one[row - 1] == other[column] {
                    cost = min(cost, previous[column - 1] + 1)
                }
                next[column + 1] = cost
                least = min(least, cost)
            }
            // Every path passes through this row or the previous one.
            if least > limit, leastBefore > limit { return limit + 1 }
            (previous, current, next) = (current, next, previous)
        }
        return current[other.count]
    }
}

extension Int {
    /// `1 byte`, `2 bytes`: a count with its noun in singular or plural.
    public func counted(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}
