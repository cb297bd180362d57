import PluginKit
package import Profile

/// A file of cases that a plugin brings: what its text says, found right.
package struct TestScript: Sendable {
    package var title: String
    /// Who is tested: a device, or a client of one.
    package var role: RuleDefinition.Role
    /// The plugin whose device it is about.
    package var plugin: String
    /// What wakes the device when it is not to be found.
    package var wake: [HandAction] = []
    /// What a client under test has to store; nil where that is not tested.
    package var delivery: DeliveryDefinition?
    package var cases: [ScriptCase] = []
    package var file: String
}

/// A case of a script, with its parameters. Its steps are read again when their turn comes: they may use what was kept
/// from a value before.
package struct ScriptCase: Sendable {
    package var id: String
    package var title: String
    package var rule: String?
    /// The known misbehaviour that makes it fail, and the one that it is about.
    var quirk: String?
    var assumed: String?
    package var tags: Set<String>
    /// Dialect of the devices; nil for all.
    var dialect: String?
    var severity: RuleDefinition.Severity
    /// What is chosen for this one of the cases that the file's case stands for.
    var parameters: [String: String]
    /// Variables that come of them.
    var derived: [(name: String, value: YAMLNode)]
    var setup: [YAMLNode]
    var steps: [YAMLNode]
    var cleanup: [YAMLNode]
    /// The quirks of the device that a client meets; nil for those of the run.
    var quirks: QuirkSelection?
    var file: String
    var place: SourcePlace
}

/// A step of a case.
enum ScriptStep {
    /// Something is done to the device by hand.
    case perform([Scenario.Action])
    case connect(mtu: UInt16?, within: Duration)
    case disconnect
    /// The tester loses the link: at once, or after a number of further ATT PDUs of the device.
    case loseLink(after: Int?)
    case subscribe([String], isOn: Bool)
    case read(String, Outcome)
    /// A value that the case needs to be as it says; else the case is skipped with the reason.
    case require(String, Outcome, otherwise: String)
    case write(String, [UInt8], isCommand: Bool, Outcome)
    /// A PDU as it stands, and how its response begins.
    case send([UInt8], response: [UInt8]?)
    case expect(Event, Outcome, within: Duration)
    case never(Event, Outcome, within: Duration)
    case loop(Int, [YAMLNode])
    /// Steps in whose course the link may be lost: what is left of them is left out then.
    case untilLost([YAMLNode])

    /// Whether it prepares what the case is about: its failure says nothing of the case's rule.
    var isPreparation: Bool {
        switch self {
        case .perform, .connect, .disconnect, .loseLink, .subscribe, .require: true
        case .read, .write, .send, .expect, .never, .loop, .untilLost: false
        }
    }

    var isConnection: Bool { if case .connect = self { true } else { false } }

    /// What the tester sees.
    enum Event {
        case advertising
        case disconnected
        case value(OperationKind?, String)
    }

    /// What has to come of a request or a value.
    struct Outcome {
        var condition: Expression?
        /// Variables that take the values of expressions over the fields.
        var kept: [(name: String, value: Expression)] = []
        /// How a request is refused; nil for success.
        var error: ExpectedError?
    }

    enum ExpectedError {
        case any
        case code(UInt8)
    }
}
