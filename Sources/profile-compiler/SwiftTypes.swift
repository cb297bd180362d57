import Profile

/// Generates a struct for each structure and each choice of a profile whose fields Swift can represent (numbers, flags,
/// enumerations, texts, bytes and other such structures), and an enum for each enumeration. Checksums are left out,
/// because encoding adds them.
struct SwiftTypes {
    private let profile: Profile
    private let index: TypeIndex

    init(_ profile: Profile) {
        self.profile = profile
        index = TypeIndex(profile.types)
    }

    var text: String {
        let types = profile.types.compactMap { lines(of: $0) }
        guard !types.isEmpty else { return "" }
        let texts = types.map { indented($0).joined(separator: "\n") }
        return "extension DeviceProfile {\n" + texts.joined(separator: "\n\n") + "\n}\n"
    }

    /// The declaration of a type; nil for one without a counterpart in Swift.
    private func lines(of type: TypeDefinition) -> [String]? {
        switch type.form {
        case .structure: structure(type)
        case .choice(let choice): structure(type, of: choice)
        case .scalar(let field):
            if case .enumeration(_, let cases) = field.kind, let enumeration = SwiftEnumeration(cases) {
                heading(type) + enumeration.lines(name: SwiftName.type(type.name))
            } else {
                nil
            }
        }
    }

    /// A member of a struct.
    private struct Member: Equatable {
        /// Name in the profile.
        var name: String
        var type: String
        var isOptional = false
        /// The value of a constant; nil for other fields.
        var constant: UInt64?
        var comment: [String] = []
        /// Bit parts of a number, which become a nested struct.
        var parts: [Member] = []
        var isEnumeration = false
        /// An enumeration used only by this member, which becomes a nested enum.
        var enumeration: SwiftEnumeration?

        /// The type where the member is declared.
        var declaredType: String { "\(type)\(isOptional ? "?" : "")" }

        /// The initial value in a declaration.
        var initial: String {
            isOptional ? " = nil" : constant.map { isEnumeration ? " = .init(rawValue: \($0))" : " = \($0)" } ?? ""
        }

        /// The method of `FieldNumbers` that reads the member; nil if it is not a number.
        var number: String? { type == "Bool" ? "flag" : type == "Int" || isEnumeration ? "integer" : nil }

        /// Converts the number read to the member's type.
        func value(_ number: String) -> String {
            guard isEnumeration else { return number }
            return isOptional ? "\(number).map { .init(rawValue: $0) }" : ".init(rawValue: \(number))"
        }
    }

    // MARK: - Structs

    private func structure(_ type: TypeDefinition) -> [String]? {
        guard let members = members(of: type), !members.isEmpty else { return nil }
        return structure(type, members, reading(members))
    }

    private func structure(_ type: TypeDefinition, _ members: [Member], _ others: [String]) -> [String] {
        var body = ["static let typeName = \(SwiftSource.literal(type.name))", ""] + declarations(of: members)
        for member in members where !member.parts.isEmpty {
            let parts = member.parts
            body += ["", "struct \(member.type): Codable, Hashable, Sendable {"]
            body += indented(declarations(of: parts) + enumerations(of: parts) + codingKeys(of: parts))
            body.append("}")
        }
        body += enumerations(of: members) + codingKeys(of: members) + others
        return heading(type) + ["struct \(SwiftName.type(type.name)): ProfileValue {"] + indented(body) + ["}"]
    }

    private func heading(_ type: TypeDefinition) -> [String] {
        comment(["\(type.title)\(type.doc.map { ": \($0)" } ?? "")"])
    }

    private func enumerations(of members: [Member]) -> [String] {
        members.flatMap { member in member.enumeration.map { [""] + $0.lines(name: member.type) } ?? [] }
    }

    private func declarations(of members: [Member]) -> [String] {
        members.flatMap { member in
            comment(member.comment) + [
                "var \(SwiftName.member(member.name)): \(member.declaredType)\(member.initial)"
            ]
        }
    }

    /// Keys for `RecordDecoder`, needed where the names do not map back uniquely: `a_1` and `a1` are both `a1`.
    private func codingKeys(of members: [Member]) -> [String] {
        let isPlain = members.allSatisfy { member in
            let words = member.name.split(separator: "_", omittingEmptySubsequences: false)
            return words.dropFirst().allSatisfy { $0.first?.isLetter ?? false }
        }
        guard !isPlain else { return [] }
        return ["", "enum CodingKeys: String, CodingKey {"]
            + indented(members.map { "case \(SwiftName.member($0.name)) = \"\($0.name)\"" }) + ["}"]
    }

