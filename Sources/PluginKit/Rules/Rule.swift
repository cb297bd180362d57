public import Bytes
public import Profile

/// A rule in code that evaluates rules of a profile for one device over a whole capture.
///
/// A rule handles events in order and keeps as little state as possible, because captures can be of any length.
/// Connections and gaps state what was not captured (`Event.connection`); where such traffic matters, a rule is
/// inconclusive, not broken. Every device has its own instance.
public protocol Rule {
    /// The rules of the profile that this rule evaluates.
    var rules: [RuleIndex] { get }
    /// Kinds of events to handle, in addition to openings, closings and gaps, which every rule handles.
    var interests: Set<RuleInterest> { get }
    mutating func handle(_ event: Event, _ report: inout RuleReport)
    /// Decides pending cases: the capture ends, or the device is no longer followed.
    mutating func finish(_ end: CaptureEnd, _ report: inout RuleReport)
}

extension Rule {
    public mutating func finish(_ end: CaptureEnd, _ report: inout RuleReport) {}
}

/// A kind of event that a rule handles.
public enum RuleInterest: Hashable, Sendable {
    /// Parameters, encryption and security.
    case link
    /// Advertisements and the Device Name.
    case advertising
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
    /// The time of the last frame.
    public var time: Timestamp

    public init(time: Timestamp) {
        self.time = time
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
