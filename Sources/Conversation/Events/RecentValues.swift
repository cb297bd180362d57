/// A direct-mapped cache: each key has one place, which it shares with other keys and which keeps the value stored
/// last. Engines look up every event in it: it is public so that it can be inlined in their modules.
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

    /// Creates a cache with this many places, a power of two.
    @inlinable
    public init(places: Int) {
        entries = Array(repeating: nil, count: places)
        mask = UInt64(places - 1)
    }

    /// The value stored with a key; nil if there is none, or if another key has replaced it.
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

    /// Consecutive keys, and keys with equal low bits, have different places.
    @inlinable
    func place(of key: UInt64) -> Int { Int((key ^ key >> 16) & mask) }
}
