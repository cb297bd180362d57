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
