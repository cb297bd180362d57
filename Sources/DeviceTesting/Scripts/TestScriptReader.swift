import Bluetooth
import Bytes
import Emulation
package import PluginKit
package import Profile

/// Reads test scripts; docs/testing-a-device.md describes the format.
package enum TestScriptReader {
    /// Parses the cases of a text; messages name `file` as its path. Throws all faults.
    package static func read(
        _ text: String, file: String, _ plugin: DevicePlugin
    ) throws(TestScriptFaults) -> TestScript {
        let faults = FaultList()
        let forms = ScriptForms(plugin: plugin, words: plugin.vocabulary, file: file)
        let script = YAMLDocument.read(text, faults).flatMap { forms.script.read($0, faults) }
        guard let script, faults.isEmpty else {
            throw TestScriptFaults(faults: ProfileFaults(file: file, faults.faults))
        }
        return script
    }
}

/// All faults of a test script.
package struct TestScriptFaults: Error, Hashable, Sendable, CustomStringConvertible {
    package var faults: ProfileFaults

    package var description: String { "invalid tests\n\(faults)" }
}

/// The grammar of a test script, with the vocabulary of one plugin.
struct ScriptForms {
    let plugin: DevicePlugin
    let words: ScenarioVocabulary
    let file: String

    /// Maximum number of cases of one file, counting every combination of parameters.
    private static let limit = 2000

    var script: Form<TestScript> {
        Form(mapping: "a file of cases") { keys in
            let role: RuleDefinition.Role = keys.has("situations") ? .client : .peripheral
            let title = keys.require(role == .client ? "situations" : "tests", .text)
            _ = keys.take("doc", .text)
            _ = keys.require("plugin", .word([(plugin.id, plugin.id)]))
            let dialect = keys.take("dialect", .word(words.dialects.map { ($0, $0) }))
            var script = TestScript(title: title ?? "", role: role, plugin: plugin.id, file: file)
            if role == .client {
                script.delivery = keys.take("stored", delivery)
            } else {
                let wake = keys.take("wake", ScenarioForms(words: words).actions) ?? []
                script.wake = wake.compactMap { action(of: $0) }
            }
            let shared = keys.take("let", derived) ?? []
            let cases = keys.require("cases", .list(of: testCase(role, of: dialect, shared))) ?? []
            if title == nil { return nil }
            script.cases = Array(cases.joined().prefix(Self.limit))
            return script
        }
    }

    /// A case, once for each combination of its parameters. It inherits the dialect and variables of the file.
    private func testCase(
        _ role: RuleDefinition.Role, of dialect: String?, _ shared: [(name: String, value: YAMLNode)]
    ) -> Form<[ScriptCase]> {
        Form("a case") { node, faults in
            var quirks: YAMLNode?
            let header = Form<(ScriptCase, [(name: String, value: [String])])>(mapping: "a case") { keys in
                let id = keys.require("id", .line)
                let title = keys.require("title", .line)
                let rule = keys.take("rule", .word(plugin.profile.profile.rules.map { ($0.id, $0.id) }))
                _ = keys.take("doc", .text)
                let known = Form<String>.word(words.quirks.map { ($0, $0) })
                let quirk = keys.take("quirk", known)
                let assumed = keys.take("assumes", known)
                let own = keys.take("dialect", .word(words.dialects.map { ($0, $0) }))
                let tags = keys.take("tags", .list(of: .text)) ?? []
                let severity = keys.take("severity", Form<RuleDefinition.Severity>.word) ?? .error
                let parameters = keys.take("for", parameters) ?? []
                let derived = keys.take("let", derived) ?? []
                var one = ScriptCase(
                    id: id ?? "", title: title ?? "", rule: rule, quirk: quirk, assumed: assumed, tags: Set(tags),
                    dialect: own ?? dialect, severity: severity, parameters: [:], derived: shared + derived, setup: [],
                    steps: keys.require("steps", steps) ?? [], cleanup: [], file: file, place: keys.place)
                if role == .client {
                    quirks = keys.take("quirks", Form("quirks") { node, _ in node })
                } else {
                    one.setup = keys.take("setup", steps) ?? []
                    one.cleanup = keys.take("cleanup", steps) ?? []
                }
                return id == nil || title == nil ? nil : (one, parameters)
            }
            guard let (one, parameters) = header.read(node, faults) else { return nil }
            return Self.combinations(of: parameters).map { parameters in
                // Steps are valid for all parameters or for none, except for numbers out of range.
                var variant = variant(of: one, parameters)
                if role == .client {
                    let quirks = quirks?.substituting(variant.variables(faults), faults)
                    variant.quirks = quirks.flatMap { Form<QuirkSelection>.quirks(words).read($0, faults) }
                    _ = variant.steps(words, faults)
                } else {
                    lint(variant, faults)
                }
                return variant
            }
        }
    }

