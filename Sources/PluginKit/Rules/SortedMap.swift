/// A map in the order of its keys, for few entries or keys that arrive in ascending order: lookups try the last entry
/// first.
///
/// Rules look up state in it at every event. It is public so that it can be inlined in other modules, and it hashes
/// nothing. An accessor that is not inlined would allocate its coroutine frame.
public struct SortedMap<Key: Comparable, Value> {
    @usableFromInline
    struct Entry {
        @usableFromInline
        let key: Key
        @usableFromInline
        var value: Value

        @inlinable
        init(_ key: Key, _ value: Value) {
            self.key = key
            self.value = value
        }
    }

    @usableFromInline
    var entries: [Entry] = []

    @inlinable
    public init() {}

    @inlinable
    public var isEmpty: Bool { entries.isEmpty }

    @inlinable
    public var count: Int { entries.count }

    /// The lowest key.
    @inlinable
    public var firstKey: Key? { entries.first?.key }

    /// The value of a key; nil if there is none.
    @inlinable
    public subscript(key: Key) -> Value? {
        @inline(__always)
        get {
            let place = place(of: key)
            return isThere(key, at: place) ? entries[place].value : nil
        }
        @inline(__always)
        set {
            let place = place(of: key)
            if !isThere(key, at: place) {
                if let newValue { insert(newValue, of: key, at: place) }
            } else if let newValue {
                entries[place].value = newValue
            } else {
                entries.remove(at: place)
            }
        }
        @inline(__always)
        _modify {
            let place = place(of: key)
            var value = isThere(key, at: place) ? entries.remove(at: place).value : nil
            defer { if let value { insert(value, of: key, at: place) } }
            yield &value
        }
    }

    @inlinable
    public subscript(key: Key, default value: @autoclosure () -> Value) -> Value {
        @inline(__always)
        get { self[key] ?? value() }
        @inline(__always)
        _modify {
            let place = place(of: key)
            if !isThere(key, at: place) { insert(value(), of: key, at: place) }
            yield &entries[place].value
        }
    }

    @inlinable
    public func contains(_ key: Key) -> Bool { isThere(key, at: place(of: key)) }

    /// Whether an entry satisfies a condition.
    @inlinable
    public func contains(where holds: (Key, Value) -> Bool) -> Bool {
        entries.contains { holds($0.key, $0.value) }
    }

    /// Changes the value of a key in place; does nothing if the key is absent. Use it for changes at every event, since
    /// `map[key]?.field = …` removes the entry and inserts it again.
    @inlinable
    public mutating func update(_ key: Key, _ change: (inout Value) -> Void) {
        let place = place(of: key)
        if isThere(key, at: place) { change(&entries[place].value) }
    }

    /// Removes a key and returns its value, if there was one. Cheap for an absent key.
    @inlinable @discardableResult
    public mutating func removeValue(forKey key: Key) -> Value? {
        let place = place(of: key)
        return isThere(key, at: place) ? entries.remove(at: place).value : nil
    }

    /// The values, in key order.
    @inlinable
    public var values: some Sequence<Value> { entries.lazy.map { $0.value } }

    /// All entries, in key order.
    public var all: [(key: Key, value: Value)] { entries.map { (key: $0.key, value: $0.value) } }

    /// Index of a key, or the index at which to insert it.
    @inlinable @inline(__always)
    func place(of key: Key) -> Int {
        let count = entries.count
        guard count > 0, key <= entries[count - 1].key else { return count }
        return key == entries[count - 1].key ? count - 1 : place(ofLower: key)
    }

    /// Index of a key that is lower than the last one.
    @inlinable @inline(never)
    func place(ofLower key: Key) -> Int {
        var (first, place) = (0, entries.count - 1)
        while first < place {
            let middle = (first + place) / 2
            if entries[middle].key < key { first = middle + 1 } else { place = middle }
        }
        return place
    }

    @inlinable
    mutating func insert(_ value: Value, of key: Key, at place: Int) {
        if place == entries.count {
            entries.append(Entry(key, value))
        } else {
            entries.insert(Entry(key, value), at: place)
        }
    }

    @inlinable
    func isThere(_ key: Key, at place: Int) -> Bool { place < entries.count && entries[place].key == key }
}

extension SortedMap.Entry: Sendable where Key: Sendable, Value: Sendable {}
extension SortedMap: Sendable where Key: Sendable, Value: Sendable {}

/// State that a rule keeps for each open connection, by connection number; usually for one connection.
public typealias PerConnection<State> = SortedMap<Int, State>

/// A set in the order of its members, for few members or members that arrive in ascending order, such as connection
/// numbers.
public struct SortedSet<Member: Comparable> {
    @usableFromInline
    var map = SortedMap<Member, Void>()

    @inlinable
    public init() {}

    @inlinable
    public var count: Int { map.count }

    @inlinable
    public func contains(_ member: Member) -> Bool { map.contains(member) }

    @inlinable
    public mutating func insert(_ member: Member) { map[member] = () }

    /// Removes a member. Returns whether it was in the set.
    @inlinable @discardableResult
    public mutating func remove(_ member: Member) -> Bool { map.removeValue(forKey: member) != nil }

    /// All members, in order.
    public var all: [Member] { map.all.map(\.key) }
}

extension SortedSet: Sendable where Member: Sendable {}
