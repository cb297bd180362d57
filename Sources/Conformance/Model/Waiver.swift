package import PluginKit

/// Excuses a rule that a device or a firmware breaks.
package struct Waiver: Hashable, Sendable {
    /// Id of the rule.
    package var rule: String
    /// Name or address of the device; nil for every device.
    package var device: String?
    /// Firmware revision that the device tells; nil for every firmware.
    package var firmware: String?
    package var reason: String
    /// Where it is discussed.
    package var link: String?
    /// First moment at which it excuses nothing any more, in nanoseconds since 1970; nil for never.
    package var expiry: Int64?
    /// Where it stands in its file.
    package var place: SourcePlace

    package init(rule: String, reason: String, place: SourcePlace) {
        self.rule = rule
        self.reason = reason
        self.place = place
    }
}
