package import Captures
package import Dissection
package import GATT

/// Counts what is in a capture: one thread reads, another follows the frames.
package struct StatisticsJob: Sendable {
    /// Tables given by the user.
    package var importedTables = GATT.KnownTables()

    /// Batches read ahead.
    private static let batchesAhead = 4

    package init() {}

    /// What was found.
    package struct Outcome: Sendable {
        package var statistics: CaptureStatistics
        package var tracker: Tracker
    }

    /// Goes through all that `reader` gives; `goesOn` is asked after every batch, with the number of frames so far.
    package func run(_ reader: CaptureReader, goesOn: (Int) -> Bool) async throws -> Outcome {
        var following = Task { Following(Tracker(imported: importedTables, countsUsage: true)) }
        var pending = 0
        var frames = 0
        while let packets = try reader.next() {
            frames += packets.packets.count
            guard goesOn(frames) else { break }
            let before = following
            following = Task {
                let following = await before.value
                following.follow(packets)
                return following
            }
            pending += 1
            if pending == Self.batchesAhead {
                _ = await following.value
                pending = 0
            }
        }
        return await following.value.finish()
    }

    /// The state that is handed from batch to batch; one task has it at a time.
    private final class Following: @unchecked Sendable {
        private var statistics = CaptureStatistics()
        private var tracker: Tracker

        init(_ tracker: Tracker) {
            self.tracker = tracker
        }

        func follow(_ packets: PacketBatch) {
            var gathered = Gathered()
            for packet in packets.packets {
                var facts = FrameFacts(packet: packet)
                tracker.track(&facts, in: packets.bytes, into: &gathered)
                statistics.add(facts, latency: gathered.requests.last?.latency)
                if !gathered.isEmpty { gathered.removeAll() }
            }
        }

        func finish() -> Outcome {
            tracker.finish()
            return Outcome(statistics: statistics, tracker: tracker)
        }
    }
}
