import Bytes
package import Captures
package import Dissection
package import GATT

/// Counts what is in a capture: one thread reads and looks at frames by themselves, another follows the conversations.
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
        var frames = CaptureStatistics()
        let follower = Follower(Tracker(imported: importedTables, countsUsage: true))
        var following = Task {}
        var batches = 0
        while let packets = try reader.next() {
            let batch = Batch(packets, counting: &frames)
            guard goesOn(frames.frames) else { break }
            let before = following
            following = Task {
                await before.value
                follower.follow(batch)
            }
            batches += 1
            if batches % Self.batchesAhead == 0 { await before.value }
        }
        await following.value
        return follower.finish(frames)
    }

    /// Packets with what each tells by itself: what the reading thread can find out for the following one.
    private struct Batch: Sendable {
        let bytes: [UInt8]
        let facts: [FrameFacts]

        init(_ packets: PacketBatch, counting statistics: inout CaptureStatistics) {
            bytes = packets.bytes
            let span = packets.bytes.span.rawBytes
            var facts: [FrameFacts] = []
            facts.reserveCapacity(packets.packets.count)
            for packet in packets.packets {
                facts.append(FrameFacts(packet: packet, in: span))
                statistics.count(facts[facts.count - 1])
            }
            self.facts = facts
        }
    }

    /// Follows the batches, one after the other: the tasks that use it wait for each other.
    private final class Follower: @unchecked Sendable {
        private var statistics = CaptureStatistics()
        private var tracker: Tracker

        init(_ tracker: Tracker) {
            self.tracker = tracker
        }

        func follow(_ batch: Batch) {
            var gathered = Gathered()
            for var facts in batch.facts {
                tracker.track(&facts, in: batch.bytes, into: &gathered)
                statistics.countConversation(facts, latency: gathered.requests.last?.latency)
                if !gathered.isEmpty { gathered.removeAll() }
            }
        }

        func finish(_ frames: CaptureStatistics) -> Outcome {
            tracker.finish()
            statistics.takeFrames(from: frames)
            return Outcome(statistics: statistics, tracker: tracker)
        }
    }
}