    private var parameters: Form<[(name: String, value: [String])]> {
        let values = Form<[String]>.list(of: Form("a value") { node, _ in node.scalar?.text })
        return named("names and their values, like {records: [0, 1, 20]}", values)
    }

    /// `{chunks: $(($records + 16) / 17)}`: variables derived from the parameters.
    private var derived: Form<[(name: String, value: YAMLNode)]> {
        named("names and their values", Form("a value") { node, _ in node })
    }

    /// A mapping with keys chosen by the file's author.
    private func named<Content>(
        _ expected: String, _ content: Form<Content>
    ) -> Form<[(name: String, value: Content)]> {
        Form<[(key: String, value: Content, place: SourcePlace)]>.entries(expected, .text, content).map { entries in
            entries.map { ($0.key, $0.value) }
        }
    }

    /// The combinations of the parameters' values, in which the last parameter changes fastest; limited to the maximum
    /// number of cases.
    private static func combinations(of parameters: [(name: String, value: [String])]) -> [[(String, String)]] {
        parameters.reduce([[]]) { all, parameter in
            // The product is evaluated lazily because it can be larger than memory.
            Array(all.lazy.flatMap { one in parameter.value.lazy.map { one + [(parameter.name, $0)] } }.prefix(limit))
        }
    }

    /// The case with these parameters: `sync[records=17,mtu=23]`.
    private func variant(of one: ScriptCase, _ values: [(String, String)]) -> ScriptCase {
        var variant = one
        if values.isEmpty { return variant }
        variant.id += "[\(values.map { "\($0.0)=\($0.1)" }.joined(separator: ","))]"
        variant.parameters = Dictionary(values) { first, _ in first }
        return variant
    }

    /// Checks all steps with their variables, or with 1 for variables assigned only at run time.
    private func lint(_ one: ScriptCase, _ faults: FaultList) {
        var variables = one.variables(faults)
        variables["now"] = "1772434800"
        for node in one.setup + one.steps + one.cleanup { lint(node, &variables, faults) }
    }

    private func lint(_ node: YAMLNode, _ variables: inout [String: String], _ faults: FaultList) {
        guard let step = step.read(node.substituting(variables, faults), faults) else { return }
        switch step {
        case .read(_, let outcome), .require(_, let outcome, _), .write(_, _, _, let outcome),
            .expect(_, let outcome, _), .never(_, let outcome, _):
            for kept in outcome.kept { variables[kept.name] = "1" }
        case .untilLost(let nodes): for node in nodes { lint(node, &variables, faults) }
        case .loop(_, let nodes):
            variables["index"] = "0"
            for node in nodes { lint(node, &variables, faults) }
        default: break
        }
    }

    /// The hand action for a scenario's action; nil for actions that only a twin can perform.
    func action(of action: Scenario.Action) -> HandAction? {
        guard case .device(let stimulus) = action else { return nil }
        guard let definition = words.stimuli.first(where: { $0.name == stimulus.name }) else { return nil }
        let amount = stimulus.amount.flatMap { definition.amount?.text($0) }.map { " \($0)" } ?? ""
        return HandAction(stimulus, text: "\(stimulus.name)\(amount): \(definition.title)")
    }
}

// MARK: - Steps

extension ScriptForms {
    private static let kinds = [
        "do", "connect", "disconnect", "lose_link", "subscribe", "unsubscribe", "read", "require", "write",
        "write_command", "send", "expect", "never", "until_lost", "repeat",
    ]

