public import Bytes
public import Profile

/// What happens to a device, to its client and to the link between them, one step after the other, and what is to come
/// of it: the content of a scenario's file that was read and found right.
public struct Scenario: Sendable {
    /// In a line.
    public var title: String
    public var doc: String?
    /// The plugin whose device it is about.
    public var plugin: String
    /// Dialect that the device speaks; nil for the plugin's choice.
    public var dialect: String?
    /// The time at which it begins, where time is virtual; nil for the world's own.
    public var start: Timestamp?
    /// Which misbehaviour of the real firmware the device shows; nil for the user's choice.
    public var quirks: QuirkSelection?
    public var steps: [Step]
    /// Path of the file, as it is named in messages.
    public var file: String

    public init(title: String, plugin: String, steps: [Step], file: String) {
        self.title = title
        self.plugin = plugin
        self.steps = steps
        self.file = file
    }

    /// Whether a client has a part in it.
    public var needsClient: Bool {
        steps.contains { step in
            step.actions.contains { if case .client = $0 { true } else { false } }
                || [step.trigger, step.expectation?.event].contains { $0?.source == .client }
        }
    }
}

extension Scenario {
    /// First comes the wait, then what is done, then what is expected of it.
    public struct Step: Sendable {
        /// Since the scenario's beginning; nil to go on at once.
        public var time: Duration?
        /// What is waited for; nil to go on at once.
        public var trigger: Event?
        /// What people are told when its time has come; nil for nothing.
        public var text: String?
        public var actions: [Action]
        public var expectation: Expectation?
        /// How long the trigger and the expectation are waited for.
        public var limit: Duration
        /// Whether the step itself says how long.
        public var isTimed = false
        public var place: SourcePlace

        public init(place: SourcePlace) {
            actions = []
            limit = Self.usualLimit
            self.place = place
        }

        /// How long something is waited for unless the step says so.
        public static let usualLimit = Duration.seconds(30)
    }

    /// What is done.
    public enum Action: Hashable, Sendable {
        /// People are told something.
        case say(String)
        /// Something happens to the device.
        case device(Stimulus)
        /// The client's user wants something.
        case client(Stimulus)
        /// Nothing is done for so long.
        case timePasses(Duration)
        /// The link to the device's clients is lost, without a word.
        case dropLink
        /// The device has a fault from now on.
        case fault(ValueFault)
        /// Somebody who sees the client is asked whether something holds.
        case ask(String)
        /// The device has other attribute handles from now on, as after an update of its firmware.
        case changeServices
    }

    /// What has to come, or must not come, of what was done before.
    public struct Expectation: Sendable {
        public var event: Event
        /// Whether it must not come.
        public var isForbidden: Bool
    }

    /// What is waited for.
    public struct Event: Sendable {
        public enum Source: String, Hashable, Sendable, CaseIterable { case device, client }
        public enum Kind: Hashable, Sendable {
            /// The device or the client says so: `connected`, or one of its own notes.
            case note(String)
            /// A value is read, written or told; nil for any of these.
            case value(OperationKind?, characteristic: String)
        }

        public var source: Source
        public var kind: Kind
        /// Over the note's facts, or the value's fields; nil for all.
        public var condition: Expression?
        /// As it stands in the file.
        public var text: String
    }
}

/// A fault of a device: damaged values, refused requests, late answers.
public struct ValueFault: Hashable, Sendable {
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Values are not sent.
        case drop
        /// Values are sent twice.
        case duplicate
        /// One bit of each value is inverted.
        case corrupt
        /// Values lose their end.
        case truncate
        /// Values have surplus bytes at their end.
        case extend
        /// A value is sent after the one that follows it.
        case reorder
        /// Values are sent 200 times each.
        case flood
        /// Values, or bytes of them, are replaced by others.
        case replace
        /// Reads and writes are refused with an ATT error.
        case refuse
        /// Everything is sent late from now on.
        case delay
    }

    public var kind: Kind
    /// Name of a characteristic; nil for all.
    public var characteristic: String?
    /// Number of values or requests that are affected.
    public var count: Int
    /// Of `replace`: the bytes, and their offset; nil for the whole value.
    public var bytes: [UInt8] = []
    public var offset: Int?
    /// Of `refuse`: the ATT error code (Vol 3, Part F, 3.4.1.1).
    public var code: UInt8 = 0x0E
    /// Of `delay`: how late; zero ends the fault.
    public var delay = Duration.zero

    public init(_ kind: Kind, of characteristic: String? = nil, count: Int = 1) {
        self.kind = kind
        self.characteristic = characteristic
        self.count = count
    }
}
