public import Bytes
public import Profile

/// Rules that a profile declares and leaves to code, evaluated for one device over all of a capture.
///
/// A rule sees events in order and keeps no more state than it needs: a capture has no end. `LinkState` and gaps tell what
/// was not captured; what cannot be decided without it is inconclusive and not a failure. A rule is a value: the engine
/// copies the one that the plugin made for each device.
public protocol DeviceRule {
    /// The rules of the profile that it evaluates.
    var rules: [RuleIndex] { get }
    /// What it wants to see, beside openings, closings and gaps, which every rule sees.
    var interests: Set<RuleInterest> { get }
    /// Takes the next event.
    mutating func see(_ event: borrowing RuleEvent, _ report: inout RuleReport)
    /// The capture ends, or nothing more of the device comes: settles what is still open.
    mutating func finish(_ end: CaptureEnd, _ report: inout RuleReport)
}

extension DeviceRule {
    public mutating func finish(_ end: CaptureEnd, _ report: inout RuleReport) {}
}

/// Events that a rule wants to see.
public enum RuleInterest: Hashable, Sendable {
    /// Parameters, encryption and security.
    case link
    /// Advertisements and the Device Name.
    case advertising
    /// Data in advertisements that the profile has a type for.
    case advertisedContent
    /// Requests, responses and the exchange of the MTU.
    case requests
    case table
    /// Configurations and subscriptions.
    case subscriptions
    /// Values of a characteristic.
    case values(of: CharacteristicIndex)
    case allValues
    /// Messages in several values.
    case messages
}

/// The end of the traffic that a rule sees.
public struct CaptureEnd: Sendable {
    /// The time of the last frame.
    public var time: Timestamp

    public init(time: Timestamp) {
        self.time = time
    }
}

/// What happened that breaks a rule.
public struct Finding: Hashable, Sendable {
    /// Where to look, the frame that breaks the rule last.
    public var moments: [FrameReference]
    /// Bytes concerned.
    public var bytes: [UInt8]
    /// What the rule wants, in words: `level 830`.
    public var expected: String
    /// What there was.
    public var observed: String
    /// The known misbehaviour of real firmware that this is: `Q-01`.
    public var quirk: String?
    /// Whether something is missing before the frame, which nothing in the frame is the cause of.
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
