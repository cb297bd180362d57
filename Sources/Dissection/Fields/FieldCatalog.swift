package import Bytes
package import Profile

/// The fields that a filter, `-e` and the help texts can name.
package struct FieldCatalog: Sendable {
    private let byName: [String: [Field]]
    /// The names, in alphabetical order.
    package var names: [String] { byName.keys.sorted() }

    /// The catalog of these fields; several of them may have one name, and an alias that is no other field's name is one.
    package init(_ fields: some Sequence<Field>, aliases: [Layout.Alias] = []) {
        var byName = Dictionary(grouping: fields, by: \.name)
        let ofAliases = Dictionary(grouping: aliases, by: \.name).filter { byName[$0.key] == nil }
        for (name, aliases) in ofAliases { byName[name] = aliases.map(\.field) }
        self.byName = byName
    }

    /// The fields of this name; none when nobody knows it.
    package subscript(name: String) -> [Field] { byName[name] ?? [] }

    /// Names that somebody who wrote `name` may have meant, the likeliest first. Where none is a few letters away, the
    /// nearest one of its protocol.
    package func nearest(to name: String, limit: Int = 3) -> [String] {
        let near = Spelling.nearest(to: name, among: names, limit: limit)
        guard near.isEmpty, name.first?.isLetter == true else { return near }
        var path = name[...]
        while let dot = path.lastIndex(of: ".") {
            path = path[..<dot]
            let within = names.filter { $0.hasPrefix("\(path).") }
            if !within.isEmpty { return Spelling.nearest(to: name, among: within, limit: 1, isNear: false) }
        }
        return Spelling.nearest(to: name, among: names, limit: 1, isNear: false)
    }
}

/// Finds a number by field, in a few nanoseconds: the fields of a frame go through it by the million.
package struct FieldIndex: Sendable {
    @usableFromInline var keys: [UInt]
    @usableFromInline var values: [Int]
    private var count = 0

    /// Every field with its number.
    package init(_ entries: [(field: Field, value: Int)]) {
        keys = Array(repeating: 0, count: 16)
        values = Array(repeating: -1, count: 16)
        for entry in entries { insert(entry.field, entry.value) }
    }

    /// Gives a field a number, or another one.
    package mutating func insert(_ field: Field, _ value: Int) {
        if count * 4 >= keys.count { grow() }
        if set(field.address, value) { count += 1 }
    }

    /// Returns whether the key is new.
    private mutating func set(_ key: UInt, _ value: Int) -> Bool {
        let place = place(of: key)
        defer { keys[place] = key }
        values[place] = value
        return keys[place] == 0
    }

    private mutating func grow() {
        let former = zip(keys, values).filter { $0.0 != 0 }
        keys = Array(repeating: 0, count: keys.count * 2)
        values = Array(repeating: -1, count: keys.count)
        for (key, value) in former { _ = set(key, value) }
    }

    /// The field's number; nil for a field that has none.
    @inlinable @inline(__always) package subscript(recorded: RecordedField) -> Int? {
        let place = place(of: recorded.field.address)
        return keys[place] == 0 ? nil : values[place]
    }

    /// Where a key is, or where it belongs.
    @inlinable @inline(__always) func place(of key: UInt) -> Int {
        let mask = keys.count &- 1
        var place = Int(truncatingIfNeeded: (key >> 4) &* 0x9E37_79B9_7F4A_7C15 >> 40) & mask
        while keys[place] != 0, keys[place] != key { place = (place &+ 1) & mask }
        return place
    }
}
