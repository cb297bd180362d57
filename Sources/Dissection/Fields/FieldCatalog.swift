package import Bytes
package import Profile

/// The fields that filters, `-e` and the help texts can name.
package struct FieldCatalog: Sendable {
    private let byName: [String: [Field]]
    /// The names, in alphabetical order.
    package var names: [String] { byName.keys.sorted() }

    /// Creates a catalog of these fields, several of which may share a name. An alias is added only if no field has its
    /// name.
    package init(_ fields: some Sequence<Field>, aliases: [Layout.Alias] = []) {
        var byName = Dictionary(grouping: fields, by: \.name)
        let ofAliases = Dictionary(grouping: aliases, by: \.name).filter { byName[$0.key] == nil }
        for (name, aliases) in ofAliases { byName[name] = aliases.map(\.field) }
        self.byName = byName
    }

    /// The fields with this name; empty for an unknown name.
    package subscript(name: String) -> [Field] { byName[name] ?? [] }

    /// Names similar to `name`, best match first. If none is within a few letters, the nearest name of the same
    /// protocol.
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

/// Maps fields to numbers. A lookup takes a few nanoseconds, because it runs for every recorded field.
package struct FieldIndex: Sendable {
    @usableFromInline var keys: [UInt]
    @usableFromInline var values: [Int]
    private var count = 0

    package init(_ entries: [(field: Field, value: Int)]) {
        keys = Array(repeating: 0, count: 16)
        values = Array(repeating: -1, count: 16)
        for entry in entries { insert(entry.field, entry.value) }
    }

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

    /// The number of a field; nil if it has none.
    @inlinable @inline(__always) package subscript(recorded: RecordedField) -> Int? {
        let place = place(of: recorded.field.address)
        return keys[place] == 0 ? nil : values[place]
    }

    /// Index of a key, or of the free place where it belongs.
    @inlinable @inline(__always) func place(of key: UInt) -> Int {
        let mask = keys.count &- 1
        var place = Int(truncatingIfNeeded: (key >> 4) &* 0x9E37_79B9_7F4A_7C15 >> 40) & mask
        while keys[place] != 0, keys[place] != key { place = (place &+ 1) & mask }
        return place
    }
}
