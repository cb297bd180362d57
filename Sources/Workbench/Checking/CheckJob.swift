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
    /// Ids of the plugins that must judge a connection.
    package private(set) var required: [String] = []
    /// Attribute tables given by the user.
    package var importedTables = GATT.KnownTables()
    /// Whether devices are compared with their plugins' twins.
    package var asksOracle = false

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
        var judge = Judge(makeCheck())
        try await run(source, follower, judge, goesOn)
        if judge.check.hasMissed, source.isSeekable {
            try source.rewind()
            follower = follower.restarted()
            judge = Judge(makeCheck())
            try await run(source, follower, judge, goesOn)
        }
        var outcome = outcome(of: judge.check, follower, named: source.name)
        outcome.hasMissed = outcome.hasMissed && !source.isSeekable
        return outcome
    }

    /// What follows a capture of the plugins' devices.
    func makeFollower() -> TrafficFollower {
        TrafficFollower(plugins, imported: importedTables)
    }

    /// What judges them.
    func makeCheck() -> ConformanceCheck { ConformanceCheck(plugins: plugins, asksOracle: asksOracle) }

    /// What came of what was followed and judged.
    func outcome(of check: ConformanceCheck, _ follower: TrafficFollower, named name: String) -> Outcome {
        var report = check.finish()
        report.file = name
        report.noteOmissions(of: plugins, required: required, near: follower.nearMatches)
        var outcome = Outcome(
            report: report, rivals: plugins.ids(ofRivals: follower.rivals), hasMissed: check.hasMissed)
        if asksOracle { outcome.withoutTwin = withoutTwin(report) }
        return outcome
    }

    /// Plugins of devices that have no twin to compare with.
    private func withoutTwin(_ report: CheckReport) -> [String] {
        let without = report.devices.filter { device in
            let plugin = plugins.plugins.first { $0.id == device.plugin }
            return plugin != nil && plugin?.behaviour?.makeOracle(dialect: device.dialect) == nil
        }
        return Set(without.compactMap(\.plugin)).sorted()
    }

    private func run(
        _ source: any PacketSource, _ follower: TrafficFollower, _ judge: Judge, _ goesOn: (Int) -> Bool
    ) async throws {
        let stages = BatchStages([{ follower.follow(&$0) }, { judge.check.judge($0) }])
        try await stages.run(source, goesOn: goesOn)
    }
}

/// Judges the batches: a stage, which has them one after the other.
private final class Judge: @unchecked Sendable {
    let check: ConformanceCheck

    init(_ check: ConformanceCheck) {
        self.check = check
    }
}
