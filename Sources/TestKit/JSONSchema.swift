package import Bytes
import PDUTestKit
package import Profile

/// Validates JSON values against a JSON Schema (draft 2020-12), limited to the keywords in our schemas: an unknown
/// keyword is an error, so that no part of a schema goes unchecked.
package struct JSONSchema {
    private var root: Rule
    private var definitions: [String: Rule] = [:]

    /// A schema contains a keyword that cannot be checked.
    package struct Unsupported: Error, CustomStringConvertible {
        package var description: String
    }

    package init(_ schema: JSONValue) throws {
        guard case .object(let keywords) = schema else { throw Unsupported(description: "a schema is an object") }
        definitions = try schema["$defs"]?.members.mapValues { try Rule($0) } ?? [:]
        root = try Rule(.object(keywords.filter { $0.name != "$defs" }))
        let missing = ([root] + definitions.values).flatMap(\.references).filter { definitions[$0] == nil }
        if let first = missing.first { throw Unsupported(description: "#/$defs/\(first) is not there") }
    }

    /// The faults of a value, each with its path; empty for a valid value.
    package func faults(in value: JSONValue) -> [String] {
        var faults: [String] = []
        check(value, root, "$", &faults)
        return faults
    }
}

// MARK: - Reading a schema

extension JSONSchema {
    /// A schema or subschema: all its checks must hold.
    fileprivate struct Rule {
        var checks: [Check] = []
        /// Subschemas of object members by name.
        var properties: [String: Rule] = [:]
        /// Subschemas of members whose names match a pattern.
        var patterns: [(name: Regex<AnyRegexOutput>, rule: Rule)] = []
        var others = Others.any

        init(_ schema: JSONValue) throws {
            guard case .object(let keywords) = schema else { throw Unsupported(description: "not a schema: \(schema)") }
            for keyword in keywords { try add(keyword.name, keyword.value) }
        }

        /// Names of the definitions that the rule refers to.
        var references: [String] {
            let own = checks.flatMap { check -> [String] in
                switch check {
                case .reference(let name): [name]
                case .items(let rule): rule.references
                case .exactlyOne(let rules), .anyOne(let rules): rules.flatMap(\.references)
                default: []
                }
            }
            let inOthers: [String] = if case .rule(let rule) = others { rule.references } else { [] }
            let inMembers = (Array(properties.values) + patterns.map(\.rule)).flatMap(\.references)
            return own + inMembers + inOthers
        }
    }

    /// The rule for members named by neither `properties` nor `patternProperties`.
    fileprivate indirect enum Others {
        case any, none
        case rule(Rule)
    }

    fileprivate indirect enum Check {
        case types([String])
        case oneOf([JSONValue])
        case pattern(Regex<AnyRegexOutput>, String)
        case range(minimum: Double, maximum: Double)
        case length(minimum: Int, maximum: Int)
        case characters(minimum: Int, maximum: Int)
        case members(minimum: Int, maximum: Int)
        case required([String])
        case dependent([String: [String]])
        case items(Rule)
        case exactlyOne([Rule])
        case anyOne([Rule])
        case reference(String)
    }
}

extension JSONSchema.Rule {
    fileprivate mutating func add(_ keyword: String, _ value: JSONValue) throws {
        switch (keyword, value) {
        case ("$schema", .string), ("title", .string), ("description", .string): break
        case ("type", .string(let type)): checks.append(.types([type]))
        case ("type", .array(let types)): checks.append(.types(try types.map(Self.string)))
        case ("enum", .array(let values)): checks.append(.oneOf(values))
        case ("const", _): checks.append(.oneOf([value]))
        case ("pattern", .string(let text)): checks.append(.pattern(try Regex(text), text))
        case ("minimum", _): checks.append(.range(minimum: try Self.number(value), maximum: .infinity))
        case ("maximum", _): checks.append(.range(minimum: -.infinity, maximum: try Self.number(value)))
        case ("minItems", .integer(let least)): checks.append(.length(minimum: least, maximum: .max))
        case ("maxItems", .integer(let most)): checks.append(.length(minimum: 0, maximum: most))
        case ("minLength", .integer(let least)): checks.append(.characters(minimum: least, maximum: .max))
        case ("maxLength", .integer(let most)): checks.append(.characters(minimum: 0, maximum: most))
        case ("minProperties", .integer(let least)): checks.append(.members(minimum: least, maximum: .max))
        case ("maxProperties", .integer(let most)): checks.append(.members(minimum: 0, maximum: most))
        case ("required", .array(let names)): checks.append(.required(try names.map(Self.string)))
        case ("dependentRequired", .object):
            checks.append(.dependent(try value.members.mapValues { try Self.strings($0) }))
        case ("items", .object): checks.append(.items(try Self(value)))
        case ("oneOf", .array(let rules)): checks.append(.exactlyOne(try rules.map { try Self($0) }))
        case ("anyOf", .array(let rules)): checks.append(.anyOne(try rules.map { try Self($0) }))
        case ("patternProperties", .object(let members)):
            patterns = try members.map { (try Regex($0.name), try Self($0.value)) }
        case ("properties", .object): properties = try value.members.mapValues { try Self($0) }
        case ("additionalProperties", .boolean(let isAllowed)): others = isAllowed ? .any : .none
        case ("additionalProperties", .object):
            others = .rule(try Self(value))
        case ("$ref", .string(let path)) where path.hasPrefix("#/$defs/"):
            checks.append(.reference(String(path.dropFirst("#/$defs/".count))))
        default: throw JSONSchema.Unsupported(description: "\(keyword): \(value)")
        }
    }

