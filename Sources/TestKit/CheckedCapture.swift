package import Captures
package import Conformance
package import Conversation
package import PluginKit

/// A recording that was judged, in memory: what tests of rules ask.
package struct CheckedCapture {
    package let report: CheckReport
    /// Whether going through the capture again would tell more; it was done.
    package let wentTwice: Bool
    /// What was announced while it was judged.
    package let news: [FoundFailure]

    /// Judges a recording by the profiles' rules, and those of the specification that are given; with `asksOracle`, also
    /// by the twins of its devices.
    package init(
        _ recording: Recording, plugins: [DevicePlugin] = [], core: [any CoreRule.Type] = [], asksOracle: Bool = false
    ) {
        self.init([recording.batch], plugins: PluginSet(plugins), core: core, asksOracle: asksOracle)
    }

    /// The same of what a reader gives.
    package init(
        _ batches: [PacketBatch], plugins: PluginSet = .none, core: [any CoreRule.Type] = [], asksOracle: Bool = false
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
            return check
        }
        var check = judge(follower)
        wentTwice = check.hasMissed
        if wentTwice { check = judge(follower.restarted()) }
        report = check.finish()
        news = check.takeFailures()
    }

    /// The verdicts of a rule, over all connections.
    package func verdicts(_ rule: String) -> [Verdict] { results(rule).map(\.verdict) }

    /// The last frame of each finding of a rule.
    package func frames(_ rule: String) -> [Int] {
        results(rule).flatMap { $0.tally.findings.compactMap { $0.moments.last?.frame } }
    }

    /// The findings of a rule.
    package func findings(_ rule: String) -> [Finding] { results(rule).flatMap(\.tally.findings) }

    /// Ids of all rules of severity error that are broken.
    package var broken: Set<String> {
        Set(report.results.filter { $0.verdict == .fail }.map { report.rules[$0.rule].id })
    }

    private func results(_ rule: String) -> [RuleResult] { report.results.filter { report.rules[$0.rule].id == rule } }
}
