package import Bytes
package import Profile

/// A validated scenario: a sequence of events that affect a device, its client and the link between them, with expected
/// results.
package struct Scenario: Sendable {
    /// Title, one line.
    package var title: String
    package var doc: String?
    /// Id of the plugin that describes the device.
    package var plugin: String
    /// Dialect of the device; nil for the plugin's default.
    package var dialect: String?
    /// Start in virtual time; nil for the world's default.
    package var start: Timestamp?
    /// Firmware quirks that the device shows; nil for the user's choice.
    package var quirks: QuirkSelection?
    package var steps: [Step]
    /// Path of the file, for messages.
    package var file: String

    package init(title: String, plugin: String, steps: [Step], file: String) {
        self.title = title
        self.plugin = plugin
        self.steps = steps
        self.file = file
    }

    /// Whether the scenario changes the radio path, which only the virtual radio has.
    package var needsVirtualRadio: Bool { steps.contains(where: \.needsVirtualRadio) }

    /// Whether the scenario involves a client.
    package var needsClient: Bool {
        steps.contains { step in
            step.actions.contains { if case .client = $0 { true } else { false } }
                || [step.trigger, step.expectation?.event].contains { $0?.source == .client }
        }
    }
}

extension Scenario {
    /// A step waits first, then performs its actions, then checks its expectation.
    package struct Step: Sendable {
        /// Start time, relative to the scenario's start; nil to proceed at once.
        package var time: Duration?
        /// Event to wait for; nil to proceed at once.
        package var trigger: Event?
        /// Message for people when the step starts; nil for none.
        package var text: String?
        package var actions: [Action]
        package var expectation: Expectation?
        /// Timeout for the trigger and for the expectation.
        package var limit: Duration
        /// Whether the step specifies the timeout itself.
        package var isTimed = false
        package var place: SourcePlace

        package init(place: SourcePlace) {
            actions = []
            limit = Self.usualLimit
            self.place = place
        }

        /// Whether an action changes the radio path.
        package var needsVirtualRadio: Bool {
            actions.contains { action in
                switch action {
                case .attenuate, .moveApart: true
                default: false
                }
            }
        }

        /// Timeout of a step that specifies none.
        package static let usualLimit = Duration.seconds(30)
    }

    package enum Action: Hashable, Sendable {
        /// Shows a message to people.
        case say(String)
        /// Applies a stimulus to the device.
        case device(Stimulus)
        case client(Stimulus)
        /// Pauses for this duration.
        case timePasses(Duration)
        /// Sets the path loss between the device and its clients, in dB.
        case attenuate(Double)
        /// Sets the distance between the device and its clients, in metres.
        case moveApart(Double)
        /// Drops the links to the device's clients without notice.
        case dropLink
        /// Makes the device disconnect its clients.
        case disconnect
        /// Makes a device with a `ProfileTwin` perform an action, as in a reaction.
        case act(EmulationDefinition.Reaction.Action)
        /// Gives the device this fault from now on.
        case fault(ValueFault)
        /// Asks a person observing the client whether a statement holds.
        case ask(String)
        /// Moves the device's attributes to other handles, as after a firmware update.
        case changeServices
    }

    /// An event that must occur, or must not occur, after the actions.
    package struct Expectation: Sendable {
        package var event: Event
        package var isForbidden: Bool
    }

    /// An event to match.
    package struct Event: Sendable {
        package enum Source: String, Hashable, Sendable, CaseIterable { case device, client }
        package enum Kind: Hashable, Sendable {
            /// A note of the device or the client: `connected`, or one defined by the plugin.
            case note(String)
            /// A value is read, written, notified or indicated; a nil operation matches any of these.
            case value(OperationKind?, characteristic: String)
        }

        package var source: Source
        package var kind: Kind
        /// Condition on the note's facts or the value's fields; nil matches all.
        package var condition: Expression?
        /// The event as written in the file.
        package var text: String
    }
}

/// A fault of a device: damaged values, refused requests, delayed packets.
package struct ValueFault: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Values are not sent.
        case drop
        /// Values are sent twice.
        case duplicate
        /// One bit of each value is inverted.
        case corrupt
        /// Values are truncated.
        case truncate
        /// Surplus bytes are appended to values.
        case extend
        /// A value is sent after the one that follows it.
        case reorder
        /// Values are sent 200 times each.
        case flood
        /// Values, or some of their bytes, are replaced.
        case replace
        /// Reads and writes are refused with an ATT error.
        case refuse
        /// All data packets are delayed from now on.
        case delay
    }

    package var kind: Kind
    /// Name of a characteristic; nil for all.
    package var characteristic: String?
    /// Number of affected values or requests.
    package var count: Int
    /// For `replace`: the bytes and their offset; a nil offset replaces the whole value.
    package var bytes: [UInt8] = []
    package var offset: Int?
    /// For `refuse`: the ATT error code (Vol 3, Part F, 3.4.1.1).
    package var code: UInt8 = 0x0E
    /// For `delay`: the delay; zero ends the fault.
    package var delay = Duration.zero

    package init(_ kind: Kind, of characteristic: String? = nil, count: Int = 1) {
        self.kind = kind
        self.characteristic = characteristic
        self.count = count
    }
}