    /// Unparsed steps: their variables are not known yet.
    private var steps: Form<[YAMLNode]> { .list(of: Form("a step") { node, _ in node }) }

    /// One step, with its expected outcome.
    var step: Form<ScriptStep> {
        let whole = Form<ScriptStep>(mapping: "a step, like {read: \(words.characteristics.first ?? "name")}") { keys in
            let present = Self.kinds.filter { keys.has($0) }
            guard let kind = present.first else {
                keys.missing("one of \(Self.kinds.joined(separator: ", "))")
                keys.passOver()
                return nil
            }
            for other in present.dropFirst() { keys.report("cannot stand beside \"\(kind)\"", at: other) }
            _ = keys.take("say", .text)
            return step(kind, keys)
        }
        return Form(whole.expected) { node, faults in
            guard let word = node.scalar?.text else { return whole.read(node, faults) }
            switch word {
            case "connect": return .connect(mtu: nil, within: LowerTester.searchTime)
            case "disconnect": return .disconnect
            case "lose_link": return .loseLink(after: nil)
            default:
                faults.add("expected a step, found \(node.described)", at: node)
                return nil
            }
        }
    }

    private func step(_ kind: String, _ keys: Keys) -> ScriptStep? {
        switch kind {
        case "do": return keys.take("do", ScenarioForms(words: words).actions).map { .perform($0) }
        case "connect":
            let within = keys.take("within", Form<Double>.duration).map { Duration.seconds($0) }
            let mtu = keys.take("connect", settings).flatMap(\.self)
            return .connect(mtu: mtu, within: within ?? LowerTester.searchTime)
        case "disconnect":
            _ = keys.take("disconnect", settings)
            return .disconnect
        case "lose_link":
            let after = Form<Int?>(mapping: "nothing, or {after: 3}") { $0.require("after", .integer(1...100_000)) }
            return .loseLink(after: keys.take("lose_link", after).flatMap(\.self))
        case "subscribe", "unsubscribe":
            let one = characteristic
            let names = Form<[String]>.either(one.map { [$0] }, orList: .list(of: one))
            return keys.take(kind, names).map { .subscribe($0, isOn: kind == "subscribe") }
        case "read":
            let name = keys.take("read", characteristic)
            let outcome = outcome(keys)
            return name.map { .read($0, outcome) }
        case "require":
            let name = keys.take("require", characteristic)
            let outcome = outcome(keys)
            if outcome.condition == nil, !keys.has("where") { keys.missing("a condition: \"where\"") }
            let reason = keys.require("otherwise", .text)
            guard let name, let reason else { return nil }
            return .require(name, outcome, otherwise: reason)
        case "write", "write_command":
            let name = keys.take(kind, characteristic)
            let bytes = name.flatMap { value(of: $0, keys) }
            let outcome = outcome(keys)
            guard let name, let bytes else { return nil }
            return .write(name, bytes, isCommand: kind == "write_command", outcome)
        case "send":
            let bytes = keys.take("send", .bytes)
            let response = keys.take("response", .bytes)
            return bytes.map { .send($0, response: response) }
        case "expect", "never":
            let event = keys.take(kind, event)
            let limit = keys.take("within", Form<Double>.duration).map { Duration.seconds($0) } ?? .seconds(30)
            let outcome = outcome(keys)
            return event.map {
                kind == "never" ? .never($0, outcome, within: limit) : .expect($0, outcome, within: limit)
            }
        case "until_lost":
            return keys.take("until_lost", steps).map { .untilLost($0) }
        default:
            let count = keys.take("repeat", .integer(0...100_000))
            let nodes = keys.require("steps", steps)
            guard let count, let nodes else { return nil }
            return .loop(count, nodes)
        }
    }

    /// `{mtu: 247}`, or nothing.
    private var settings: Form<UInt16?> {
        let whole = Form<UInt16?>(mapping: "nothing, or {mtu: 247}") { keys in
            keys.take("mtu", .integer(23...0xFFFF)).map { UInt16($0) }
        }
        return Form(whole.expected) { node, faults in node.isNothing ? .some(nil) : whole.read(node, faults) }
    }

