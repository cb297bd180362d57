import Bytes
import Profile

/// A request line from a program that controls an emulated device: a scenario step or a query.
package struct ControlLine: Sendable {
    package enum Content: Sendable {
        case step(Scenario.Step)
        /// Queries the device's current state.
        case state
        /// Queries the stimuli of the device.
        case stimuli
        /// Queries the contents of the device's display.
        case display
        /// Ends the emulation.
        case stop
    }

    /// The request's id as JSON, which its reply repeats; `null` for a request without one.
    package var id: String
    package var content: Content

    /// An invalid request line.
    package struct Fault: Error, Hashable, Sendable {
        /// The id as JSON, if the line has a valid one; otherwise `null`.
        package var id: String
        package var text: String
    }

    /// Reads a line with a plugin's vocabulary. JSON is parsed as YAML, of which it is a subset.
    package init(reading line: String, words: ScenarioVocabulary) throws(Fault) {
        let faults = FaultList()
        var id = Self.noID
        let forms = ScenarioForms(words: words)
        let form = Form<ControlLine>(mapping: "a request, like {\"id\": 1, \"do\": \"drop_link\"}") { keys in
            id = keys.take("id", .requestID) ?? id
            return forms.request(keys, id: id)
        }
        let request = YAMLDocument.read(line, faults).flatMap { form.read($0, faults) }
        guard let request, faults.isEmpty else {
            let texts = faults.faults.map { fault in
                fault.place.line == 1 ? "column \(fault.place.column): \(fault.text)" : fault.text
            }
            throw Fault(id: id, text: texts.isEmpty ? "expected \(form.expected)" : texts.joined(separator: "; "))
        }
        self = request
    }

    fileprivate init(id: String, _ content: Content) {
        self.id = id
        self.content = content
    }

    static let noID = "null"
}

extension ScenarioForms {
    /// Reads the members of a request other than `id`.
    fileprivate func request(_ keys: Keys, id: String) -> ControlLine? {
        let questions: [(String, ControlLine.Content)] = [
            ("state", .state), ("stimuli", .stimuli), ("display", .display),
        ]
        if keys.has("get") { return keys.take("get", .word(questions)).map { ControlLine(id: id, $0) } }
        if keys.has("stop") {
            if keys.take("stop", Form<Bool>.boolean) == false { keys.report("expected true", at: "stop") }
            return ControlLine(id: id, .stop)
        }
        var step = step(keys)
        if let fault = keys.take("fault", fault) { step.actions.append(.fault(fault)) }
        if let span = keys.take("advance", Form<Double>.duration) { step.actions.append(.timePasses(.seconds(span))) }
        if !keys.hasAny(Self.stepKeys + ["fault", "advance"]) {
            keys.missing("one of \(Advice.list(Self.stepKeys + ["fault", "advance", "get", "stop"]))")
        }
        return ControlLine(id: id, .step(step))
    }
}

extension Form where Value == String {
    /// A number or a text of at most 64 characters, as JSON.
    fileprivate static var requestID: Self {
        Form(scalar: "a whole number, or a text of at most 64 characters") { scalar in
            guard scalar.text.count <= 64 else { return nil }
            if scalar.isPlain { return Int(scalar.text).map(String.init) }
            var text = TextWriter(capacity: 64)
            text.writeJSON(scalar.text)
            return String(decoding: text.bytes, as: UTF8.self)
        }
    }
}
