package import Captures
package import Conversation

/// Receives the batches of a live capture, once their conversation is tracked.
package protocol BatchObserver: AnyObject {
    func observe(_ batch: borrowing TrackedBatch) throws
    /// Ends the capture.
    func finish(_ follower: ConversationTracker) throws
}

/// Live packets on their way to the printer, which are tracked for observers.
///
/// A batch is observed when the next one is requested, so that what is found follows its frames.
package final class FollowedSource: PacketSource {
    package var name: String { source.name }
    package let isSeekable = false

    private let source: any PacketSource
    private let follower: ConversationTracker
    private let observers: [any BatchObserver]
    private var batch = TrackedBatch()
    /// Packets returned to the caller but not observed yet.
    private var pending: PacketBatch?

    package init(_ source: any PacketSource, _ follower: ConversationTracker, _ observers: [any BatchObserver]) {
        self.source = source
        self.follower = follower
        self.observers = observers
    }

    package func next() async throws -> PacketBatch? {
        try observePending()
        pending = try await source.next()
        return pending
    }

    /// Observes the last batch and ends the capture. Call this after `next()` has returned nil.
    package func finish() throws {
        try observePending()
        for observer in observers { try observer.finish(follower) }
    }

    package func reuse(_ batch: consuming PacketBatch) {}
    package func rewind() {}
    package func limitBatches(to bytes: Int) { source.limitBatches(to: bytes) }

    private func observePending() throws {
        guard let packets = pending else { return }
        pending = nil
        batch.fill(packets)
        follower.follow(&batch)
        for observer in observers { try observer.observe(batch) }
        _ = batch.empty()
    }
}
