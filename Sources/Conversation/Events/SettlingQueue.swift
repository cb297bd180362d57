package import Bluetooth
import Bytes
import Captures
package import PluginKit

/// Holds batches back until the outcome of each write in them is known, so that the event of a write carries its
/// outcome and no rule has to revise a result.
///
/// All traffic waits, not only that of the connection or bearer: capture order is kept, on which rules about several
/// connections of a device depend. Limits count frames, bytes and capture time, never batches, so a write has the same
/// outcome live and from a file.
package struct SettlingQueue {
    /// A write that awaits its response.
    private struct PendingWrite {
        let frame: Int
        let time: Timestamp
        /// Bytes of all frames up to it.
        let bytes: Int
        /// Number of its batch, and the index of its outcome there.
        let batch: Int
        let place: Int
    }

    private var batches: [TrackedBatch] = []
    /// Number of batches that have left the queue.
    private var released = 0
    private var pending: [PendingWrite] = []
    /// Bytes of all frames added.
    private var bytes = 0

    /// A later response belongs to no transaction (Vol 3, Part F, 3.3.3).
    private static let timeLimit = TimeSpan(seconds: 30)
    /// Captured frames, captured bytes and pending writes after which the oldest pending write counts as unanswered:
    /// they bound the memory.
    private static let (frameLimit, byteLimit, writeLimit) = (16_384, 4 << 20, 64)

    package init() {}

    /// Adds a batch. A batch that is held back keeps its bytes.
    package mutating func add(_ batch: TrackedBatch) {
        var batch = batch
        var settled = batch.settledWrites[...]
        for index in batch.metadata.indices {
            let packet = batch.metadata[index].packet
            bytes += packet.count
            if !pending.isEmpty { expire(at: packet.number, packet.time) }
            if let opcode = batch.metadata[index].attribute?.opcode, opcode.isSettledWrite {
                if pending.count == Self.writeLimit { pending.removeFirst() }
                pending.append(
                    PendingWrite(
                        frame: packet.number, time: packet.time, bytes: bytes, batch: released + batches.count,
                        place: batch.outcomes.count))
                batch.outcomes.append(WriteOutcome.OfFrame(frame: packet.number, outcome: .unknown))
            }
            while let write = settled.first, write.frame <= packet.number {
                settle(settled.removeFirst(), &batch)
            }
        }
        batches.append(batch)
    }

    /// The next batch in capture order, if all its writes have an outcome; else nil.
    package mutating func next() -> TrackedBatch? {
        guard !batches.isEmpty, pending.first.map({ $0.batch > released }) ?? true else { return nil }
        released += 1
        return batches.removeFirst()
    }

    /// Ends the capture: pending writes get no response.
    package mutating func finish() { pending.removeAll() }

    /// Removes pending writes whose response is late: their outcome stays unknown.
    private mutating func expire(at frame: Int, _ time: Timestamp) {
        while let oldest = pending.first,
            time - oldest.time > Self.timeLimit || frame - oldest.frame > Self.frameLimit
                || bytes - oldest.bytes > Self.byteLimit
        { pending.removeFirst() }
    }

    private mutating func settle(_ write: SettledWrite, _ batch: inout TrackedBatch) {
        guard let index = pending.firstIndex(where: { $0.frame == write.request }) else { return }
        let place = pending.remove(at: index)
        let earlier = place.batch - released
        if earlier < batches.count {
            batches[earlier].outcomes[place.place].outcome = write.outcome
        } else {
            batch.outcomes[place.place].outcome = write.outcome
        }
    }
}

/// A write whose outcome is known.
package struct SettledWrite: Sendable {
    /// Number of the request's frame.
    package let request: Int
    package let outcome: WriteOutcome
    /// Number of the frame that shows the outcome.
    package let frame: Int
}

extension WriteOutcome {
    /// The outcome of a write, with the number of its frame.
    struct OfFrame: Sendable {
        let frame: Int
        var outcome: WriteOutcome
    }
}

extension ATT.Opcode {
    /// Whether the write has a response that decides its outcome: a Write Request, or an Execute Write Request, which
    /// settles the queued writes.
    package var isSettledWrite: Bool { self == .writeRequest || self == .executeWriteRequest }
}

extension TrackedBatch {
    /// The outcome of the write in a frame; nil for other frames.
    package func outcome(of metadata: borrowing FrameMetadata) -> WriteOutcome? {
        guard let opcode = metadata.attribute?.opcode else { return nil }
        if opcode == .writeCommand || opcode == .signedWriteCommand { return .unconfirmed }
        guard opcode.isSettledWrite else { return nil }
        let frame = metadata.packet.number
        var (low, high) = (0, outcomes.count)
        while low < high {
            let middle = (low + high) / 2
            if outcomes[middle].frame < frame { low = middle + 1 } else { high = middle }
        }
        return low < outcomes.count && outcomes[low].frame == frame ? outcomes[low].outcome : .unknown
    }
}
