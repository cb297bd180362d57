package import Bytes
package import Profile

/// What happens to a device, to its client and to the link between them, one step after the other, and what is to come
/// of it: the content of a scenario's file that was read and found right.
package struct Scenario: Sendable {
    /// In a line.
    package var title: String
    package var doc: String?
    /// The plugin whose device it is about.
    package var plugin: String
    /// Dialect that the device speaks; nil for the plugin's choice.
    package var dialect: String?
    /// The time at which it begins, where time is virtual; nil for the world's own.
    package var start: Timestamp?
    /// Which misbehaviour of the real firmware the device shows; nil for the user's choice.
    package var quirks: QuirkSelection?
    package var steps: [Step]
    /// Path of the file, as it is named in messages.
    package var file: String

    package init(title: String, plugin: String, steps: [Step], file: String) {
        self.title = title
        self.plugin = plugin
        self.steps = steps
        self.file = file
    }

    /// Whether a client has a part in it.
    package var needsClient: Bool {
        steps.contains { step in
            step.actions.contains { if case .client = $0 { true } else { false } }
                || [step.trigger, step.expectation?.event].contains { $0?.source == .client }
        }
    }
}

extension Scenario {
    /// First comes the wait, then what is done, then what is expected of it.
    package struct Step: Sendable {
        /// Since the scenario's beginning; nil to go on at once.
        package var time: Duration?
        /// What is waited for; nil to go on at once.
        package var trigger: Event?
        /// What people are told when its time has come; nil for nothing.
        package var text: String?
        package var actions: [Action]
        package var expectation: Expectation?
        /// How long the trigger and the expectation are waited for.
        package var limit: Duration
        /// Whether the step itself says how long.
        package var isTimed = false
        package var place: SourcePlace

        package init(place: SourcePlace) {
            actions = []
            limit = Self.usualLimit
            self.place = place
        }

        /// How long something is waited for unless the step says so.
        package static let usualLimit = Duration.seconds(30)
    }

    /// What is done.
    package enum Action: Hashable, Sendable {
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
        /// The device disconnects its clients.
        case disconnect
        /// A device that is nothing but its profile does something, as in a reaction.
        case act(EmulationDefinition.Reaction.Action)
        /// The device has a fault from now on.
        case fault(ValueFault)
        /// Somebody who sees the client is asked whether something holds.
        case ask(String)
        /// The device has other attribute handles from now on, as after an update of its firmware.
        case changeServices
    }

    /// What has to come, or must not come, of what was done before.
    package struct Expectation: Sendable {
        package var event: Event
        /// Whether it must not come.
        package var isForbidden: Bool
    }

    /// What is waited for.
    package struct Event: Sendable {
        package enum Source: String, Hashable, Sendable, CaseIterable { case device, client }
        package enum Kind: Hashable, Sendable {
            /// The device or the client says so: `connected`, or one of its own notes.
            case note(String)
            /// A value is read, written or told; nil for any of these.
            case value(OperationKind?, characteristic: String)
        }

        package var source: Source
        package var kind: Kind
        /// Over the note's facts, or the value's fields; nil for all.
        package var condition: Expression?
        /// As it stands in the file.
        package var text: String
    }
}

/// A fault of a device: damaged values, refused requests, late answers.
package struct ValueFault: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
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

    package var kind: Kind
    /// Name of a characteristic; nil for all.
    package var characteristic: String?
    /// Number of values or requests that are affected.
    package var count: Int
    /// Of `replace`: the bytes, and their offset; nil for the whole value.
    package var bytes: [UInt8] = []
    package var offset: Int?
    /// Of `refuse`: the ATT error code (Vol 3, Part F, 3.4.1.1).
    package var code: UInt8 = 0x0E
    /// Of `delay`: how late; zero ends the fault.
    package var delay = Duration.zero

    package init(_ kind: Kind, of characteristic: String? = nil, count: Int = 1) {
        self.kind = kind
        self.characteristic = characteristic
        self.count = count
    }
}
