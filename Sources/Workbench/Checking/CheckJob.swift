import Bytes
package import Captures
package import Conformance
package import Dissection
package import GATT
import PluginKit

/// Judges one capture by rules. One thread reads and takes down what each frame tells by itself, another follows the
/// conversations and names what they are about, and whichever is free judges: each in the capture's order.
package struct CheckJob: Sendable {
    package var plugins = PluginSet.none
    /// The plugin that is taken for devices which show no sign of any, by its index; -1 for none.
    package var assumedPlugin = -1
    /// Attribute tables given by the user.
    package var importedTables = GATT.KnownTables()

    /// Batches that are on their way at the same time; bounds the memory.
    private static let batchesInFlight = 4

    package init() {}

    /// What came of it.
    package struct Outcome: Sendable {
        package var report: CheckReport
        /// Plugins, by their ids, that speak for the same device with equal weight, so that none was chosen.
        package var rivals: [[String]] = []
    }

    /// Judges all that `reader` gives; `goesOn` is asked after every batch, with the number of frames so far.
    ///
    /// What comes before it is known whose it is, as the values before a discovery, is judged by going through the
    /// capture a second time; of a pipe it is not.
    package func run(_ reader: CaptureReader, goesOn: (Int) -> Bool) async throws -> Outcome {
        var follower = Follower(self)
        var judge = Judge(plugins)
        try await run(reader, follower, judge, goesOn)
        if judge.check.hasMissed, reader.isSeekable {
            try reader.rewind()
            follower = Follower(self, knowing: follower)
            judge = Judge(plugins)
            try await run(reader, follower, judge, goesOn)
        }
        var report = judge.check.finish()
        report.file = reader.file
        let rivals = follower.application.rivals.sorted { $0.lexicographicallyPrecedes($1) }
        return Outcome(report: report, rivals: rivals.map { $0.map { plugins.plugins[$0].id } })
    }

    private func run(
        _ reader: CaptureReader, _ follower: Follower, _ judge: Judge, _ goesOn: (Int) -> Bool
    ) async throws {
        var waiting: [Task<Carrier, Never>] = []
        var free: [Carrier] = []
        var lastFollowed: Task<Void, Never>?
        func finishOldest() async {
            let carrier = await waiting.removeFirst().value
            reader.reuse(carrier.batch.empty())
            free.append(carrier)
        }
        var frames = 0
        while let packets = try reader.next() {
            frames += packets.packets.count
            let carrier = free.popLast() ?? Carrier()
            carrier.batch.fill(packets)
            let followedBefore = lastFollowed
            let followed = Task {
                await followedBefore?.value
                follower.follow(carrier)
            }
            lastFollowed = followed
            let judgedBefore = waiting.last
            waiting.append(
                Task {
                    await followed.value
                    _ = await judgedBefore?.value
                    judge.check.judge(carrier.batch)
                    return carrier
                })
            if waiting.count >= Self.batchesInFlight { await finishOldest() }
            guard goesOn(frames) else { break }
        }
        while !waiting.isEmpty { await finishOldest() }
    }
}

/// Carries a batch from thread to thread; used again for later batches. It has one owner at a time.
private final class Carrier: @unchecked Sendable {
    var batch = TrackedBatch()
}

/// Follows the batches, one after the other: the tasks that use it wait for each other.
private final class Follower: @unchecked Sendable {
    private var tracker: Tracker
    /// What the whole capture has told, when it is gone through again.
    private let knowledge: Tracker?
    private(set) var application: ApplicationTracker
    private var matcher = DeviceMatcher()

    init(_ job: CheckJob) {
        tracker = Tracker(imported: job.importedTables, plugins: job.plugins)
        application = ApplicationTracker(job.plugins, assuming: job.assumedPlugin)
        knowledge = nil
    }

    init(_ job: CheckJob, knowing before: Follower) {
        tracker = Tracker(imported: job.importedTables, plugins: job.plugins)
        application = before.application.restarted()
        matcher = before.matcher
        knowledge = before.tracker
    }

    func follow(_ carrier: Carrier) {
        tracker.track(&carrier.batch)
        if let knowledge {
            knowledge.name(&carrier.batch)
            application.follow(&carrier.batch, knowledge.devices)
            matcher.match(&carrier.batch, application, knowledge)
        } else {
            tracker.name(&carrier.batch)
            application.follow(&carrier.batch, tracker.devices)
            matcher.match(&carrier.batch, application, tracker)
        }
    }
}

/// Judges the batches, one after the other: the tasks that use it wait for each other.
private final class Judge: @unchecked Sendable {
    let check: ConformanceCheck

    init(_ plugins: PluginSet) {
        check = ConformanceCheck(plugins: plugins)
    }
}
