package import Bluetooth
import Bytes
package import Captures
package import Conformance
package import Conversation
import PluginKit

/// Checks one capture. Reading, following the conversations, and evaluating each shard of the devices are stages; they
/// work on different batches at the same time, each in the capture's order.
package struct CheckJob: Sendable {
    package var plugins = PluginSet.none
    /// Ids of the plugins that must judge a connection.
    package private(set) var required: [String] = []
    /// Attribute tables given by the user.
    package var importedTables = GATT.KnownTables()
    /// Whether devices are compared with their plugins' twins.
    package var asksOracle = false
    /// The number of shards that are evaluated at the same time.
    package var shardCount = CheckShard.usualCount

    package init() {}

    /// Takes down plugins that must judge a connection, by their ids; throws where one of them is not there.
    package mutating func require(_ ids: [String]) throws(UnknownPlugin) {
        let known = plugins.plugins.map(\.id)
        for id in ids where !known.contains(id) { throw UnknownPlugin(name: id, known: known) }
        required += ids
    }

    /// What came of it.
    package struct Outcome: Sendable {
        package var report: CheckReport
        /// Plugins, by their ids, whose devices were not compared with a twin though that was asked for: they have none.
        package var withoutTwin: [String] = []
        /// Plugins, by their ids, that speak for the same device with equal weight, so that none was chosen.
        package var rivals: [[String]] = []
        /// Whether something was not judged because it came before it was known whose it was, and could not be read again.
        package var hasMissed = false
    }

    /// Judges all that `source` gives; `goesOn` is asked after every batch, with the number of frames so far.
    ///
    /// What comes before it is known whose it is, as the values before a discovery, is judged by going through the
    /// capture a second time; of a pipe it is not.
    package func run(_ source: any PacketSource, goesOn: (Int) -> Bool) async throws -> Outcome {
        var follower = makeFollower()
        var checks = makeChecks()
        try await run(source, follower, checks, goesOn)
        if checks.shards.contains(where: \.hasMissed), source.isSeekable {
            try source.rewind()
            follower = follower.restarted()
            checks = makeChecks()
            try await run(source, follower, checks, goesOn)
        }
        var outcome = outcome(of: checks.shards, follower, named: source.name)
        if let reason = source.incompleteness { outcome.report.omissions.append(Omission(notRead: reason)) }
        outcome.hasMissed = outcome.hasMissed && !source.isSeekable
        return outcome
    }

    /// What follows a capture of the plugins' devices.
    func makeFollower() -> ConversationTracker {
        ConversationTracker(plugins, imported: importedTables)
    }

    /// The check of a live capture.
    func makeCheck() -> ConformanceCheck { ConformanceCheck(plugins: plugins, asksOracle: asksOracle) }

    private func makeChecks() -> Checks {
        Checks(CheckShard.all(shardCount).map { ConformanceCheck(plugins: plugins, asksOracle: asksOracle, shard: $0) })
    }

    /// The results of the check's shards.
    func outcome(of shards: [ConformanceCheck], _ follower: ConversationTracker, named name: String) -> Outcome {
        var report = ConformanceCheck.finish(shards)
        report.file = name
        report.noteOmissions(of: plugins, required: required, near: follower.nearMatches)
        var outcome = Outcome(
            report: report, rivals: plugins.ids(ofRivals: follower.rivals),
            hasMissed: shards.contains(where: \.hasMissed))
        if asksOracle { outcome.withoutTwin = withoutTwin(report) }
        return outcome
    }

    /// Plugins of devices that have no twin to compare with.
    private func withoutTwin(_ report: CheckReport) -> [String] {
        let without = report.devices.filter { device in
            let plugin = plugins.plugins.first { $0.id == device.plugin }
            return plugin != nil && plugin?.makeOracle(dialect: device.dialect) == nil
        }
        return Set(without.compactMap(\.plugin)).sorted()
    }

    private func run(
        _ source: any PacketSource, _ follower: ConversationTracker, _ checks: Checks, _ goesOn: (Int) -> Bool
    ) async throws {
        var stages: [BatchStages.Stage] = [{ follower.follow(&$0) }]
        for shard in checks.shards.indices { stages.append { checks.shards[shard].check($0) } }
        try await BatchStages(stages).run(source, goesOn: goesOn)
    }
}

/// The shards of a check. Each is used by one stage, which has the batches one after the other.
private final class Checks: @unchecked Sendable {
    let shards: [ConformanceCheck]

    init(_ shards: [ConformanceCheck]) {
        self.shards = shards
    }
}
