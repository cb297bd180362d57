/// Looks up a profile's types by name, and their fields by path.
package struct TypeIndex: Sendable {
    private let types: [String: TypeDefinition]

    package init(_ types: [TypeDefinition]) {
        self.types = Dictionary(types.map { ($0.name, $0) }) { first, _ in first }
    }

    /// In alphabetical order.
    package var allNames: [String] { types.keys.sorted() }

    package subscript(name: String) -> TypeDefinition? { types[name] }

    /// Result of resolving a path.
    package enum Target: Sendable {
        case field(FieldDefinition)
        case part(BitsDefinition)
        /// The discriminant of a choice.
        case discriminant(ChoiceDefinition)
    }

    /// Resolves a path within a type, through structures, cases and bit parts; nil if it is undefined.
    package func target(of path: String, in type: String) -> Target? {
        let names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        return types[type].flatMap { target(names[...], in: $0) }
    }

    /// Resolves a path that begins with one of `fields`.
    package func target(of path: String, among fields: [FieldDefinition]) -> Target? {
        let names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        return target(names[...], among: fields)
    }

    /// Names that may begin a path in a type.
    package func names(in type: String) -> [String] {
        switch types[type]?.form {
        case .structure(let fields)?: fields.map(\.name)
        case .choice(let choice)?:
            [choice.discriminant.name] + choice.all.flatMap { [$0.name] + $0.fields.map(\.name) }
        case .scalar(let field)?:
            if case .type(let inner) = field.kind { names(in: inner) } else { parts(of: field).map(\.name) }
        case nil: []
        }
    }

    /// Replaces a field of a scalar type by that type's field; nil for structures and choices.
    package func resolved(_ field: FieldDefinition) -> FieldDefinition? {
        var field = field
        for _ in 0...types.count {
            guard case .type(let name) = field.kind else { return field }
            guard case .scalar(let inner)? = types[name]?.form else { return nil }
            field = inner
        }
        return nil
    }

    private func target(_ path: ArraySlice<String>, in type: TypeDefinition) -> Target? {
        switch type.form {
        case .structure(let fields): return target(path, among: fields)
        case .scalar(let field): return target(path, below: field)
        case .choice(let choice):
            guard let first = path.first else { return nil }
            if first == choice.discriminant.name { return path.count == 1 ? .discriminant(choice) : nil }
            if let chosen = choice.all.first(where: { $0.name == first }), path.count > 1 {
                return target(path.dropFirst(), among: chosen.fields)
            }
            return choice.all.lazy.compactMap { target(path, among: $0.fields) }.first
        }
    }

    private func target(_ path: ArraySlice<String>, among fields: [FieldDefinition]) -> Target? {
        guard let field = fields.first(where: { $0.name == path.first }) else { return nil }
        return path.count == 1 ? .field(field) : target(path.dropFirst(), below: field)
    }

    /// Resolves a path below a field; an empty path yields the field.
    private func target(_ path: ArraySlice<String>, below field: FieldDefinition) -> Target? {
        if path.isEmpty { return .field(field) }
        if case .type(let name) = field.kind { return types[name].flatMap { target(path, in: $0) } }
        guard path.count == 1, let part = parts(of: field).first(where: { $0.name == path.first }) else { return nil }
        return .part(part)
    }

    private func parts(of field: FieldDefinition) -> [BitsDefinition] {
        if case .bits(_, let parts, _) = field.kind { parts } else { [] }
    }
}

extension ChoiceDefinition {
    /// All cases, including the default case.
    package var all: [Case] { cases + (otherwise.map { [$0] } ?? []) }
}
