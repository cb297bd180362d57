package import Causes
import Conformance
package import Conversation
import PluginKit
import Profile

/// Finds the incidents of tracked batches: evaluates the rules of devices, then weighs the causes of each failure.
package final class Explanation {
    private let check: ConformanceCheck
    private let analysis: CauseAnalysis

    package init(_ plugins: PluginSet) {
        check = ConformanceCheck(plugins: plugins, coreRules: [])
        check.keepFailures()
        analysis = CauseAnalysis(plugins)
    }

    /// Whether a device had traffic before it was recognized: a second pass with the present knowledge finds more.
    var hasMissed: Bool { check.hasMissed }
    /// Number of incidents that were not kept.
    var omitted: Int { analysis.omitted }

    /// Adds the next batch of the capture.
    package func add(_ batch: borrowing TrackedBatch) {
        // The rules are evaluated first, so that a broken rule is known to the failure that follows from it.
        check.check(batch)
        addBrokenRules()
        analysis.add(batch)
    }

    /// Ends the capture.
    package func finish() {
        check.flush()
        addBrokenRules()
        analysis.finish()
    }

    /// Returns the incidents found since the last call.
    package func takeIncidents() -> [Incident] { analysis.takeIncidents() }

    private func addBrokenRules() {
        for failure in check.takeFailures()
        where failure.rule.plugin != nil && failure.rule.role == .peripheral && failure.severity == .error {
            analysis.add(
                BrokenRule(rule: failure.rule.id, title: failure.rule.text, frames: failure.finding.moments))
        }
    }
}