    private var characteristic: Form<String> { .word(words.characteristics.map { ($0, $0) }) }

    private var event: Form<ScriptStep.Event> {
        let expected =
            "an event, like \"notify \(words.characteristics.first ?? "name")\", \"disconnected\" or \"advertising\""
        return Form(expected) { node, faults in
            let words = (node.scalar?.text ?? "").split(separator: " ").map(String.init)
            switch words.first {
            case "advertising" where words.count == 1: return .advertising
            case "disconnected" where words.count == 1: return .disconnected
            case let word? where words.count == 2:
                guard word == "any" || ["notify", "indicate"].contains(word), case .scalar(var scalar) = node.content
                else { break }
                var name = node
                scalar.text = words[1]
                name.content = .scalar(scalar)
                return characteristic.read(name, faults).map { .value(OperationKind(rawValue: word), $0) }
            default: break
            }
            faults.add("expected \(expected), found \(node.described)", at: node)
            return nil
        }
    }

    private func outcome(_ keys: Keys) -> ScriptStep.Outcome {
        var outcome = ScriptStep.Outcome()
        outcome.condition = keys.take("where", .condition)
        outcome.kept = keys.take("keep", kept) ?? []
        outcome.error = keys.take("error", error)
        return outcome
    }

    /// `{pending: count}`: variables and the expressions assigned to them.
    private var kept: Form<[(name: String, value: Expression)]> {
        named("variables and expressions, like {pending: count}", .expression)
    }

    /// `any`, the name of an error in the specification, or its number.
    private var error: Form<ScriptStep.ExpectedError> {
        Form("any, the name of an ATT error, or its number") { node, faults in
            node.scalar?.text == "any" ? .any : Form<UInt8>.attributeError.read(node, faults).map { .code($0) }
        }
    }

    /// `bytes`, or `value` with the fields of the characteristic's type.
    private func value(of name: String, _ keys: Keys) -> [UInt8]? {
        if keys.has("bytes") {
            if keys.has("value") { keys.report("cannot stand beside \"bytes\"", at: "value") }
            return keys.take("bytes", Form<[UInt8]>.either(orNothing: .bytes))
        }
        let form = Form<[UInt8]>("the fields of what is written to \(name)") { node, faults in
            do {
                return try TestedDevice(plugin, dialect: nil, allDialects: true).bytes(of: Value(node), for: name)
            } catch {
                faults.add("\(error)", at: node)
                return nil
            }
        }
        return keys.require("value", form)
    }
}

extension Form where Value == [UInt8] {
    /// Bytes, or an empty text for none.
    fileprivate static func either(orNothing form: Form<[UInt8]>) -> Self {
        Form(form.expected) { node, faults in node.scalar?.text == "" ? [] : form.read(node, faults) }
    }
}

extension Value {
    /// The value of a node: plain scalars that look like numbers or booleans are read as such. The type of the field
    /// decides how they are converted.
    init(_ node: YAMLNode) {
        switch node.content {
        case .list(let nodes): self = .list(nodes.map { Value($0) })
        case .mapping(let entries):
            var record = Record()
            record.fields = entries.map { ($0.key.text, Value($0.value)) }
            self = .record(record)
        case .scalar(let scalar):
            if !scalar.isPlain {
                self = .text(scalar.text)
            } else if let whole = Int64(scalar.text) {
                self = .integer(whole)
            } else if let whole = Self.unsigned(scalar.text) {
                self = Int64(exactly: whole).map { .integer($0) } ?? .unsigned(whole)
            } else if let number = Form<Double>.decimal(scalar.text) {
                self = .real(number)
            } else {
                self = ["true": .boolean(true), "false": .boolean(false)][scalar.text] ?? .text(scalar.text)
            }
        }
    }

    /// An unsigned number, decimal or `0x` and hexadecimal; nil for any other text or beyond 64 bits.
    private static func unsigned(_ text: String) -> UInt64? {
        text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16) : UInt64(text)
    }
}
