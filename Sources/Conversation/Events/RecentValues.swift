/// A direct-mapped cache: each key has one place, which it shares with other keys, and the value that was stored there last
/// is kept. Engines ask it for every event: it is public so that it can be inlined where it is used.
public struct RecentValues<Value> {
    @usableFromInline
    struct Entry {
        @usableFromInline
        let key: UInt64
        @usableFromInline
        let value: Value

        @inlinable
        init(key: UInt64, value: Value) {
            self.key = key
            self.value = value
        }
    }

    @usableFromInline
    var entries: [Entry?]
    @usableFromInline
    let mask: UInt64

    /// A cache with this many places, a power of two.
    @inlinable
    public init(places: Int) {
        entries = Array(repeating: nil, count: places)
        mask = UInt64(places - 1)
    }

    /// The value that was stored with a key; nil where it is none of those that are kept.
    @inlinable
    public subscript(key: UInt64) -> Value? {
        @inline(__always)
        get {
            let place = place(of: key)
            return entries[place]?.key == key ? entries[place]?.value : nil
        }
        set { entries[place(of: key)] = newValue.map { Entry(key: key, value: $0) } }
    }

    @inlinable
    public mutating func removeAll() {
        for place in entries.indices { entries[place] = nil }
    }

    /// Keys that follow each other, and those of the same low bits, have different places.
    @inlinable
    func place(of key: UInt64) -> Int { Int((key ^ key >> 16) & mask) }
}
