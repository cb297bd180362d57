import Bluetooth
import Bytes
import Emulation
import Host
package import PluginKit
import Profile

extension TestScript {
    /// The script's cases for devices of a dialect.
    package func testCases(_ plugin: DevicePlugin, dialect: String?) -> [TestCase] {
        cases.filter { $0.dialect == nil || $0.dialect == dialect }.map { one in
            var testCase = TestCase(
                one.id, one.title, source: "\(file):\(one.place.line)", tags: one.tags.union(["script"])
            ) { tester in
                try ScriptRunner(one, ScriptForms(plugin: plugin, words: plugin.vocabulary, file: one.file), tester)
                    .run()
            }
            testCase.rule = one.rule
            testCase.quirk = one.quirk
            testCase.assumed = one.assumed
            testCase.severity = one.severity
            return testCase
        }
    }
}

/// Runs the steps of a case.
private final class ScriptRunner {
    private let testCase: ScriptCase
    private let forms: ScriptForms
    private let tester: LowerTester
    private var variables: [String: String]
    private var stage = Stage.setup

    private enum Stage { case setup, steps, cleanup }

    init(_ testCase: ScriptCase, _ forms: ScriptForms, _ tester: LowerTester) {
        self.testCase = testCase
        self.forms = forms
        self.tester = tester
        variables = testCase.variables(FaultList())
        variables["now"] = "\(tester.now.nanoseconds / 1_000_000_000)"
    }

    func run() throws {
        for node in testCase.setup { try perform(node) }
        stage = .steps
        defer {
            stage = .cleanup
            for node in testCase.cleanup { try? perform(node) }
        }
        for node in testCase.steps { try perform(node) }
    }

    private func perform(_ node: YAMLNode) throws {
        let faults = FaultList()
        guard let step = forms.step.read(node.substituting(variables, faults), faults), faults.isEmpty else {
            throw TestStop.inconclusive(faults.faults.first?.line(in: testCase.file) ?? "a step cannot be read")
        }
        do {
            try perform(step, at: node.place)
        } catch TestStop.failed(let expected, let observed) {
            let expected = "line \(node.place.line): \(expected)"
            switch stage {
            case .setup where !step.isConnection:
                throw TestStop.inconclusive("the set-up failed: expected \(expected); observed \(observed)")
            case .setup: tester.hasFailedPreparing = true
            case .steps where step.isPreparation: tester.hasFailedPreparing = true
            case .steps, .cleanup: break
            }
            throw TestStop.failed(expected: expected, observed: observed)
        }
    }

    private func perform(_ step: ScriptStep, at place: SourcePlace) throws {
        switch step {
        case .perform(let actions): for action in actions { try perform(action) }
        case .connect(let mtu, let limit): try tester.connect(mtu: mtu, within: limit)
        case .disconnect: try tester.disconnect()
        case .loseLink(nil): try tester.loseLink()
        case .loseLink(let count?): tester.loseLink(after: count)
        case .subscribe(let names, let isOn): for name in names { try tester.subscribe(name, isOn: isOn) }
        case .read(let name, let outcome): try read(name, outcome)
        case .require(let name, let outcome, let reason):
            tester.coverage.add(.read, of: name)
            let bytes = try tester.value(at: tester.handle(of: name), "the value of \(name)")
            guard holds(outcome.condition, bytes, .read, name) else { throw TestStop.notApplicable(reason) }
            keep(outcome.kept, bytes, .read, name)
        case .write(let name, let bytes, let isCommand, let outcome): try write(name, bytes, isCommand, outcome)
        case .send(let bytes, let response):
            let answer = try tester.send(bytes) ?? []
            if let response, !answer.starts(with: response) {
                throw TestStop.failed(expected: "a response that begins \(response.words)", observed: answer.words)
            }
        case .expect(let event, let outcome, let limit): try expect(event, outcome, limit)
        case .never(let event, let outcome, let limit): try never(event, outcome, limit)
        case .untilLost(let nodes):
            do {
                for node in nodes { try perform(node) }
            } catch TestStop.failed where tester.connection == nil {
                tester.forgetReceived()
            }
        case .loop(let count, let nodes):
            for index in 0..<count {
                variables["index"] = "\(index)"
                for node in nodes { try perform(node) }
            }
        }
    }

    private func perform(_ action: Scenario.Action) throws {
        switch action {
        case .timePasses(let duration):
            guard tester.bed.isVirtual || tester.deadline != nil || duration <= TestRun.Options.longestPause else {
                throw TestStop.notApplicable("lets \(duration.words) pass; --timeout allows it")
            }
            try tester.wait(duration)
        case .device:
            guard let hand = forms.action(of: action) else { return }
            try tester.bed.perform(hand)
        default: throw TestStop.notApplicable("only a twin can do that")
        }
    }

    // MARK: - Requests

    private func read(_ name: String, _ outcome: ScriptStep.Outcome) throws {
        tester.coverage.add(outcome.error == nil ? .read : .readRefused, of: name)
        switch try tester.read(tester.handle(of: name)) {
        case .success(let bytes):
            if outcome.error != nil { throw TestStop.failed(expected: "an error", observed: "a value: \(bytes.words)") }
            try check(bytes, .read, name, outcome)
        case .failure(let code): try check(code, of: "the value of \(name)", outcome)
        }
    }

