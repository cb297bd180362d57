package import Bluetooth
import Bytes
package import Profile

/// Tab completion for the prompt of `connect`: verbs, characteristic names, and the fields of values with their named
/// values.
package struct RequestCompletion: Sendable {
    /// A characteristic that requests may name.
    package struct Characteristic: Sendable {
        package var name: String
        package var properties: GATT.Properties
        /// Types of the values written to it.
        package var types: [String]

        package init(_ name: String, _ properties: GATT.Properties, types: [String] = []) {
            self.name = name
            self.properties = properties
            self.types = types
        }
    }

    /// Candidates that complete a line.
    package struct Outcome: Hashable, Sendable {
        /// The end of the line, which a candidate replaces.
        package var typed: String
        package var candidates: [String]

        /// The common prefix of all candidates.
        package var common: String {
            guard var common = candidates.first else { return typed }
            for candidate in candidates { common = String(zip(common, candidate).prefix { $0 == $1 }.map(\.0)) }
            return common
        }
    }

    /// Verbs of the prompt; those of requests come first.
    package static let verbs = ["read", "write", "write-command", "subscribe", "unsubscribe", "list", "wait", "quit"]

    private let characteristics: [Characteristic]
    private let types: TypeIndex

    package init(_ characteristics: [Characteristic], types: [TypeDefinition]) {
        self.characteristics = characteristics
        self.types = TypeIndex(types)
    }

    /// Completes a line, given up to the cursor.
    package func outcome(for line: String) -> Outcome {
        let words = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: true).map(String.init)
        let isOpen = line.last == " " || words.isEmpty
        guard let verb = words.first, words.count > 1 || isOpen else {
            return Self.outcome(words.first ?? "", Self.verbs.map { "\($0) " })
        }
        let isSubscription = verb.hasSuffix("subscribe")
        guard words.count == 1 || words.count == 2 && !isOpen || isSubscription else {
            guard verb.hasPrefix("write"), let target = characteristics.first(where: { $0.name == words[1] }) else {
                return Outcome(typed: "", candidates: [])
            }
            return value(words.count > 2 ? line.text(after: words[0], words[1]) : "", of: target)
        }
        let wanted: GATT.Properties =
            switch verb {
            case "read": .read
            case "write": .write
            case "write-command": .writeWithoutResponse
            case "subscribe", "unsubscribe": [.notify, .indicate]
            default: []
            }
        let typed = isOpen ? "" : line.split(separator: " ").last.map(String.init) ?? ""
        let names = characteristics.filter { !$0.properties.isDisjoint(with: wanted) }.map(\.name)
        return Self.outcome(typed, names.map { "\($0) " })
    }

    private static func outcome(_ typed: String, _ candidates: [String]) -> Outcome {
        Outcome(typed: typed, candidates: candidates.filter { $0.hasPrefix(typed) })
    }
}

// MARK: - Values

