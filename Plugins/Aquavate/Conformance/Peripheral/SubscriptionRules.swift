import ATT
import PluginKit
import Profile

/// What subscriptions do (section 3.1).
struct SubscriptionRules: PuckRules {
    var rules: [RuleIndex] { [.aq028, .aq030] }
    var interests: Set<ConformanceInterest> { [.subscriptions, .allValues] }

    /// Characteristics of a connection whose configuration was written.
    private var written = PerConnection<Set<CharacteristicIndex>>()

    mutating func see(_ sight: Sight, _ report: inout JudgeReport) {
        switch sight.event.content {
        case .closed: written[sight.connection] = nil
        case .configuration(let access): judge(access, sight, &report)
        case .value(let told) where told.operation == .notify: judge(told, sight, &report)
        default: return
        }
    }

    /// AQ-030
    private mutating func judge(_ access: ConfigurationAccess, _ sight: Sight, _ report: inout JudgeReport) {
        if access.operation == .write {
            written[sight.connection, default: []].insert(access.characteristic)
            return
        }
        if written[sight.connection]?.contains(access.characteristic) == true { return }
        guard sight.link.isComplete else {
            return report.inconclusive(.aq030, "what was written before was not captured whole")
        }
        if access.bytes.array == [0, 0] { return report.pass(.aq030) }
        report.fail(
            .aq030, expected: "0x0000 before anything was written",
            observed: "\(access.characteristic.name) is subscribed to")
    }

    /// AQ-028
    private func judge(_ told: AttributeValue, _ sight: Sight, _ report: inout JudgeReport) {
        switch sight.puck?.isSubscribed(told.characteristic, sight.link) {
        case true?: report.pass(.aq028)
        case false?:
            report.fail(
                .aq028, expected: "nothing before a subscription to \(told.characteristic.name)",
                observed: "a notification")
        case nil: report.inconclusive(.aq028, "whether the client has subscribed was not captured")
        }
    }
}
