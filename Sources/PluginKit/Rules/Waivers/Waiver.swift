public import Bytes
public import Profile

/// An accepted failure of a rule on a device or a firmware.
public struct Waiver: Hashable, Sendable {
    /// Id of the rule.
    public var rule: String
    /// Name or address of the device; nil for every device.
    public var device: String?
    /// Firmware revision that the device reports; nil for every firmware.
    public var firmware: String?
    public var reason: String
    /// Link to the discussion.
    public var link: String?
    /// The last day on which the waiver applies; nil if it never expires.
    public var expires: CivilDate?
    /// Position of the waiver in its file.
    public var place: SourcePlace

    public init(rule: String, reason: String, place: SourcePlace) {
        self.rule = rule
        self.reason = reason
        self.place = place
    }

    /// Whether the waiver no longer applies.
    public func isExpired(on day: CivilDate) -> Bool { expires.map { $0 < day } ?? false }

    /// Whether the waiver covers a rule that was broken by a device.
    public func concerns(rule: String, title: String?, address: String?, firmware: String?) -> Bool {
        guard rule == self.rule else { return false }
        if let device, device != title, device.lowercased() != address?.lowercased() { return false }
        return self.firmware == nil || self.firmware == firmware
    }
}
