package import Causes
package import Conversation

/// Explains live traffic on its way to the printer, as `WhyJob` explains a capture: the incidents of a connection are
/// found when it ends.
package final class LiveExplanation: BatchObserver {
    private let explanation: Explanation
    private let notify: ([Incident]) throws -> Void
    /// Whether a cause was found so far.
    package private(set) var hasCause = false

    /// Calls `notify` with the incidents as they are found.
    package init(_ plugins: PluginSet, notify: @escaping ([Incident]) throws -> Void) {
        explanation = Explanation(plugins)
        self.notify = notify
    }

    package func observe(_ batch: borrowing TrackedBatch) throws {
        explanation.add(batch)
        try reportIncidents()
    }

    package func finish(_ follower: ConversationTracker) throws {
        explanation.finish()
        try reportIncidents()
    }

    private func reportIncidents() throws {
        let incidents = explanation.takeIncidents()
        if incidents.isEmpty { return }
        hasCause = hasCause || incidents.contains { $0.cause != nil }
        try notify(incidents)
    }
}
