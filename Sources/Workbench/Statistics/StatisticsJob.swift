import Bytes
package import Captures
package import Dissection
package import GATT

/// Counts what is in a capture. One thread reads, takes down what each frame tells by itself and in the end counts it;
/// another follows the conversations in between. That divides the work about evenly.
package struct StatisticsJob: Sendable {
    /// Tables given by the user.
    package var importedTables = GATT.KnownTables()

    /// Batches that are on their way at the same time; bounds the memory.
    private static let batchesInFlight = 4

    package init() {}

    /// What was found.
    package struct Outcome: Sendable {
        package var statistics: CaptureStatistics
        package var tracker: Tracker
    }

    /// Goes through all that `reader` gives; `goesOn` is asked after every batch, with the number of frames so far.
    package func run(_ reader: CaptureReader, goesOn: (Int) -> Bool) async throws -> Outcome {
        var statistics = CaptureStatistics()
        let follower = Follower(Tracker(imported: importedTables, countsUsage: true))
        var waiting: [Task<Carrier, Never>] = []
        var free: [Carrier] = []
        func countOldest() async {
            let carrier = await waiting.removeFirst().value
            statistics.count(carrier.batch)
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
                    follower.follow(carrier)
                    return carrier
                })
            if waiting.count >= Self.batchesInFlight { await countOldest() }
            guard goesOn(frames) else { break }
        }
        while !waiting.isEmpty { await countOldest() }
        return Outcome(statistics: statistics, tracker: follower.finish())
    }

    /// Carries a batch from thread to thread; used again for later batches. It has one owner at a time.
    private final class Carrier: @unchecked Sendable {
        var batch = TrackedBatch()
    }

    /// Follows the batches, one after the other: the tasks that use it wait for each other.
    private final class Follower: @unchecked Sendable {
        private var tracker: Tracker

        init(_ tracker: Tracker) {
            self.tracker = tracker
        }

        func follow(_ carrier: Carrier) { tracker.track(&carrier.batch) }

        func finish() -> Tracker {
            tracker.finish()
            return tracker
        }
    }
}
