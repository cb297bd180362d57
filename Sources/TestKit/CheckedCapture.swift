package import Captures
package import Conformance
package import Conversation
package import PluginKit

/// A checked recording, in memory, with the queries that tests of rules need.
package struct CheckedCapture {
    package let report: CheckReport
    /// Whether a second pass was needed, because packets preceded the identification of their device.
    package let wentTwice: Bool
    /// Failures reported during the check.
    package let news: [FoundFailure]

    /// Checks a recording with the rules of the profiles and the given rules of the specification; with `asksOracle`,
    /// also with the devices' twins.
    package init(
        _ recording: Recording, plugins: [DevicePlugin] = [], core: [any SpecificationRule.Type] = [],
        asksOracle: Bool = false
    ) {
        self.init([recording.batch], plugins: PluginSet(plugins), core: core, asksOracle: asksOracle)
    }

    /// Checks the batches of a reader.
    package init(
        _ batches: [PacketBatch], plugins: PluginSet = .none, core: [any SpecificationRule.Type] = [],
        asksOracle: Bool = false
    ) {
        let follower = ConversationTracker(plugins)
        func judge(_ follower: ConversationTracker) -> ConformanceCheck {
            let check = ConformanceCheck(plugins: plugins, coreRules: core, asksOracle: asksOracle)
            check.keepFailures()
            for packets in batches {
                var batch = TrackedBatch()
                batch.fill(packets)
                follower.follow(&batch)
                check.check(batch)
            }
            check.flush()
            return check
        }
        var check = judge(follower)
        wentTwice = check.hasMissed
        if wentTwice { check = judge(follower.restarted()) }
        report = check.finish()
        news = check.takeFailures()
    }

    /// The verdicts of a rule over all connections.
    package func verdicts(_ rule: String) -> [Verdict] { results(rule).map(\.verdict) }

    /// The last frame of each finding of a rule.
    package func frames(_ rule: String) -> [Int] {
        results(rule).flatMap { $0.tally.findings.compactMap { $0.moments.last?.frame } }
    }

    package func findings(_ rule: String) -> [Finding] { results(rule).flatMap(\.tally.findings) }

    /// Ids of all broken rules of severity error.
    package var broken: Set<String> {
        Set(report.results.filter { $0.verdict == .fail }.map { report.rules[$0.rule].id })
    }

    private func results(_ rule: String) -> [RuleResult] { report.results.filter { report.rules[$0.rule].id == rule } }
}