    private static func string(_ value: JSONValue) throws -> String {
        guard case .string(let text) = value else { throw JSONSchema.Unsupported(description: "not a text: \(value)") }
        return text
    }

    private static func number(_ value: JSONValue) throws -> Double {
        guard let number = value.number else { throw JSONSchema.Unsupported(description: "not a number: \(value)") }
        return number
    }

    private static func strings(_ value: JSONValue) throws -> [String] {
        guard case .array(let texts) = value else { throw JSONSchema.Unsupported(description: "not a list: \(value)") }
        return try texts.map(string)
    }
}

// MARK: - Checking a value

extension JSONSchema {
    private func check(_ value: JSONValue, _ rule: Rule, _ path: String, _ faults: inout [String]) {
        for check in rule.checks { self.check(value, check, path, &faults) }
        guard case .object(let members) = value else { return }
        for (name, member) in members.map({ ($0.name, $0.value) }) {
            if let property = rule.properties[name] {
                check(member, property, "\(path).\(name)", &faults)
                continue
            }
            let matching = rule.patterns.filter { name.firstMatch(of: $0.name) != nil }
            for pattern in matching { check(member, pattern.rule, "\(path).\(name)", &faults) }
            guard matching.isEmpty else { continue }
            switch rule.others {
            case .any: break
            case .none: faults.append("\(path).\(name): there is no such member")
            case .rule(let rule): check(member, rule, "\(path).\(name)", &faults)
            }
        }
    }

    private func check(_ value: JSONValue, _ check: Check, _ path: String, _ faults: inout [String]) {
        switch (check, value) {
        case (.types(let types), _):
            if !types.contains(where: value.isOfType) {
                faults.append("\(path): not \(types.joined(separator: " or "))")
            }
        case (.oneOf(let values), _):
            if !values.contains(value) { faults.append("\(path): \(value) is none of the values") }
        case (.pattern(let regex, let text), .string(let string)):
            if string.firstMatch(of: regex) == nil { faults.append("\(path): \(string) does not match \(text)") }
        case (.range(let minimum, let maximum), _):
            if let number = value.number, number < minimum || number > maximum {
                faults.append("\(path): \(number) is out of range")
            }
        case (.length(let minimum, let maximum), .array(let elements)):
            if elements.count < minimum || elements.count > maximum {
                faults.append("\(path): \(elements.count) items")
            }
        case (.characters(let minimum, let maximum), .string(let string)):
            let count = string.unicodeScalars.count
            if count < minimum || count > maximum { faults.append("\(path): \(count) characters") }
        case (.members(let minimum, let maximum), .object(let members)):
            if members.count < minimum || members.count > maximum { faults.append("\(path): \(members.count) members") }
        case (.required(let names), .object):
            for name in names where value[name] == nil { faults.append("\(path): \(name) is missing") }
        case (.dependent(let names), .object):
            for (name, needed) in names where value[name] != nil {
                for other in needed where value[other] == nil { faults.append("\(path): \(name) without \(other)") }
            }
        case (.items(let rule), .array(let elements)):
            for (index, element) in elements.enumerated() { self.check(element, rule, "\(path)[\(index)]", &faults) }
        case (.exactlyOne(let rules), _):
            let count = rules.count { holds($0, value) }
            if count != 1 { faults.append("\(path): \(count) of \(rules.count) alternatives hold") }
        case (.anyOne(let rules), _):
            if !rules.contains(where: { holds($0, value) }) { faults.append("\(path): none of the alternatives holds") }
        case (.reference(let name), _):
            if let rule = definitions[name] { self.check(value, rule, path, &faults) }
        default: break
        }
    }

    private func holds(_ rule: Rule, _ value: JSONValue) -> Bool {
        var faults: [String] = []
        check(value, rule, "", &faults)
        return faults.isEmpty
    }
}

extension JSONValue {
    fileprivate func isOfType(_ name: String) -> Bool {
        switch (name, self) {
        case ("null", .null), ("boolean", .boolean), ("number", .number), ("number", .integer),
            ("integer", .integer), ("string", .string), ("array", .array),
            ("object", .object):
            true
        case ("integer", .number(let number)): number == number.rounded()
        default: false
        }
    }
}

extension JSONValue {
    /// A YAML document as JSON, converted by the core schema of YAML 1.2 as editors do before they validate it.
    package init(_ node: YAMLNode) {
        switch node.content {
        case .list(let nodes): self = .array(nodes.map { JSONValue($0) })
        case .mapping(let entries):
            self = .object(entries.map { Member(name: $0.key.text, value: JSONValue($0.value)) })
        case .scalar(let scalar):
            if scalar.isNothing {
                self = .null
            } else if scalar.isPlain, let value = Form<Bool>.words[scalar.text] {
                self = .boolean(value)
            } else if scalar.isPlain, let number = Form<Double>.decimal(scalar.text) {
                self = Int(exactly: number).map { .integer($0) } ?? .number(number)
            } else {
                self = .string(scalar.text)
            }
        }
    }
}

extension Form<Bool> {
    fileprivate static var words: [String: Bool] { ["true": true, "false": false] }
}
