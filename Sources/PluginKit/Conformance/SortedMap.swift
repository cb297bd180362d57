/// A map in the order of its keys. Mostly it has few of them, or the next one is the greatest, so that the last one is looked
/// at first.
///
/// Rules ask it with every event: it is public so that it can be inlined where it is used, and it hashes nothing. An accessor
/// that is not inlined would allocate its frame.
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

    /// The least key.
    @inlinable
    public var firstKey: Key? { entries.first?.key }

    /// The value of a key; nil before there is one.
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

    /// Whether an entry fulfils a condition.
    @inlinable
    public func contains(where holds: (Key, Value) -> Bool) -> Bool {
        entries.contains { holds($0.key, $0.value) }
    }

    /// Changes the value of a key in its place; nothing where there is none. `map[key]?.field = …` takes the value out and puts
    /// it back, which is too much for what is done with every event.
    @inlinable
    public mutating func update(_ key: Key, _ change: (inout Value) -> Void) {
        let place = place(of: key)
        if isThere(key, at: place) { change(&entries[place].value) }
    }

    /// Removes a key; its value, if there was one. A key that is not there costs a look.
    @inlinable @discardableResult
    public mutating func removeValue(forKey key: Key) -> Value? {
        let place = place(of: key)
        return isThere(key, at: place) ? entries.remove(at: place).value : nil
    }

    /// The values, in the order of their keys.
    @inlinable
    public var values: some Sequence<Value> { entries.lazy.map { $0.value } }

    /// All entries, in the order of their keys.
    public var all: [(key: Key, value: Value)] { entries.map { (key: $0.key, value: $0.value) } }

    /// Where a key is, or would be.
    @inlinable @inline(__always)
    func place(of key: Key) -> Int {
        let count = entries.count
        guard count > 0, key <= entries[count - 1].key else { return count }
        return key == entries[count - 1].key ? count - 1 : place(ofLower: key)
    }

    /// The same of a key that is lower than the last one.
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

/// What a rule remembers of each connection that is open, by its number: mostly of one.
public typealias PerConnection<State> = SortedMap<Int, State>

/// A set in the order of its members, which are few or come in their order: the numbers of connections, as an example.
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

    /// Removes a member; whether it was one.
    @inlinable @discardableResult
    public mutating func remove(_ member: Member) -> Bool { map.removeValue(forKey: member) != nil }

    /// All members, in their order.
    public var all: [Member] { map.all.map(\.key) }
}

extension SortedSet: Sendable where Member: Sendable {}
