import Bluetooth
import PluginKit
import Profile

/// Client Characteristic Configurations and the notifications that they allow (section 3.1).
struct SubscriptionRules: Rule {
    var rules: [RuleIndex] { [.aq028, .aq030] }
    var interests: Set<RuleInterest> { [.subscriptions, .allValues] }

    /// Characteristics whose configuration was written.
    private var written: Set<CharacteristicIndex> = []

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        if let attribute = event.value {
            if attribute.operation == .notify { check(attribute, event, &report) }
        } else if case .configuration(let access) = event.content {
            check(access, event, &report)
        }
    }

    /// AQ-030
    private mutating func check(_ access: ConfigurationAccess, _ event: Event, _ report: inout RuleReport) {
        if access.operation == .write {
            if access.isEffectiveWrite { written.insert(access.characteristic) }
            return
        }
        if written.contains(access.characteristic) { return }
        guard event.connection.isComplete else {
            return report.inconclusive(.aq030, "what was written before was not captured whole")
        }
        if access.bytes.array == [0, 0] { return report.pass(.aq030) }
        report.fail(
            .aq030, expected: "0x0000 before anything was written",
            observed: "\(access.characteristic.name) is subscribed to")
    }

    /// AQ-028
    private func check(_ attribute: AttributeValue, _ event: Event, _ report: inout RuleReport) {
        switch event.isSubscribed(to: attribute.characteristic) {
        case true?: report.pass(.aq028)
        case false?:
            report.fail(
                .aq028, expected: "nothing before a subscription to \(attribute.characteristic.name)",
                observed: "a notification")
        case nil where event.hasRefusedSubscription(to: attribute.characteristic):
            report.fail(
                .aq028, expected: "nothing after a refused subscription to \(attribute.characteristic.name)",
                observed: "a notification")
        case nil: report.inconclusive(.aq028, "whether the client has subscribed was not captured")
        }
    }
}
