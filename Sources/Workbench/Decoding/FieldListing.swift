package import Bytes
package import Conversation
package import Dissection
package import Output

/// Fields for filters and columns, with their column types: `gattbench fields`.
package struct FieldListing: Sendable {
    private let catalog: FieldCatalog
    private let names: [String]
    /// Whether the user selected fields: then the names of their values are listed too.
    private let isSelection: Bool

    /// All fields if `selected` is empty, else the fields of those names and the fields within them. Throws for an
    /// unknown name.
    package init(_ selected: [String], plugins: PluginSet) throws(UnknownField) {
        catalog = .all(plugins: plugins)
        isSelection = !selected.isEmpty
        var names: [String] = []
        for name in selected {
            let found = catalog.names(within: name)
            if found.isEmpty { throw UnknownField(name: name, nearest: catalog.nearest(to: name)) }
            names += found.filter { !names.contains($0) }
        }
        self.names = isSelection ? names : catalog.names
    }

    /// One line per field: name, column type, label, and the unit of the column's numbers.
    package var text: String {
        let rows = names.compactMap { name -> (String, String, String)? in
            guard let field = catalog[name].first, let type = catalog.columnType(of: name) else { return nil }
            let label = field.numberUnit.map { "\(field.label) (\($0))" } ?? field.label
            return (name, type.rawValue, label)
        }
        let width = min(rows.map(\.0.count).max() ?? 0, 48)
        return rows.map { name, type, label in
            let gap = String(repeating: " ", count: max(0, width - name.count) + 2)
            return "\(name)\(gap)\(type)\(String(repeating: " ", count: 11 - type.count))\(label)\n"
        }.joined()
    }

    /// The listing as JSON.
    package var json: String {
        JSONValue.array(
            names.compactMap { name in
                guard let field = catalog[name].first, var members = catalog.members(of: name) else { return nil }
                if isRepeated(name) { members.append(("repeated", .boolean(true))) }
                if isSelection, let names = valueNames(of: field) { members.append(("names", names)) }
                return .object(of: members)
            }
        ).text
    }

    /// Whether a field is an element of a list, or part of an element.
    private func isRepeated(_ name: String) -> Bool {
        var path = name[...]
        while true {
            if catalog[String(path)].contains(where: \.isRepeated) { return true }
            guard let dot = path.lastIndex(of: ".") else { return false }
            path = path[..<dot]
        }
    }

    /// The names of a field's values; nil for none. Values 0 to 255 are tried where the named values are not known.
    private func valueNames(of field: Field) -> JSONValue? {
        guard let names = field.names else { return nil }
        let values = names.values ?? Array(0...0xFF)
        let members = values.compactMap { value in names[value].map { (name: "\(value)", value: JSONValue.string($0)) }
        }
        return .object(of: members)
    }
}

extension FieldCatalog {
    /// JSON members: name, label, column type, and the unit of the column's numbers; nil for an unknown name.
    package func members(of name: String) -> [(name: String, value: JSONValue)]? {
        guard let field = self[name].first, let type = columnType(of: name) else { return nil }
        return [("name", .string(name)), ("label", .string(field.label)), ("type", .string(type.rawValue))]
            + (field.numberUnit.map { [("unit", .string($0))] } ?? [])
    }
}
