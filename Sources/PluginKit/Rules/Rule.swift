public import Bluetooth
public import Bytes
public import Profile

/// A rule: it checks the traffic of its scope.
///
/// A rule handles events in order and keeps as little state as possible, because captures can be of any length. It uses
/// neither files nor clocks. Connections and gaps state what was not captured (`Event.connection`); where such traffic
/// matters, a rule is inconclusive, not broken.
///
/// A rule is a struct. Each connection, device, advertiser or capture, depending on `scope`, gets a copy of the rule as
/// it was made; copies share the objects that the rule refers to. Only a rule of scope `device` may be a class.
public protocol Rule {
    /// The rules of the profile that this rule evaluates; empty for a rule that is in no profile.
    var rules: [RuleIndex] { get }
    /// The traffic that one instance handles; `connection` by default.
    var scope: RuleScope { get }
    /// Kinds of events to handle. Rules of a profile also handle openings, closings and gaps.
    var interests: Set<RuleInterest> { get }
    mutating func handle(_ event: Event, _ report: inout RuleReport)
    /// Settles pending cases: after the end of the connection, at the end of the capture, or when the device or
    /// advertiser is no longer followed.
    mutating func finish(_ end: CaptureEnd, _ report: inout RuleReport)
}

extension Rule {
    public var rules: [RuleIndex] { [] }
    public var scope: RuleScope { .connection }
    public mutating func finish(_ end: CaptureEnd, _ report: inout RuleReport) {}
}

/// The traffic that one instance of a rule handles.
public enum RuleScope: Sendable {
    /// A connection; for rules of a profile, a connection of one device.
    case connection
    /// A device that a profile describes: its advertisements and all its connections.
    case device
    /// All advertisements of one address.
    case advertiser
    /// The capture: commands and events between a host and its controller.
    case capture
}

/// A kind of event that a rule handles.
public enum RuleInterest: Hashable, Sendable {
    /// Openings, closings and gaps of connections.
    case connections
    /// Parameters, encryption and security.
    case link
    /// Advertisements and the Device Name.
    case advertising

    /// ATT PDUs of an opcode.
    case att(ATT.Opcode)
    case allATT
    case smp
    case signals
    /// PDUs of other L2CAP channels.
    case channels
    /// Closings of enhanced ATT bearers.
    case bearers
    case commands
    case events
    case control

    /// Advertised data that the profile has a type for.
    case advertisedContent
    /// Requests, responses and the MTU exchange.
    case requests
    case table
    /// Configurations and subscriptions.
    case subscriptions
    /// Values of a characteristic.
    case values(of: CharacteristicIndex)
    case allValues
    /// Application messages assembled from several values.
    case messages
}

/// The end of the traffic that a rule handles.
public struct CaptureEnd: Sendable {
    /// The time of the last frame. For a connection, the last time at which its sides could communicate: a lost
    /// connection ended one supervision timeout before the loss was reported.
    public var time: Timestamp
    /// Whether the connection was closed, so that the capture may continue.
    public var isClosing: Bool

    public init(time: Timestamp, isClosing: Bool = false) {
        self.time = time
        self.isClosing = isClosing
    }
}

/// A case in which a rule was broken.
public struct Finding: Hashable, Sendable {
    /// The frames involved; the last one breaks the rule.
    public var moments: [FrameReference]
    /// The bytes involved.
    public var bytes: [UInt8]
    /// The behaviour that the rule requires, in words: `level 830`.
    public var expected: String
    /// The behaviour observed, in words.
    public var observed: String
    /// Id of the firmware quirk that explains the finding: `Q-01`.
    public var quirk: String?
    /// Whether something is missing before the last frame, which is no consequence of that frame's content.
    public var isOmission: Bool

    public init(
        moments: [FrameReference], bytes: [UInt8] = [], expected: String, observed: String, quirk: String? = nil,
        isOmission: Bool = false
    ) {
        self.moments = moments
        self.bytes = bytes
        self.expected = expected
        self.observed = observed
        self.quirk = quirk
        self.isOmission = isOmission
    }
}
