public import Bytes
public import Profile

/// Excuses a rule that a device or a firmware breaks.
public struct Waiver: Hashable, Sendable {
    /// Id of the rule.
    public var rule: String
    /// Name or address of the device; nil for every device.
    public var device: String?
    /// Firmware revision that the device tells; nil for every firmware.
    public var firmware: String?
    public var reason: String
    /// Where it is discussed.
    public var link: String?
    /// The last day on which it excuses; nil for no end.
    public var expires: CivilDate?
    /// Where it stands in its file.
    public var place: SourcePlace

    public init(rule: String, reason: String, place: SourcePlace) {
        self.rule = rule
        self.reason = reason
        self.place = place
    }

    /// Whether it excuses nothing any more.
    public func isExpired(on day: CivilDate) -> Bool { expires.map { $0 < day } ?? false }

    /// Whether it is about a rule that a device breaks.
    public func concerns(rule: String, title: String?, address: String?, firmware: String?) -> Bool {
        guard rule == self.rule else { return false }
        if let device, device != title, device.lowercased() != address?.lowercased() { return false }
        return self.firmware == nil || self.firmware == firmware
    }
}
