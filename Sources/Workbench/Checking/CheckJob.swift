package import Bluetooth
import Bytes
package import Captures
package import Conformance
package import Conversation
package import Keys
import PluginKit

/// Checks one capture. Reading, connection tracking and the evaluation of each device shard are stages: they process
/// different batches at the same time, each in the capture's order.
package struct CheckJob: Sendable {
    package var plugins = PluginSet.none
    /// Ids of the plugins that must check a connection.
    package private(set) var required: [String] = []
    /// Attribute tables imported by the user.
    package var importedTables = GATT.KnownTables()
    /// Keys that encrypted packets are opened with.
    package var keys = KeyRing()
    /// Whether devices are compared with their plugins' twins (the oracle).
    package var asksOracle = false
    /// Number of shards evaluated in parallel.
    package var shardCount = CheckShard.usualCount

    package init() {}

    /// Adds the ids of plugins that must check a connection; throws for an unknown id.
    package mutating func require(_ ids: [String]) throws(UnknownPlugin) {
        let known = plugins.plugins.map(\.id)
        for id in ids where !known.contains(id) { throw UnknownPlugin(name: id, known: known) }
        required += ids
    }

    package struct Outcome: Sendable {
        package var report: CheckReport
        /// Ids of plugins whose devices could not be compared because they have no twin; empty unless the oracle was
        /// requested.
        package var withoutTwin: [String] = []
        /// Ids of plugins that match the same device equally well, so that none was chosen.
        package var rivals: [[String]] = []
        /// Whether packets were left unchecked because their device was identified later and the source cannot be read
        /// again.
        package var hasMissed = false
    }

    /// Checks all packets of `source`; calls `goesOn` after every batch, with the number of frames so far.
    ///
    /// Packets that precede the identification of their device, such as values before a discovery, are checked in a
    /// second pass through the capture; a pipe has no second pass.
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

    func makeFollower() -> ConversationTracker {
        ConversationTracker(plugins, imported: importedTables, keys: keys)
    }

    func makeCheck() -> ConformanceCheck { ConformanceCheck(plugins: plugins, asksOracle: asksOracle) }

    private func makeChecks() -> Checks {
        Checks(CheckShard.all(shardCount).map { ConformanceCheck(plugins: plugins, asksOracle: asksOracle, shard: $0) })
    }

    func outcome(of shards: [ConformanceCheck], _ follower: ConversationTracker, named name: String) -> Outcome {
        var report = ConformanceCheck.finish(shards)
        report.file = name
        report.noteOmissions(of: plugins, required: required, near: follower.nearMatches)
        if let omission = Omission(encrypted: follower.decryption, hasATT: follower.hasATT) {
            report.omissions.append(omission)
        }
        var outcome = Outcome(
            report: report, rivals: plugins.ids(ofRivals: follower.rivals),
            hasMissed: shards.contains(where: \.hasMissed))
        if asksOracle { outcome.withoutTwin = withoutTwin(report) }
        return outcome
    }

    /// Ids of the plugins of checked devices that have no twin.
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
        for shard in checks.shards { shard.flush() }
    }
}

/// The shards of a check. Each shard belongs to one stage, which processes the batches in sequence.
private final class Checks: @unchecked Sendable {
    let shards: [ConformanceCheck]

    init(_ shards: [ConformanceCheck]) {
        self.shards = shards
    }
}
