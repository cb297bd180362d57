import Captures
import Dissection

/// Follows the conversations of a whole capture on two threads: one reads and takes down what each frame tells by
/// itself, the other follows the frames in between. That divides the work about evenly.
struct ConversationFollower {
    var tracker: Tracker
    /// It learns which plugins describe whom.
    var application: ApplicationTracker

    /// Batches that are on their way at the same time; bounds the memory.
    private static let batchesInFlight = 4

    /// Goes through all that `reader` gives. `take` gets every batch when it was followed, in order, on the thread that
    /// reads; `goesOn` is asked after every batch that was read, with the number of frames so far.
    mutating func follow(
        _ reader: CaptureReader, take: (borrowing TrackedBatch) -> Void = { _ in }, goesOn: (Int) -> Bool
    ) async throws {
        let conversations = Conversations(tracker, application)
        var waiting: [Task<Carrier, Never>] = []
        var free: [Carrier] = []
        func finishOldest() async {
            let carrier = await waiting.removeFirst().value
            take(carrier.batch)
            reader.reuse(carrier.batch.empty())
            free.append(carrier)
        }
        var frames = 0
        while let packets = try reader.next() {
            frames += packets.packets.count
            let carrier = free.popLast() ?? Carrier()
            carrier.batch.fill(packets)
            let before = waiting.last
            waiting.append(
                Task {
                    _ = await before?.value
                    conversations.follow(carrier)
                    return carrier
                })
            if waiting.count >= Self.batchesInFlight { await finishOldest() }
            guard goesOn(frames) else { break }
        }
        while !waiting.isEmpty { await finishOldest() }
        (tracker, application) = conversations.state
    }

    /// Carries a batch from thread to thread; used again for later batches. It has one owner at a time.
    private final class Carrier: @unchecked Sendable {
        var batch = TrackedBatch()
    }

    /// What follows the batches, one after the other: the tasks that use it wait for each other.
    private final class Conversations: @unchecked Sendable {
        private var tracker: Tracker
        private var application: ApplicationTracker

        /// What has been followed so far.
        var state: (Tracker, ApplicationTracker) { (tracker, application) }

        init(_ tracker: Tracker, _ application: ApplicationTracker) {
            self.tracker = tracker
            self.application = application
        }

        func follow(_ carrier: Carrier) {
            tracker.track(&carrier.batch)
            if application.learnsFromValues { application.learn(from: &carrier.batch, tracker.knowledge) }
        }
    }
}
