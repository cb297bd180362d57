/// Searches for many byte strings at once. Time is proportional to the length of the searched bytes, regardless of the
/// number of strings and of partial matches (Aho and Corasick, "Efficient string matching", 1975).
public struct BytePartSet: Sendable {
    /// A prefix of one or more parts.
    private struct Prefix {
        /// The longest proper suffix that is also a prefix.
        var suffix = 0
        /// Whether a part ends here.
        var isWhole = false
    }

    /// The empty prefix comes first.
    private var prefixes = [Prefix()]
    /// Prefixes one byte longer, keyed by prefix and byte.
    private var longer: [Int: Int] = [:]
    private var firstBytes = ByteSet()

    public init(_ parts: [[UInt8]]) {
        for part in parts { add(part) }
        linkSuffixes()
    }

    /// Whether the bytes contain one of the parts. An empty part is always found.
    public func isFound(in bytes: [UInt8]) -> Bool {
        if prefixes[0].isWhole { return true }
        var prefix = 0
        for byte in bytes {
            if prefix == 0, !firstBytes.contains(byte) { continue }
            prefix = next(prefix, byte)
            if prefixes[prefix].isWhole { return true }
        }
        return false
    }

    private static func key(_ prefix: Int, _ byte: UInt8) -> Int { prefix << 8 | Int(byte) }

    /// The longest prefix that is a suffix of `prefix` followed by `byte`.
    private func next(_ prefix: Int, _ byte: UInt8) -> Int {
        var prefix = prefix
        while true {
            if let next = longer[Self.key(prefix, byte)] { return next }
            if prefix == 0 { return 0 }
            prefix = prefixes[prefix].suffix
        }
    }

    private mutating func add(_ part: [UInt8]) {
        if let first = part.first { firstBytes.insert(first...first) }
        var prefix = 0
        for byte in part {
            let key = Self.key(prefix, byte)
            prefix = longer[key] ?? prefixes.count
            if prefix == prefixes.count {
                longer[key] = prefix
                prefixes.append(Prefix())
            }
        }
        prefixes[prefix].isWhole = true
    }

    /// Computes the suffix of every prefix, shortest first.
    private mutating func linkSuffixes() {
        var children = [[(byte: UInt8, prefix: Int)]](repeating: [], count: prefixes.count)
        for (key, prefix) in longer { children[key >> 8].append((UInt8(truncatingIfNeeded: key), prefix)) }
        var waiting = [0]
        var done = 0
        while done < waiting.count {
            let prefix = waiting[done]
            done += 1
            for (byte, child) in children[prefix] {
                if prefix != 0 { prefixes[child].suffix = next(prefixes[prefix].suffix, byte) }
                if prefixes[prefixes[child].suffix].isWhole { prefixes[child].isWhole = true }
                waiting.append(child)
            }
        }
    }
}
