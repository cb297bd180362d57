package import Bytes
package import Conformance
package import Conversation

/// Checks live packets on their way to the printer, as `CheckJob` checks a capture.
package final class LiveCheck: BatchObserver {
    private let name: String
    private let job: CheckJob
    private let check: ConformanceCheck
    private let notify: ([FoundFailure], Timestamp) throws -> Void
    private var start = Timestamp(nanoseconds: 0)
    /// The outcome, once the capture has ended.
    package private(set) var outcome: CheckJob.Outcome?

    /// `name` is that of the capture. Calls `notify` with the failures as they are found, and the time of the first
    /// packet.
    package init(_ name: String, _ job: CheckJob, notify: @escaping ([FoundFailure], Timestamp) throws -> Void) {
        self.name = name
        self.job = job
        self.notify = notify
        check = job.makeCheck()
        check.keepFailures()
    }

    package func observe(_ batch: borrowing TrackedBatch) throws {
        check.check(batch)
        start = batch.start
        try reportFailures()
    }

    package func finish(_ follower: ConversationTracker) throws {
        outcome = job.outcome(of: [check], follower, named: name)
        try reportFailures()
    }

    private func reportFailures() throws {
        let failures = check.takeFailures()
        if !failures.isEmpty { try notify(failures, start) }
    }
}