    /// Code that reads a struct of numbers and flags by field paths; empty if it has other fields.
    private func reading(_ members: [Member]) -> [String] {
        let isOfNumbers = members.allSatisfy { member in
            member.parts.isEmpty
                ? member.number != nil : !member.isOptional && member.parts.allSatisfy { $0.number != nil }
        }
        guard isOfNumbers else { return [] }
        let paths = members.flatMap { member in
            member.parts.isEmpty ? [member.name] : member.parts.map { "\(member.name).\($0.name)" }
        }
        var steps: [String] = []
        var arguments: [String] = []
        var values = 0
        func value(_ member: Member) -> String {
            values += 1
            steps.append(
                member.isOptional
                    ? "let value\(values) = numbers.\(member.number ?? "")()"
                    : "guard let value\(values) = numbers.\(member.number ?? "")() else { return nil }")
            return "\(SwiftName.member(member.name)): \(member.value("value\(values)"))"
        }
        for member in members {
            if member.parts.isEmpty {
                arguments.append(value(member))
            } else {
                let parts = member.parts.map { value($0) }.joined(separator: ", ")
                arguments.append("\(SwiftName.member(member.name)): \(member.type)(\(parts))")
            }
        }
        return [
            "", "/// Paths of its fields, in the order in which `init(_:)` takes their numbers.",
            "static let paths = [\(paths.map(SwiftSource.literal).joined(separator: ", "))]",
            "private static let fields = FieldList(paths)", "",
            "/// Nil where the bytes are none of the type.", "init?(_ reading: ValueReading) {",
            "    guard !reading.isFaulty else { return nil }", "    var numbers = reading.numbers(of: Self.fields)",
            "    self.init(&numbers)", "}", "", "/// Nil where a field is not there.",
            "init?(_ numbers: inout FieldNumbers) {",
        ] + indented(steps + ["self.init(\(arguments.joined(separator: ", ")))"]) + ["}", ""] + memberwise(members)
    }

    /// The memberwise initializer, which Swift does not synthesize if there are others.
    private func memberwise(_ members: [Member]) -> [String] {
        let parameters = members.map { member in
            "\(SwiftName.member(member.name)): \(member.declaredType)\(member.initial)"
        }
        return ["init(\(parameters.joined(separator: ", "))) {"]
            + indented(
                members.map { "self.\(SwiftName.member($0.name)) = \(SwiftName.member($0.name))" }) + ["}"]
    }

    // MARK: - Choices

    /// A struct of the discriminant and the fields of all cases; those of other cases are nil. Constant fields are left
    /// out, because encoding adds them.
    private func structure(_ type: TypeDefinition, of choice: ChoiceDefinition) -> [String]? {
        guard var discriminant = member(choice.discriminant),
            let enumeration = SwiftEnumeration(
                choice.cases.map { EnumerationCase(value: $0.value, name: $0.name, doc: $0.doc) })
        else { return nil }
        discriminant.type = SwiftName.nestedType(discriminant.name)
        (discriminant.isEnumeration, discriminant.enumeration) = (true, enumeration)
        var members = [discriminant]
        var users: [String: [String]] = [:]
        for chosen in choice.all {
            for field in fields(of: chosen) {
                guard var member = member(field) else { return nil }
                member.isOptional = true
                users[member.name, default: []].append("`\(chosen.name)`")
                if let known = members.first(where: { $0.name == member.name }) {
                    guard known.type == member.type, known.parts == member.parts,
                        known.enumeration == member.enumeration
                    else { return nil }
                } else {
                    members.append(member)
                }
            }
        }
        for index in members.indices {
            guard let users = users[members[index].name] else { continue }
            let comment = ["Of \(users.joined(separator: ", "))."] + members[index].comment
            members[index].comment = [comment.joined(separator: " ")]
        }
        return structure(type, members, reading(choice, members) + makers(choice, members))
    }

    private func fields(of chosen: ChoiceDefinition.Case) -> [FieldDefinition] {
        chosen.fields.filter { !$0.isChecksum && ($0.constant ?? index.resolved($0)?.constant) == nil }
    }

    /// Code that reads a choice by field paths, or by decoding the whole value for cases with fields other than
    /// numbers. Empty if the default case has such fields and their presence cannot be checked.
    private func reading(_ choice: ChoiceDefinition, _ members: [Member]) -> [String] {
        let others = Set(members.filter { $0.number == nil }.map(\.name))
        var wholes = choice.cases.filter { fields(of: $0).contains { others.contains($0.name) } }.map {
            "value1 == \($0.value)"
        }
        for field in choice.otherwise.map(fields) ?? [] where others.contains(field.name) {
            switch index.resolved(field)?.kind {
            case .bytes, .text: wholes.append("reading.isThere(\(SwiftSource.literal(field.name)))")
            default: return []
            }
        }
        let numbers = members.filter { $0.number != nil }
        let paths = numbers.map { SwiftSource.literal($0.name) }
        var steps = ["guard let value1 = numbers.integer() else { return nil }"]
        if !wholes.isEmpty {
            steps +=
                ["if \(wholes.joined(separator: " || ")) {"]
                + indented([
                    "guard let value = reading.decoded(as: Self.self) else { return nil }", "self = value", "return",
                ]) + ["}"]
        }
        var arguments = ["\(SwiftName.member(numbers[0].name)): \(numbers[0].value("value1"))"]
        for (index, member) in numbers.enumerated().dropFirst() {
            steps.append("let value\(index + 1) = numbers.\(member.number ?? "")()")
            arguments.append("\(SwiftName.member(member.name)): \(member.value("value\(index + 1)"))")
        }
        return [
            "", "private static let fields = FieldList([\(paths.joined(separator: ", "))])", "",
            "/// Nil where the bytes are none of the type.", "init?(_ reading: ValueReading) {",
            "    guard !reading.isFaulty else { return nil }", "    var numbers = reading.numbers(of: Self.fields)",
        ] + indented(steps + ["self.init(\(arguments.joined(separator: ", ")))"]) + ["}", ""] + memberwise(members)
    }

