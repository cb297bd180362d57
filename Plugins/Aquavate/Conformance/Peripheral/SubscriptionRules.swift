import Bluetooth
import PluginKit
import Profile

/// What subscriptions do (section 3.1).
struct SubscriptionRules: PuckRule {
    var rules: [RuleIndex] { [.aq028, .aq030] }
    var interests: Set<RuleInterest> { [.subscriptions, .allValues] }

    /// Characteristics of a connection whose configuration was written.
    private var written = PerConnection<Set<CharacteristicIndex>>()

    mutating func see(_ event: PuckEvent, on link: PuckLink?, _ report: inout RuleReport) {
        if let attribute = event.attribute {
            if attribute.operation == .notify { judge(attribute, event, link, &report) }
            return
        }
        switch event.content {
        case .closed: written[event.connection] = nil
        case .configuration(let access): judge(access, event, &report)
        default: return
        }
    }

    /// AQ-030
    private mutating func judge(_ access: ConfigurationAccess, _ event: PuckEvent, _ report: inout RuleReport) {
        if access.operation == .write {
            if access.isEffectiveWrite { written[event.connection, default: []].insert(access.characteristic) }
            return
        }
        if written[event.connection]?.contains(access.characteristic) == true { return }
        guard event.link.isComplete else {
            return report.inconclusive(.aq030, "what was written before was not captured whole")
        }
        if access.bytes.array == [0, 0] { return report.pass(.aq030) }
        report.fail(
            .aq030, expected: "0x0000 before anything was written",
            observed: "\(access.characteristic.name) is subscribed to")
    }

    /// AQ-028
    private func judge(
        _ attribute: AttributeValue, _ event: PuckEvent, _ link: PuckLink?, _ report: inout RuleReport
    ) {
        switch link?.isSubscribed(attribute.characteristic, event.link) {
        case true?: report.pass(.aq028)
        case false?:
            report.fail(
                .aq028, expected: "nothing before a subscription to \(attribute.characteristic.name)",
                observed: "a notification")
        case nil where link?.hasRefused(attribute.characteristic, event.link) == true:
            report.fail(
                .aq028, expected: "nothing after a refused subscription to \(attribute.characteristic.name)",
                observed: "a notification")
        case nil: report.inconclusive(.aq028, "whether the client has subscribed was not captured")
        }
    }
}
