import Profile

/// A struct for each structure of a profile whose fields Swift can name: numbers, flags, texts, bytes and other such
/// structures. Checksums are left out, as encoding adds them.
struct SwiftTypes {
    private let profile: Profile
    private let index: TypeIndex

    init(_ profile: Profile) {
        self.profile = profile
        index = TypeIndex(profile.types)
    }

    var text: String {
        let structs = profile.types.compactMap { structure($0) }
        guard !structs.isEmpty else { return "" }
        return "extension DeviceProfile {\n" + structs.joined(separator: "\n\n") + "\n}\n"
    }

    /// A member of a struct.
    private struct Member {
        /// In the profile.
        var name: String
        var type: String
        var isOptional = false
        /// The value of a constant; nil for other fields.
        var constant: UInt64?
        var comment: [String] = []
        /// The parts of a number of bits, which become a struct of their own.
        var parts: [Member] = []

        /// What it is where nothing else is given, behind a declaration.
        var initial: String { isOptional ? " = nil" : constant.map { " = \($0)" } ?? "" }

        /// What takes it from `FieldNumbers`; nil for what is no number.
        var number: String? {
            switch type {
            case "Int": "integer"
            case "Bool": "flag"
            default: nil
            }
        }
    }

    // MARK: - Structs

    private func structure(_ type: TypeDefinition) -> String? {
        guard let members = members(of: type), !members.isEmpty else { return nil }
        var lines = comment(["\(type.title)\(type.doc.map { ": \($0)" } ?? "")"])
        lines.append("struct \(SwiftName.type(type.name)): Codable, Hashable, Sendable {")
        var body = declarations(of: members)
        for member in members where !member.parts.isEmpty {
            body += ["", "struct \(member.type): Codable, Hashable, Sendable {"]
            body += indented(declarations(of: member.parts) + codingKeys(of: member.parts)) + ["}"]
        }
        body += codingKeys(of: members) + reading(members)
        lines += indented(body) + ["}"]
        return indented(lines).joined(separator: "\n")
    }

    private func declarations(of members: [Member]) -> [String] {
        members.flatMap { member in
            comment(member.comment) + [
                "var \(SwiftName.member(member.name)): \(member.type)\(member.isOptional ? "?" : "")\(member.initial)"
            ]
        }
    }

    /// Keys for `RecordDecoder`, where it would not find the names by itself: `a_1` cannot be told from `a1`.
    private func codingKeys(of members: [Member]) -> [String] {
        let isPlain = members.allSatisfy { member in
            let words = member.name.split(separator: "_", omittingEmptySubsequences: false)
            return words.dropFirst().allSatisfy { $0.first?.isLetter ?? false }
        }
        guard !isPlain else { return [] }
        return ["", "enum CodingKeys: String, CodingKey {"]
            + indented(members.map { "case \(SwiftName.member($0.name)) = \"\($0.name)\"" }) + ["}"]
    }

    /// How a struct of numbers and flags is read by the paths of its fields; nothing where it has others.
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
            return "\(SwiftName.member(member.name)): value\(values)"
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
            "static let paths = [\(paths.map { "\"\($0)\"" }.joined(separator: ", "))]",
            "private static let fields = FieldList(paths)", "",
            "/// Nil where the bytes are none of the type.", "init?(_ reading: ValueReading) {",
            "    guard !reading.isFaulty else { return nil }", "    var numbers = reading.numbers(of: Self.fields)",
            "    self.init(&numbers)", "}", "", "/// Nil where a field is not there.",
            "init?(_ numbers: inout FieldNumbers) {",
        ] + indented(steps + ["self.init(\(arguments.joined(separator: ", ")))"]) + ["}", ""] + memberwise(members)
    }

    /// The initializer that Swift would make if there were no other.
    private func memberwise(_ members: [Member]) -> [String] {
        let parameters = members.map { member in
            "\(SwiftName.member(member.name)): \(member.type)\(member.isOptional ? "?" : "")\(member.initial)"
        }
        return ["init(\(parameters.joined(separator: ", "))) {"]
            + indented(
                members.map { "self.\(SwiftName.member($0.name)) = \(SwiftName.member($0.name))" }) + ["}"]
    }

    // MARK: - Members

    /// The members of a structure; nil where one of its fields is none that Swift can name.
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
        let doc = field.doc.map { $0.prefix(1).uppercased() + $0.dropFirst() + "." } ?? ""
        var member = Member(name: field.name, type: "", isOptional: field.condition != nil)
        member.comment = doc.isEmpty && unit.isEmpty ? [] : [(doc + unit).trimmingPrefix(" ").description]
        if let resolved = index.resolved(field) {
            guard let type = type(of: resolved, member: &member) else { return nil }
            member.type = type
            member.constant = field.constant ?? resolved.constant
        } else {
            guard case .type(let name) = field.kind, let inner = index[name], members(of: inner) != nil else {
                return nil
            }
            member.type = SwiftName.type(name)
        }
        if field.count != nil {
            guard member.parts.isEmpty else { return nil }
            member.type = "[\(member.type)]"
        }
        return member
    }

    private func type(of field: FieldDefinition, member: inout Member) -> String? {
        switch field.kind {
        case .unsigned(let bytes): return field.scale != nil ? "Double" : bytes == 8 ? "UInt64" : "Int"
        case .signed: return field.scale != nil ? "Double" : "Int"
        case .float(let bytes): return bytes == 8 || field.scale != nil ? "Double" : "Float"
        case .medical: return "Double"
        case .text, .address, .uuid: return "String"
        case .digits: return field.scale != nil ? "Double" : "Int"
        case .bytes: return "[UInt8]"
        case .enumeration(_, let cases): return cases.isBoolean ? "Bool" : "Int"
        case .bits(_, let parts, _):
            member.parts = parts.map { part in
                Member(
                    name: part.name, type: part.isBoolean ? "Bool" : part.scale != nil ? "Double" : "Int",
                    constant: part.isBoolean ? nil : part.constant,
                    comment: part.doc.map { [$0.prefix(1).uppercased() + $0.dropFirst() + "."] } ?? [])
            }
            return SwiftName.type(field.name == member.name ? field.name : member.name)
        case .checksum, .type: return nil
        }
    }

    // MARK: - Lines

    private func comment(_ texts: [String]) -> [String] {
        texts.flatMap { $0.split(separator: "\n") }.map { "/// \($0)" }
    }

    private func indented(_ lines: [String]) -> [String] { lines.map { $0.isEmpty ? "" : "    \($0)" } }
}
