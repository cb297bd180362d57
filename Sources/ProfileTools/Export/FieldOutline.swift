import Bluetooth
import Profile

/// A field with its nested fields, named by their position: the types that fields refer to are expanded in place.
/// Exporters walk it instead of the types.
struct FieldOutline {
    /// `level`.
    var name: String
    /// `aquavate.current_state.level`.
    var filterName: String
    var title: String
    var doc: String?
    /// The field's definition in the profile; nil for a whole type and for the group of a case.
    var definition: FieldDefinition?
    var content: Content

    indirect enum Content {
        /// A number, a text or bytes, as defined in `definition`.
        case value
        case structure([FieldOutline])
        case choice(Choice)
    }

    /// A discriminant and the groups of fields that its values select.
    struct Choice {
        var discriminant: FieldOutline
        var cases: [Case]
        var otherwise: FieldOutline?
    }

    /// A discriminant value and the group of fields that it selects.
    struct Case {
        var value: UInt64
        /// Required length of the whole choice, in bytes; nil for any.
        var length: Int?
        var group: FieldOutline
    }
}

extension FieldOutline {
    /// Direct children; those of a choice are the discriminant and the groups of its cases.
    var children: [FieldOutline] {
        switch content {
        case .value: []
        case .structure(let fields): fields
        case .choice(let choice): [choice.discriminant] + choice.groups
        }
    }

    /// The field and all its descendants, in byte order.
    var all: [FieldOutline] { [self] + children.flatMap(\.all) }
}

extension FieldOutline.Choice {
    /// The groups of all cases, including the default case.
    var groups: [FieldOutline] { cases.map(\.group) + (otherwise.map { [$0] } ?? []) }
}

/// Expands the types of a profile in the fields that refer to them.
struct OutlineMaker {
    private let types: TypeIndex
    private let plugin: String
    /// Maximum nesting of types, which the profile reader enforces.
    private static let depthLimit = NestingCheck.depthLimit

    init(_ profile: Profile) {
        plugin = profile.header.id
        types = TypeIndex(profile.types)
    }

    /// The outline of a type as a whole value; nil if the profile has no such type.
    func outline(of type: String) -> FieldOutline? {
        guard let definition = types[type] else { return nil }
        var whole = FieldOutline(
            name: type, filterName: "\(plugin).\(type)", title: definition.title, doc: definition.doc,
            content: .structure([]))
        var form = definition.form
        // A type may be an alias of another.
        for _ in 0..<Self.depthLimit {
            guard case .scalar(let field) = form, case .type(let name) = field.kind, let inner = types[name] else {
                break
            }
            form = inner.form
        }
        switch form {
        case .structure, .choice: whole.content = content(of: form, below: whole.filterName, depth: 0)
        case .scalar(let field):
            var field = resolved(field)
            field.name = type
            whole.definition = field
            whole.content = .value
        }
        return whole
    }

    /// Resolves a field of a scalar type, taking that type's settings.
    private func resolved(_ field: FieldDefinition) -> FieldDefinition {
        guard case .type = field.kind, let inner = types.resolved(field) else { return field }
        var resolved = inner
        resolved.name = field.name
        resolved.title = field.title
        resolved.doc = field.doc ?? inner.doc
        resolved.alias = field.alias ?? inner.alias
        resolved.filterName = field.filterName ?? inner.filterName
        resolved.count = field.count
        resolved.condition = field.condition
        resolved.place = field.place
        return resolved
    }

    private func content(of form: TypeDefinition.Form, below path: String, depth: Int) -> FieldOutline.Content {
        switch form {
        case .structure(let fields): .structure(outlines(fields, below: path, depth: depth))
        case .choice(let choice): .choice(outline(choice, below: path, depth: depth))
        case .scalar: .value
        }
    }

    private func outlines(_ fields: [FieldDefinition], below path: String, depth: Int) -> [FieldOutline] {
        fields.map { outline($0, below: path, depth: depth) }
    }

    private func outline(_ field: FieldDefinition, below path: String, depth: Int) -> FieldOutline {
        let field = resolved(field)
        var outline = FieldOutline(
            name: field.name, filterName: field.filterName ?? "\(path).\(field.name)", title: field.title,
            doc: field.doc, definition: field, content: .value)
        if case .type(let name) = field.kind {
            outline.content =
                depth < Self.depthLimit
                ? types[name].map { content(of: $0.form, below: outline.filterName, depth: depth + 1) }
                    ?? .structure([])
                : .structure([])
        }
        return outline
    }

    private func outline(_ choice: ChoiceDefinition, below path: String, depth: Int) -> FieldOutline.Choice {
        var discriminant = choice.discriminant
        if case .unsigned(let bytes) = resolved(discriminant).kind {
            discriminant.kind = .enumeration(bytes: bytes, choice.names)
        }
        func group(_ one: ChoiceDefinition.Case) -> FieldOutline {
            let name = "\(path).\(one.name)"
            return FieldOutline(
                name: one.name, filterName: name, title: one.title, doc: one.doc,
                content: .structure(outlines(one.fields, below: name, depth: depth)))
        }
        return FieldOutline.Choice(
            discriminant: outline(discriminant, below: path, depth: depth),
            cases: choice.cases.map { FieldOutline.Case(value: $0.value, length: $0.length, group: group($0)) },
            otherwise: choice.otherwise.map(group))
    }
}

extension ChoiceDefinition {
    /// The cases as named values of the discriminant, without duplicate values.
    var names: [EnumerationCase] {
        var named: Set<UInt64> = []
        return cases.compactMap { one in
            named.insert(one.value).inserted
                ? EnumerationCase(value: one.value, name: one.name, title: one.title, doc: one.doc) : nil
        }
    }
}

extension Profile {
    /// Types of the values of characteristics, descriptors, advertisements and messages, without duplicates, in order.
    var payloadTypes: [String] {
        let choices =
            services.flatMap(\.characteristics).flatMap { characteristic in
                OperationKind.allCases.compactMap { characteristic.readings[$0] }
                    + characteristic.descriptors.compactMap(\.reading)
            } + descriptors.compactMap(\.reading) + advertising.map(\.reading)
        let names = choices.flatMap { $0.alternatives.map(\.type) } + messages.flatMap(\.types)
        var seen: Set<String> = []
        return names.filter { seen.insert($0).inserted }
    }
}
