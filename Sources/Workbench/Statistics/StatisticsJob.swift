import Bytes
package import Captures
package import Dissection
package import GATT

/// Counts what is in a capture. One thread reads, takes down what each frame tells by itself and in the end counts it;
/// another follows the conversations in between. That divides the work about evenly.
package struct StatisticsJob: Sendable {
    /// Tables given by the user.
    package var importedTables = GATT.KnownTables()
    /// They say whose devices are.
    package var plugins = PluginSet.none

    /// Batches that are on their way at the same time; bounds the memory.
    private static let batchesInFlight = 4

    package init() {}

    /// What was found.
    package struct Outcome: Sendable {
        package var statistics: CaptureStatistics
        package var tracker: Tracker
        package var plugins: PluginSet
        /// The plugins that describe devices, by the devices' numbers, of those that show signs of any.
        package var matches: [Int32: PluginMatch]
    }

    /// Goes through all that `reader` gives; `goesOn` is asked after every batch, with the number of frames so far.
    package func run(_ reader: CaptureReader, goesOn: (Int) -> Bool) async throws -> Outcome {
        var statistics = CaptureStatistics()
        let follower = Follower(
            Tracker(imported: importedTables, plugins: plugins, tellsEnds: true), ApplicationTracker(plugins))
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
        var (tracker, matches) = follower.finish()
        statistics.end(tracker.takeEnded())
        return Outcome(statistics: statistics, tracker: tracker, plugins: plugins, matches: matches)
    }

    /// Carries a batch from thread to thread; used again for later batches. It has one owner at a time.
    private final class Carrier: @unchecked Sendable {
        var batch = TrackedBatch()
    }

    /// Follows the batches, one after the other: the tasks that use it wait for each other.
    private final class Follower: @unchecked Sendable {
        private var tracker: Tracker
        private var application: ApplicationTracker

        init(_ tracker: Tracker, _ application: ApplicationTracker) {
            self.tracker = tracker
            self.application = application
        }

        func follow(_ carrier: Carrier) {
            tracker.track(&carrier.batch)
            if application.learnsFromValues { application.learn(from: &carrier.batch, tracker.knowledge) }
        }

        func finish() -> (Tracker, [Int32: PluginMatch]) {
            tracker.finish()
            var matches: [Int32: PluginMatch] = [:]
            for device in tracker.devices.devices.indices.map(Int32.init) {
                let match = application.match(device, tracker)
                if match != .none { matches[device] = match }
            }
            return (tracker, matches)
        }
    }
}
