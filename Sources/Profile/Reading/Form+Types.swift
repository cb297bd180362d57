import Bytes

extension Form where Value == [TypeDefinition] {
    /// Section `types`, or a part of it; `names` lists all types if `node` contains only some.
    static func types(among names: [String]? = nil) -> Self {
        Form("types by name") { node, faults in
            guard case .mapping(let entries) = node.content else {
                faults.add("expected types by name, found \(node.described)", at: node)
                return nil
            }
            let forms = TypeForms(names: names ?? entries.map(\.key.text))
            return entries.compactMap { entry in
                let name = YAMLNode(content: .scalar(entry.key), place: entry.place, label: node.label)
                return faults.noting(type: entry.key.text) {
                    guard let name = Form<String>.name.read(name, faults) else { return nil }
                    if TypeWord.builtIn(name) != nil {
                        faults.add("\(name): this is the name of a built-in type", at: entry.place)
                    }
                    return forms.type(name, at: entry.place).read(entry.value, faults)
                }
            }
        }
    }
}

/// The forms of types and their fields.
struct TypeForms {
    /// Names of all types in the file.
    let names: [String]

    /// An entry of section `types`; `place` is that of its name.
    func type(_ name: String, at place: SourcePlace) -> Form<TypeDefinition> {
        Form(mapping: "a type") { keys in
            let form: TypeDefinition.Form?
            let doc: String?
            let title: String?
            if keys.has("type") {
                let field = scalar(name, keys)
                (form, doc, title) = (field.map { .scalar($0) }, field?.doc, field?.title)
            } else {
                title = keys.take("title", .line)
                doc = keys.take("doc", .text)
                if keys.has("switch") {
                    form = choice(keys).map { .choice($0) }
                } else if let fields = keys.node("fields") {
                    form = fieldList().read(fields, keys.faults).map { .structure($0) }
                } else {
                    keys.missing("\"fields\", \"switch\" or \"type\"")
                    form = nil
                }
            }
            return form.map {
                TypeDefinition(
                    name: name, title: title ?? Form<String>.title(from: name), doc: doc, form: $0, place: place)
            }
        }
    }

    /// A built-in type or the name of a type.
    var typeWord: Form<TypeWord> {
        Form("a type like u16") { node, faults in
            let text = node.scalar?.text ?? ""
            if let word = TypeWord.builtIn(text) { return word }
            if names.contains(text) { return .named(text) }
            let meant =
                TypeWord.foreign(text).map { Spelling.suggestion(["\"\($0)\""]) }
                ?? Advice.meant(text, among: names + TypeWord.builtIns)
            let possible = "; possible are \(TypeWord.summary) and the names in section types"
            faults.add("expected a type, found \(node.described)\(meant.isEmpty ? possible : meant)", at: node)
            return nil
        }
    }

    /// A list of fields with unique names; `outer` is the discriminant before them.
    func fieldList(after outer: String? = nil) -> Form<[FieldDefinition]> {
        Form("a list of fields") { node, faults in
            guard let fields = Form<[FieldDefinition]>.list(of: field).read(node, faults) else { return nil }
            faults.reportDoubles(fields.map { ($0.name, $0.place) })
            faults.reportChecksums(in: fields, after: outer)
            return fields
        }
    }
}

// MARK: - Choices

extension TypeForms {
    /// `switch`, `cases` and `otherwise`.
    private func choice(_ keys: Keys) -> ChoiceDefinition? {
        let discriminant = keys.take("switch", discriminant)
        guard let discriminant, case .unsigned(let bytes) = discriminant.kind else {
            keys.passOver()
            return nil
        }
        let cases = keys.require("cases", .list(of: aCase(after: discriminant, bytes: bytes)))
        let otherwise = keys.take("otherwise", aCase(after: discriminant, bytes: nil))
        guard let cases else { return nil }
        keys.faults.reportDoubles((cases + (otherwise.map { [$0] } ?? [])).map { ($0.name, $0.place) })
        return ChoiceDefinition(discriminant: discriminant, cases: cases, otherwise: otherwise)
    }

    private var discriminant: Form<FieldDefinition> {
        Form(mapping: "the field that decides") { keys in
            let name = keys.require("name", .name)
            let word = keys.require("type", typeWord)
            guard let name, let word else {
                keys.passOver()
                return nil
            }
            guard case .unsigned(let bytes) = word else {
                keys.report("expected u8 to u64, found \"\(word.text)\"", at: "type")
                keys.passOver()
                return nil
            }
            var field = FieldDefinition(name: name, title: "", kind: .unsigned(bytes: bytes), place: keys.place)
            takeCommon(&field, keys)
            field.endian = keys.take("endian", .endian) ?? .little
            field.rendering = keys.take("rendering", .rendering) ?? .standard
            keys.refuse(Self.fieldKeys, "does not go with the field that decides")
            return field
        }
    }

    /// A case; nil for `bytes` makes it the default case, without a value.
    private func aCase(after discriminant: FieldDefinition, bytes: Int?) -> Form<ChoiceDefinition.Case> {
        Form(mapping: "a case") { keys in
            let value = bytes.map { keys.require("value", .raw(bytes: $0, signed: false)) } ?? 0
            let length = bytes.flatMap { keys.take("length", .integer($0...0xFFFF)) }
            let name = keys.require("name", .name)
            let title = keys.take("title", .line)
            let doc = keys.take("doc", .text)
            let fields = keys.take("fields", fieldList(after: discriminant.name)) ?? []
            for field in fields where field.name == discriminant.name {
                keys.faults.add("\(field.name): this is the name of the field that decides", at: field.place)
            }
            guard let value, let name else { return nil }
            var one = ChoiceDefinition.Case(
                value: value, length: length, name: name, title: title ?? Form<String>.title(from: name),
                fields: fields, place: keys.place)
            one.doc = doc
            return one
        }
    }
}
