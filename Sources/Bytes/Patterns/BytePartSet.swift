/// Byte strings that are looked for in another, all at once: in time proportional to its length, however many they are
/// and however often they begin and break off (Aho and Corasick, "Efficient string matching", 1975).
public struct BytePartSet: Sendable {
    /// A prefix of one or more parts.
    private struct Prefix {
        /// The longest proper suffix that is a prefix too.
        var suffix = 0
        /// Whether a part ends here.
        var isWhole = false
    }

    /// The empty prefix comes first.
    private var prefixes = [Prefix()]
    /// Prefixes that are one byte longer, by prefix and that byte.
    private var longer: [Int: Int] = [:]
    private var firstBytes = ByteSet()

    public init(_ parts: [[UInt8]]) {
        for part in parts { add(part) }
        linkSuffixes()
    }

    /// Whether one of the parts stands somewhere in the bytes; an empty one stands everywhere.
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

    /// The longest prefix that ends `prefix` with `byte` after it.
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

    /// Finds the suffixes of all prefixes, the shorter ones first.
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
