import Bytes
import Captures
import Conversation
import Workbench

/// A place between two packets of a capture.
struct Place: Sendable {
    /// Packets before it.
    var index = 0
    /// Number of the packet before it; 0 at the beginning.
    var number = 0
}

/// What tracking knows between two packets of a capture: any later packet is decoded by going on from it.
struct Checkpoint: Sendable {
    var place = Place()
    var position: CaptureReader.Position
    var tracker: Tracker
    var application: ApplicationTracker

    /// Goes past the next packets, which `reader` has just been read up to; gives them tracked. Without `learned`, what
    /// came before names them.
    mutating func advance(
        over packets: PacketBatch, _ reader: CaptureReader, knowing learned: DecodeJob.Learned?
    ) -> TrackedBatch {
        var batch = TrackedBatch()
        batch.fill(packets)
        advance(over: &batch, knowing: learned)
        position = reader.position
        return batch
    }

    /// The same with a batch that is filled; `position` stays.
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
        place.index += batch.facts.count
        if let last = batch.facts.last { place.number = last.packet.number }
    }
}

/// Checkpoints over a capture, as many as their memory allows: with each doubling of what they take, every other one goes.
struct CheckpointList: Sendable {
    private(set) var checkpoints: [Checkpoint] = []
    private var bytes = 0
    /// Packets between two of them.
    private var spacing = 4096

    /// Bytes of all checkpoints, about.
    private static let budget = 48 << 20
    /// Bytes that one takes beside its tracker.
    private static let overhead = 4096

    /// Keeps a checkpoint if the last one is far enough away.
    mutating func offer(_ checkpoint: Checkpoint) {
        if let last = checkpoints.last, checkpoint.place.index - last.place.index < spacing { return }
        append(checkpoint)
        guard bytes > Self.budget, checkpoints.count > 2 else { return }
        spacing *= 2
        let all = checkpoints
        (checkpoints, bytes) = ([], 0)
        for index in stride(from: 0, to: all.count, by: 2) { append(all[index]) }
    }

    /// Counts what it does not share with the last one.
    private mutating func append(_ checkpoint: Checkpoint) {
        let last = checkpoints.last ?? checkpoint
        bytes += checkpoint.tracker.footprint(beside: last.tracker) + Self.overhead
        checkpoints.append(checkpoint)
    }

    /// The last one of which `isBefore` is true; the first one where it is true of none.
    func last(where isBefore: (Place) -> Bool) -> Checkpoint? {
        var (low, high) = (0, checkpoints.count)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(checkpoints[middle].place) { low = middle + 1 } else { high = middle }
        }
        return checkpoints.isEmpty ? nil : checkpoints[max(0, low - 1)]
    }
}
