package import Bytes

/// The fields that a filter, `-e` and the help texts can name.
package struct FieldCatalog: Sendable {
    private let byName: [String: [Field]]
    /// The names, in alphabetical order.
    package var names: [String] { byName.keys.sorted() }

    /// The catalog of these fields; several of them may have one name.
    package init(_ fields: some Sequence<Field>) {
        byName = Dictionary(grouping: fields, by: \.name)
    }

    /// The fields of this name; none when nobody knows it.
    package subscript(name: String) -> [Field] { byName[name] ?? [] }

    /// Names that somebody who wrote `name` may have meant, the likeliest first.
    package func nearest(to name: String, limit: Int = 3) -> [String] {
        Spelling.nearest(to: name, among: names, limit: limit)
    }
}

/// Finds a number by field, in a few nanoseconds: the fields of a frame go through it by the million.
package struct FieldIndex: Sendable {
    @usableFromInline var keys: [UInt]
    @usableFromInline var values: [Int]
    @usableFromInline let mask: Int

    /// Every field with its number.
    package init(_ entries: [(field: Field, value: Int)]) {
        var capacity = 16
        while capacity < entries.count * 4 { capacity *= 2 }
        mask = capacity - 1
        keys = Array(repeating: 0, count: capacity)
        values = Array(repeating: -1, count: capacity)
        for entry in entries {
            let key = entry.field.address
            var place = Self.start(key, mask)
            while keys[place] != 0, keys[place] != key { place = (place + 1) & mask }
            keys[place] = key
            values[place] = entry.value
        }
    }

    /// The field's number; nil for a field that has none.
    @inlinable @inline(__always) package subscript(recorded: RecordedField) -> Int? {
        let key = recorded.field.address
        var place = Self.start(key, mask)
        while keys[place] != 0 {
            if keys[place] == key { return values[place] }
            place = (place + 1) & mask
        }
        return nil
    }

    @inlinable @inline(__always) static func start(_ key: UInt, _ mask: Int) -> Int {
        Int(truncatingIfNeeded: (key >> 4) &* 0x9E37_79B9_7F4A_7C15 >> 40) & mask
    }
}