    private func write(
        _ name: String, _ bytes: [UInt8], _ isCommand: Bool, _ outcome: ScriptStep.Outcome
    ) throws {
        tester.coverage.add(isCommand ? .writeCommand : .write, of: name)
        let handle = try tester.handle(of: name)
        // A value received before the request is not a reply to it.
        tester.forgetReceived()
        if isCommand { return try tester.writeCommand(handle, bytes) }
        if let code = try tester.write(handle, bytes) {
            try check(code, of: "Write Response", outcome)
        } else if outcome.error != nil {
            throw TestStop.failed(expected: "an error", observed: "Write Response")
        }
    }

    private func check(_ code: ATT.ErrorCode, of what: String, _ outcome: ScriptStep.Outcome) throws {
        switch outcome.error {
        case .any: return
        case .code(code.rawValue): return
        case .code(let wanted):
            throw TestStop.failed(expected: ATT.ErrorCode(rawValue: wanted).words, observed: code.words)
        case nil: throw TestStop.failed(expected: what, observed: code.words)
        }
    }

    // MARK: - Events

    private func expect(_ event: ScriptStep.Event, _ outcome: ScriptStep.Outcome, _ limit: Duration) throws {
        switch event {
        case .advertising:
            if try !tester.isAdvertising(within: limit) {
                throw TestStop.failed(expected: "advertising within \(limit.words)", observed: "none")
            }
        case .disconnected:
            try tester.wait(until: tester.now + limit) { tester.connection == nil }
            guard tester.connection == nil else {
                throw TestStop.failed(expected: "a disconnection within \(limit.words)", observed: "none")
            }
            let reason = tester.disconnectReason?.rawValue ?? 0
            let value = Value.record(["reason": .integer(Int64(reason))])
            if let condition = outcome.condition, !condition.holds(over: [], value) {
                throw TestStop.failed(
                    expected: "a disconnection where \(condition.text)",
                    observed: "reason \(tester.disconnectReason?.name ?? "\(reason)")")
            }
        case .value(let operation, let name):
            var last: [UInt8]?
            let found = try tester.next(operation, of: name, within: limit) { value in
                last = value.bytes
                return holds(outcome.condition, value.bytes, value.operation, name)
            }
            guard let found else {
                let condition = outcome.condition.map { " where \($0.text)" } ?? ""
                throw TestStop.failed(
                    expected: "\(operation?.rawValue ?? "any") \(name)\(condition) within \(limit.words)",
                    observed: tester.connection == nil
                        ? "the connection was lost" : last.map { "last was \(words($0, name))" } ?? "none")
            }
            tester.coverage.add(.sent, of: name)
            keep(outcome.kept, found.bytes, found.operation, name)
        }
    }

    private func never(_ event: ScriptStep.Event, _ outcome: ScriptStep.Outcome, _ limit: Duration) throws {
        switch event {
        case .advertising:
            if try tester.isAdvertising(within: limit) {
                throw TestStop.failed(expected: "no advertising for \(limit.words)", observed: "advertising")
            }
        case .disconnected:
            try tester.wait(until: tester.now + limit) { tester.connection == nil }
            if tester.connection == nil {
                throw TestStop.failed(
                    expected: "a connection for \(limit.words)",
                    observed: "disconnected: \(tester.disconnectReason?.name ?? "?")")
            }
        case .value(let operation, let name):
            let found = try tester.next(operation, of: name, within: limit) { value in
                holds(outcome.condition, value.bytes, value.operation, name)
            }
            if let found {
                let condition = outcome.condition.map { " where \($0.text)" } ?? ""
                throw TestStop.failed(
                    expected: "no \(operation?.rawValue ?? "value of") \(name)\(condition) for \(limit.words)",
                    observed: words(found.bytes, name))
            }
        }
    }

    // MARK: - Values

    private func check(
        _ bytes: [UInt8], _ operation: OperationKind, _ name: String, _ outcome: ScriptStep.Outcome
    ) throws {
        if let condition = outcome.condition, !holds(condition, bytes, operation, name) {
            throw TestStop.failed(expected: "\(name) where \(condition.text)", observed: words(bytes, name, operation))
        }
        keep(outcome.kept, bytes, operation, name)
    }

    private func holds(
        _ condition: Expression?, _ bytes: [UInt8], _ operation: OperationKind, _ name: String
    ) -> Bool {
        condition?.holds(over: bytes, tester.fields(of: bytes, operation, name) ?? .absent) ?? true
    }

    private func keep(
        _ kept: [(name: String, value: Expression)], _ bytes: [UInt8], _ operation: OperationKind, _ name: String
    ) {
        let scope = ValueScope(tester.fields(of: bytes, operation, name) ?? .absent)
        for (name, expression) in kept {
            switch expression.evaluate(over: bytes.span.rawBytes, in: scope) {
            case .integer(let number): variables[name] = "\(number)"
            case .real(let number): variables[name] = "\(number)"
            case .boolean(let value): variables[name] = "\(value)"
            case .text(let text): variables[name] = text
            default: variables[name] = nil
            }
        }
    }

    /// A value with the profile's field names, else its bytes.
    private func words(_ bytes: [UInt8], _ name: String, _ operation: OperationKind = .notify) -> String {
        tester.fields(of: bytes, operation, name).map(\.json) ?? bytes.words
    }
}

extension Expression {
    fileprivate func holds(over bytes: [UInt8], _ value: Value) -> Bool {
        holds(over: bytes.span.rawBytes, in: ValueScope(value))
    }
}
