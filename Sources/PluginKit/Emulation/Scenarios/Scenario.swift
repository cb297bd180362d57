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
        /// Harm is done to values that the device tells.
        case fault(ValueFault)
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

/// Harm that is done to values on their way from a device to its clients.
public struct ValueFault: Hashable, Sendable {
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// They are not told.
        case drop
        /// They are told twice.
        case duplicate
        /// One bit of each is turned over.
        case corrupt
        /// They lose their end.
        case truncate
    }

    public var kind: Kind
    /// Name of a characteristic; nil for all.
    public var characteristic: String?
    /// To so many values it is done; after that there is no harm any more.
    public var count: Int

    public init(_ kind: Kind, of characteristic: String? = nil, count: Int = 1) {
        self.kind = kind
        self.characteristic = characteristic
        self.count = count
    }
}
