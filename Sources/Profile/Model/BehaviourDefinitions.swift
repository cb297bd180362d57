import Bluetooth

/// Section `sequences`: a state machine whose state a field holds.
package struct SequenceDefinition: Sendable {
    package var name: String
    package var title: String
    /// The type whose values carry the state.
    package var type: String
    /// The field with the state, an enumeration.
    package var state: String
    /// Names of the states that may come first; empty for any.
    package var initial: [String] = []
    package var transitions: [Transition]
    package var dialect: String?
    package var place: SourcePlace

    package struct Transition: Sendable {
        package var from: String
        package var to: [String]
        package var place: SourcePlace

        package init(from: String, to: [String], place: SourcePlace) {
            self.from = from
            self.to = to
            self.place = place
        }
    }

    package init(
        name: String, title: String, type: String, state: String, transitions: [Transition], place: SourcePlace
    ) {
        self.name = name
        self.title = title
        self.type = type
        self.state = state
        self.transitions = transitions
        self.place = place
    }
}

/// Section `times`: a time that describes the device or its client.
package struct TimeDefinition: Sendable {
    package var name: String
    package var seconds: Double
    /// Meaning, on one line.
    package var doc: String
    package var source: String?
    package var place: SourcePlace

    package init(name: String, seconds: Double, doc: String, source: String? = nil, place: SourcePlace) {
        self.name = name
        self.seconds = seconds
        self.doc = doc
        self.source = source
        self.place = place
    }
}

/// Section `rules`: what a device or its client must do.
package struct RuleDefinition: Sendable {
    package enum Role: String, Sendable, CaseIterable { case peripheral, client, traffic }
    package enum Severity: String, Sendable, CaseIterable { case error, warning }

    package var id: String
    package var text: String
    package var role: Role
    package var severity: Severity
    package var source: String?
    package var hint: String?
    package var dialect: String?
    /// Known misbehaviour of real firmware that breaks the rule: `Q-01`.
    package var quirk: String?
    /// Known misbehaviour that the rule describes; devices without it are exempt.
    package var assumed: String?
    package var kind: Kind
    package var place: SourcePlace

    package enum Kind: Sendable {
        /// Every value of a characteristic that the event names has one of these lengths.
        case length(on: EventPattern, ClosedRange<Int>)
        /// A condition over the value's fields that holds for every event.
        case check(on: EventPattern, Expression)
        /// A field's value never falls below the one before; with `by`, it rises by exactly that.
        case increases(on: EventPattern, field: String, by: Int?)
        /// State changes follow the named sequence.
        case sequence(String)
        /// After one event, another follows within a number of seconds.
        case reply(after: EventPattern, expect: EventPattern, within: Double)
        /// An event repeats with a period in seconds, within a tolerance.
        case period(on: EventPattern, seconds: Double, tolerance: Double)
        /// An event requires an earlier one.
        case order(on: EventPattern, needs: EventPattern)
        /// An event never follows another.
        case never(on: EventPattern, after: EventPattern)
        /// Swift code of the plugin checks it.
        case code
        /// Evaluated only with a twin or in a test that knows the device's state, not from traffic.
        case twin
        /// Every checksum matches its bytes. Implied if a type has a checksum.
        case checksums
        /// The values of this characteristic, and the responses to requests for it, match the plugin's oracle.
        /// Evaluated on request only.
        case oracle(String)
    }

    package init(id: String, text: String, role: Role, severity: Severity, kind: Kind, place: SourcePlace) {
        self.id = id
        self.text = text
        self.role = role
        self.severity = severity
        self.kind = kind
        self.place = place
    }
}

extension RuleDefinition {
    /// The implied checksum rule; nil if no type has a checksum.
    static func checksums(of types: [TypeDefinition], in header: Profile.Header) -> RuleDefinition? {
        guard types.contains(where: { $0.allFields.contains(where: \.isChecksum) }) else { return nil }
        return RuleDefinition(
            id: "\(header.id.uppercased())-CHECKSUM", text: "Checksums are those of their bytes.", role: .traffic,
            severity: .error, kind: .checksums, place: header.place)
    }
}

/// Selects the events that a rule or a reaction applies to.
package struct EventPattern: Sendable {
    /// Source of the events.
    package enum Subject: Sendable, Hashable {
        /// The value of a characteristic.
        case value
        /// The Client Characteristic Configuration of a characteristic.
        case configuration
        /// A message of section `messages`.
        case message
        /// Service data or manufacturer data in an advertisement.
        case advertisement
    }

    package var subject = Subject.value
    /// Nil for any.
    package var operation: OperationKind?
    /// Name of the characteristic or the message; for an advertisement, the type of the data, empty for any.
    package var characteristic: String
    /// Condition over the value's fields; nil for all values.
    package var condition: Expression?
    package var place: SourcePlace

    package var isConfiguration: Bool { subject == .configuration }
    package var isMessage: Bool { subject == .message }
    package var isAdvertisement: Bool { subject == .advertisement }

    /// Profile syntax: `notify current_state`, `write current_state.cccd`, `advertise`.
    package var words: String {
        switch subject {
        case .value: "\(operation?.rawValue ?? "any") \(characteristic)"
        case .configuration: "\(operation?.rawValue ?? "any") \(characteristic).cccd"
        case .message: "message \(characteristic)"
        case .advertisement: characteristic.isEmpty ? "advertise" : "advertise \(characteristic)"
        }
    }

    package init(
        _ subject: Subject = .value, operation: OperationKind?, characteristic: String,
        condition: Expression? = nil, place: SourcePlace
    ) {
        self.subject = subject
        self.operation = operation
        self.characteristic = characteristic
        self.condition = condition
        self.place = place
    }
}

/// Section `vectors`: a test vector, bytes with the value or the decoding error expected.
package struct Vector: Sendable {
    package enum Expectation: Sendable {
        /// Decoding yields this value, and encoding it yields the bytes.
        case value(Value)
        /// Decoding yields this value; other bytes may decode to the same value.
        case decoded(Value)
        /// Decoding fails with an error containing this text.
        case error(String)
    }

    package var id: String
    package var type: String
    package var bytes: [UInt8]
    package var expectation: Expectation
    package var doc: String?
    package var place: SourcePlace

    package init(id: String, type: String, bytes: [UInt8], expectation: Expectation, place: SourcePlace) {
        self.id = id
        self.type = type
        self.bytes = bytes
        self.expectation = expectation
        self.place = place
    }
}
