import Bytes
import Captures
import Conversation
import Workbench

/// A position between two packets of a capture.
struct Place: Sendable {
    /// Number of packets before it.
    var index = 0
    /// Frame number of the packet before it; 0 at the beginning.
    var number = 0
}

/// Tracking state between two packets of a capture, from which any later packet can be decoded.
struct Checkpoint: Sendable {
    var place = Place()
    var position: CaptureReader.Position
    var tracker: Tracker
    var application: ApplicationTracker

    /// Advances over the packets that `reader` has just read and returns them tracked. Without `learned`, names come
    /// from earlier packets only.
    mutating func advance(
        over packets: PacketBatch, _ reader: CaptureReader, knowing learned: DecodeJob.Learned?
    ) -> TrackedBatch {
        var batch = TrackedBatch()
        batch.fill(packets)
        advance(over: &batch, knowing: learned)
        position = reader.position
        return batch
    }

    /// Advances over a filled batch; `position` is unchanged.
    mutating func advance(over batch: inout TrackedBatch, knowing learned: DecodeJob.Learned?) {
        tracker.track(&batch)
        if let learned {
            learned.knowledge.name(&batch)
            application.follow(&batch, learned.knowledge.devices)
        } else {
            tracker.name(&batch)
            application.follow(&batch, tracker.devices)
        }
        batch.takeRoles(tracker)
        place.index += batch.metadata.count
        if let last = batch.metadata.last { place.number = last.packet.number }
    }
}

/// Checkpoints of a capture within a memory budget: when it is exceeded, every other checkpoint is dropped and the
/// spacing doubles.
struct CheckpointList: Sendable {
    private(set) var checkpoints: [Checkpoint] = []
    private var bytes = 0
    /// Minimum number of packets between two checkpoints.
    private var spacing = 4096

    /// Memory budget of all checkpoints, in bytes, approximately.
    private static let budget = 48 << 20
    /// Bytes of a checkpoint besides its tracker.
    private static let overhead = 4096

    /// Keeps a checkpoint if it is far enough from the last one.
    mutating func offer(_ checkpoint: Checkpoint) {
        if let last = checkpoints.last, checkpoint.place.index - last.place.index < spacing { return }
        append(checkpoint)
        guard bytes > Self.budget, checkpoints.count > 2 else { return }
        spacing *= 2
        let all = checkpoints
        (checkpoints, bytes) = ([], 0)
        for index in stride(from: 0, to: all.count, by: 2) { append(all[index]) }
    }

    /// Adds a checkpoint; counts only the memory that it does not share with the last one.
    private mutating func append(_ checkpoint: Checkpoint) {
        let last = checkpoints.last ?? checkpoint
        bytes += checkpoint.tracker.footprint(beside: last.tracker) + Self.overhead
        checkpoints.append(checkpoint)
    }

    /// The last checkpoint that satisfies `isBefore`; the first one if none does.
    func last(where isBefore: (Place) -> Bool) -> Checkpoint? {
        var (low, high) = (0, checkpoints.count)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(checkpoints[middle].place) { low = middle + 1 } else { high = middle }
        }
        return checkpoints.isEmpty ? nil : checkpoints[max(0, low - 1)]
    }
}
