package import Bluetooth
package import Captures
package import Causes
package import Conversation
package import Keys

/// Finds the cause of each failure in one capture.
package struct WhyJob: Sendable {
    package var plugins = PluginSet.none
    /// Attribute tables imported by the user.
    package var importedTables = GATT.KnownTables()
    /// Keys that encrypted packets are opened with.
    package var keys = KeyRing()
    /// The connection that is asked about, from 1; nil for all, and for what failed outside of connections.
    package var connection: Int?

    package init() {}

    /// Reads all packets of `source`; calls `goesOn` after every batch, with the number of frames so far.
    ///
    /// A capture in which a device is recognized late is read twice, so that its rules apply from its first packet on; a
    /// pipe is read once.
    package func run(_ source: any PacketSource, goesOn: (Int) -> Bool) async throws -> IncidentList {
        var follower = ConversationTracker(plugins, imported: importedTables, keys: keys)
        var (explanation, frames) = try await explain(source, follower, goesOn)
        if explanation.hasMissed, source.isSeekable {
            try source.rewind()
            follower = follower.restarted()
            (explanation, frames) = try await explain(source, follower, goesOn)
        }
        var list = IncidentList(file: source.name, frames: frames)
        list.incidents = explanation.takeIncidents().filter { connection == nil || $0.connection == connection }
        list.omitted = explanation.omitted
        list.incompleteness = source.incompleteness?.text
        return list
    }

    private func explain(
        _ source: any PacketSource, _ follower: ConversationTracker, _ goesOn: (Int) -> Bool
    ) async throws -> (Explanation, Int) {
        let work = ExplanationStage(plugins)
        var frames = 0
        try await BatchStages([{ follower.follow(&$0) }, { work.explanation.add($0) }]).run(source) {
            frames = $0
            return goesOn($0)
        }
        work.explanation.finish()
        return (work.explanation, frames)
    }
}

/// The explanation of a capture; one stage processes the batches in sequence.
private final class ExplanationStage: @unchecked Sendable {
    let explanation: Explanation

    init(_ plugins: PluginSet) {
        explanation = Explanation(plugins)
    }
}