extension RequestCompletion {
    private func value(_ text: String, of target: Characteristic) -> Outcome {
        if text.isEmpty { return Outcome(typed: "", candidates: target.types.isEmpty ? [] : [#"{""#]) }
        guard let place = JSONPlace(text) else { return Outcome(typed: "", candidates: []) }
        var candidates: [String] = []
        for type in target.types {
            let found = self.candidates(at: place, in: members(of: type, given: place.root))
            candidates += found.filter { !candidates.contains($0) }
        }
        return Self.outcome(place.typed, candidates)
    }

    /// A member of a JSON object: its name, its named values, and the members of its value.
    private struct Member {
        var name: String
        var values: [String] = []
        var members: [Member] = []
    }

    private func candidates(at place: JSONPlace, in members: [Member]) -> [String] {
        var members = members
        for key in place.path { members = members.first { $0.name == key }?.members ?? [] }
        let left = members.filter { place.given[$0.name] == nil }
        guard let key = place.key else { return left.isEmpty ? ["}"] : left.map { "\"\($0.name)\":" } }
        guard let member = members.first(where: { $0.name == key }) else { return [] }
        if place.hasValue, member.values.isEmpty || member.values.contains(place.typed) {
            return [place.typed + (left.isEmpty ? "}" : ",")]
        }
        return member.members.isEmpty ? member.values : [#"{""#]
    }

    /// The members of a type's values; `given` selects the case of a choice.
    private func members(of type: String, given: [String: String] = [:]) -> [Member] {
        switch types[type]?.form {
        case .structure(let fields)?: return fields.compactMap { member($0) }
        case .scalar(let field)?: return member(field)?.members ?? []
        case .choice(let choice)?:
            let names = choice.cases.map(\.name)
            let decided = given[choice.discriminant.name]
            let chosen = choice.cases.first { $0.name == decided }
            return [Member(name: choice.discriminant.name, values: names.map(Self.quoted))]
                + (chosen?.fields ?? []).compactMap { member($0) }
        case nil: return []
        }
    }

    /// Nil for a field that a written value does not contain: constants and checksums.
    private func member(_ field: FieldDefinition) -> Member? {
        if field.constant != nil { return nil }
        var member = Member(name: field.name)
        guard let resolved = types.resolved(field) else {
            if case .type(let name) = field.kind, field.count == nil { member.members = members(of: name) }
            return member
        }
        if resolved.constant != nil { return nil }
        switch resolved.kind {
        case .checksum: return nil
        case .enumeration(_, let cases): member.values = cases.map { Self.quoted($0.name) }
        case .bits(_, let parts, _):
            member.members = parts.filter { $0.constant == nil }.map { part in
                let isFlag = part.cases.isEmpty && part.bits.count == 1
                return Member(
                    name: part.name, values: isFlag ? ["true", "false"] : part.cases.map { Self.quoted($0.name) })
            }
        default: if case .timestamp = resolved.rendering { member.values = [#""now""#] }
        }
        return member
    }

    private static func quoted(_ name: String) -> String { "\"\(name)\"" }
}

/// The cursor's position in incomplete JSON: the object that contains it, and whether a key or a value follows.
private struct JSONPlace {
    /// Keys of the enclosing objects, the outermost first.
    private(set) var path: [String] = []
    /// The key whose value follows; nil where a key follows.
    private(set) var key: String?
    /// The members of the innermost object, including the one at the cursor.
    private(set) var given: [String: String] = [:]
    /// The typed part of the key or value; after an object, its closing brace.
    private(set) var typed = ""
    /// Members of the enclosing objects.
    private var outer: [[String: String]] = []

    /// The members of the outermost object.
    var root: [String: String] { outer.first ?? given }
    /// Whether a value is complete or may be.
    var hasValue: Bool { key != nil && !typed.isEmpty && (typed.first != "\"" || typed.unquoted != nil) }

    /// Nil where no completion is possible: in a list, after the end, or in invalid JSON.
    init?(_ text: String) {
        guard text.first == "{" else { return nil }
        var isQuoted = false
        for character in text.dropFirst() {
            if isQuoted {
                typed.append(character)
                isQuoted = character != "\""
                continue
            }
            switch character {
            case "{":
                guard let key, typed.isEmpty else { return nil }
                path.append(key)
                outer.append(given)
                (self.key, given) = (nil, [:])
            case "\"":
                guard typed.isEmpty else { return nil }
                typed = "\""
                isQuoted = true
            case ":":
                guard key == nil, let name = typed.unquoted else { return nil }
                (key, typed) = (name, "")
            case ",":
                guard hasValue else { return nil }
                note()
                (key, typed) = (nil, "")
            case "}":
                guard let name = path.popLast() else { return nil }
                (key, given, typed) = (name, outer.popLast() ?? [:], "}")
            case "[", "\\": return nil
            case " ": continue
            default: typed.append(character)
            }
        }
        if hasValue { note() }
    }

    private mutating func note() {
        if let key { given[key] = typed.unquoted ?? typed }
    }
}

extension String {
    /// The text between quotation marks; nil without them.
    fileprivate var unquoted: String? {
        count > 1 && hasPrefix("\"") && hasSuffix("\"") ? String(dropFirst().dropLast()) : nil
    }

    /// The remainder of a line after the given words, without leading spaces.
    fileprivate func text(after words: String...) -> String {
        var rest = self[...]
        for word in words { rest = rest.drop { $0 == " " }.dropFirst(word.count) }
        return String(rest.drop { $0 == " " })
    }
}
