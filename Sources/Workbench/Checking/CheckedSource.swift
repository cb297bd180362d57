package import Bytes
package import Captures
package import Conformance
import Conversation

/// Checks live packets on their way to the printer, as `CheckJob` checks a capture.
///
/// A batch is checked when the next one is requested, so its findings follow its frames.
package final class CheckedSource: PacketSource {
    package var name: String { source.name }
    package let isSeekable = false

    private let source: any PacketSource
    private let job: CheckJob
    private let follower: ConversationTracker
    private let check: ConformanceCheck
    private let notify: ([FoundFailure], Timestamp) throws -> Void
    private var batch = TrackedBatch()
    /// Packets returned to the caller but not checked yet.
    private var pending: PacketBatch?
    private var start = Timestamp(nanoseconds: 0)

    /// Calls `notify` with the failures as they are found, and the time of the first packet.
    package init(
        _ source: any PacketSource, _ job: CheckJob, notify: @escaping ([FoundFailure], Timestamp) throws -> Void
    ) {
        self.source = source
        self.job = job
        self.notify = notify
        follower = job.makeFollower()
        check = job.makeCheck()
        check.keepFailures()
    }

    package func next() async throws -> PacketBatch? {
        try checkPending()
        pending = try await source.next()
        return pending
    }

    /// Checks the last batch and returns the outcome. Call this after `next()` has returned nil.
    package func finish() throws -> CheckJob.Outcome {
        try checkPending()
        let outcome = job.outcome(of: [check], follower, named: name)
        try reportFailures()
        return outcome
    }

    package func reuse(_ batch: consuming PacketBatch) {}
    package func rewind() {}
    package func limitBatches(to bytes: Int) { source.limitBatches(to: bytes) }

    private func checkPending() throws {
        guard let packets = pending else { return }
        pending = nil
        batch.fill(packets)
        follower.follow(&batch)
        check.check(batch)
        start = batch.start
        _ = batch.empty()
        try reportFailures()
    }

    private func reportFailures() throws {
        let failures = check.takeFailures()
        if !failures.isEmpty { try notify(failures, start) }
    }
}
