import Bytes
import Profile

/// A line of a program that controls an emulated device: a step of a scenario, or a question.
package struct ControlLine: Sendable {
    package enum Content: Sendable {
        case step(Scenario.Step)
        /// What the device is like now.
        case state
        /// What can be done to the device.
        case stimuli
        /// The emulation ends.
        case stop
    }

    /// The request's id as JSON, which its reply repeats; `null` for a request without one.
    package var id: String
    package var content: Content

    /// Why a line is no request.
    package struct Fault: Error, Hashable, Sendable {
        /// The id as JSON, as far as the line has one.
        package var id: String
        package var text: String
    }

    /// Reads a line, in the words of a plugin. JSON is read by the rules of YAML, of which it is a part.
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
    /// What stands under the keys of a request beside `id`.
    fileprivate func request(_ keys: Keys, id: String) -> ControlLine? {
        let questions: [(String, ControlLine.Content)] = [("state", .state), ("stimuli", .stimuli)]
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