    /// A factory method for each case, with the fields of the case as parameters.
    private func makers(_ choice: ChoiceDefinition, _ members: [Member]) -> [String] {
        choice.cases.flatMap { chosen in
            let names = Set(fields(of: chosen).map(\.name))
            let parameters = members.dropFirst().filter { names.contains($0.name) }
            let name = SwiftName.member(chosen.name)
            let arguments =
                ["\(SwiftName.member(members[0].name)): .\(name)"]
                + parameters.map { "\(SwiftName.member($0.name)): \(SwiftName.member($0.name))" }
            let list = parameters.map { "\(SwiftName.member($0.name)): \($0.type)" }.joined(separator: ", ")
            let title = chosen.title + (chosen.doc.map { ": \($0)" } ?? "")
            return [""] + comment([title]) + [
                "static \(list.isEmpty ? "var \(name):" : "func \(name)(\(list)) ->") Self {",
                "    Self(\(arguments.joined(separator: ", ")))", "}",
            ]
        }
    }

    // MARK: - Members

    /// The members of a structure; nil if Swift cannot represent one of its fields.
    private func members(of type: TypeDefinition) -> [Member]? {
        guard case .structure(let fields) = type.form else { return nil }
        var members: [Member] = []
        for field in fields where !field.isChecksum {
            guard let member = member(field) else { return nil }
            members.append(member)
        }
        return members
    }

    private func member(_ field: FieldDefinition) -> Member? {
        let unit = field.unit.map { " In \($0)." } ?? ""
        let doc = field.doc.map { SwiftName.sentence($0) } ?? ""
        var member = Member(name: field.name, type: "", isOptional: field.condition != nil)
        member.comment = doc.isEmpty && unit.isEmpty ? [] : [(doc + unit).trimmingPrefix(" ").description]
        if let resolved = index.resolved(field) {
            guard let type = type(of: resolved, named: typeName(of: field), member: &member) else { return nil }
            member.type = type
            member.constant = field.constant ?? resolved.constant
        } else {
            guard case .type(let name) = field.kind, let inner = index[name], members(of: inner) != nil else {
                return nil
            }
            member.type = SwiftName.type(name)
        }
        if field.count != nil {
            guard member.parts.isEmpty, member.enumeration == nil else { return nil }
            member.type = "[\(member.type)]"
            member.isEnumeration = false
        }
        return member
    }

    /// The type that a field refers to, after resolving aliases; nil for a field with an inline definition.
    private func typeName(of field: FieldDefinition) -> String? {
        guard case .type(let name) = field.kind else { return nil }
        guard case .scalar(let inner)? = index[name]?.form else { return name }
        return typeName(of: inner) ?? name
    }

    private func type(of field: FieldDefinition, named name: String?, member: inout Member) -> String? {
        switch field.kind {
        case .unsigned(let bytes): return field.scale != nil ? "Double" : bytes == 8 ? "UInt64" : "Int"
        case .signed: return field.scale != nil ? "Double" : "Int"
        case .float(let bytes): return bytes == 8 || field.scale != nil ? "Double" : "Float"
        case .medical: return "Double"
        case .text, .address, .uuid: return "String"
        case .digits: return field.scale != nil ? "Double" : "Int"
        case .bytes: return "[UInt8]"
        case .enumeration(_, let cases):
            if cases.isBoolean { return "Bool" }
            guard let enumeration = SwiftEnumeration(cases) else { return "Int" }
            member.isEnumeration = true
            if let name { return SwiftName.type(name) }
            member.enumeration = enumeration
            return SwiftName.nestedType(member.name)
        case .bits(_, let parts, _):
            member.parts = parts.map { part in
                var member = Member(
                    name: part.name, type: part.isBoolean ? "Bool" : part.scale != nil ? "Double" : "Int",
                    constant: part.isBoolean ? nil : part.constant,
                    comment: part.doc.map { [SwiftName.sentence($0)] } ?? [])
                if let enumeration = SwiftEnumeration(part.cases) {
                    (member.isEnumeration, member.enumeration) = (true, enumeration)
                    member.type = SwiftName.nestedType(part.name)
                }
                return member
            }
            return SwiftName.nestedType(member.name)
        case .checksum, .type: return nil
        }
    }

    // MARK: - Lines

    private func comment(_ texts: [String]) -> [String] {
        texts.flatMap { $0.split(separator: "\n") }.map { "/// \($0)" }
    }

    private func indented(_ lines: [String]) -> [String] { lines.map { $0.isEmpty ? "" : "    \($0)" } }
}
