import PluginKit
package import Profile

/// A validated file of a plugin's test cases.
package struct TestScript: Sendable {
    package var title: String
    /// The side under test: a device, or its client.
    package var role: RuleDefinition.Role
    /// Id of the plugin that describes the device.
    package var plugin: String
    /// Actions that wake the device when it is not found.
    package var wake: [HandAction] = []
    /// Records that a client under test must store; nil where storage is not tested.
    package var delivery: DeliveryDefinition?
    package var cases: [ScriptCase] = []
    package var file: String
}

/// A case of a script, with its parameters. Its steps are read again when they run, because they may use variables
/// assigned in earlier steps.
package struct ScriptCase: Sendable {
    package var id: String
    package var title: String
    package var rule: String?
    /// The quirk (known misbehaviour) that makes it fail, and the quirk that it requires.
    var quirk: String?
    var assumed: String?
    package var tags: Set<String>
    /// Dialect of the devices; nil for all.
    var dialect: String?
    var severity: RuleDefinition.Severity
    /// Parameter values that distinguish this case from the others made from the same entry of the file.
    var parameters: [String: String]
    /// Variables derived from the parameters.
    var derived: [(name: String, value: YAMLNode)]
    var setup: [YAMLNode]
    var steps: [YAMLNode]
    var cleanup: [YAMLNode]
    /// Quirks of the emulated device for a client; nil for those of the run.
    var quirks: QuirkSelection?
    var file: String
    var place: SourcePlace
}

/// A step of a case.
enum ScriptStep {
    /// Actions performed on the device by hand.
    case perform([Scenario.Action])
    case connect(mtu: UInt16?, within: Duration)
    case disconnect
    /// The tester drops the link: at once, or after a number of further ATT PDUs from the device.
    case loseLink(after: Int?)
    case subscribe([String], isOn: Bool)
    case read(String, Outcome)
    /// A precondition on a value; otherwise the case is skipped with the reason.
    case require(String, Outcome, otherwise: String)
    case write(String, [UInt8], isCommand: Bool, Outcome)
    /// A raw PDU, and the expected beginning of its response.
    case send([UInt8], response: [UInt8]?)
    case expect(Event, Outcome, within: Duration)
    case never(Event, Outcome, within: Duration)
    case loop(Int, [YAMLNode])
    /// Steps during which the link may be lost; the remaining ones are then skipped.
    case untilLost([YAMLNode])

    /// Whether the step is a preparation: its failure says nothing about the case's rule.
    var isPreparation: Bool {
        switch self {
        case .perform, .connect, .disconnect, .loseLink, .subscribe, .require: true
        case .read, .write, .send, .expect, .never, .loop, .untilLost: false
        }
    }

    var isConnection: Bool { if case .connect = self { true } else { false } }

    /// An event seen by the tester.
    enum Event {
        case advertising
        case disconnected
        case value(OperationKind?, String)
    }

    /// The expected outcome of a request, or the condition on a value.
    struct Outcome {
        var condition: Expression?
        /// Variables assigned from expressions over the fields.
        var kept: [(name: String, value: Expression)] = []
        /// The expected error of a request; nil for success.
        var error: ExpectedError?
    }

    enum ExpectedError {
        case any
        case code(UInt8)
    }
}
