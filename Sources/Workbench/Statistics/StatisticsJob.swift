package import Bluetooth
import Bytes
package import Captures
package import Conversation
package import Dissection
package import Keys

/// Counts the contents of a capture.
package struct StatisticsJob: Sendable {
    /// Attribute tables imported by the user.
    package var importedTables = GATT.KnownTables()
    /// Keys that encrypted packets are opened with.
    package var keys = KeyRing()
    /// The plugins that identify devices.
    package var plugins = PluginSet.none

    package init() {}

    /// Counts all packets of `source`; `goesOn` is called after every batch, with the number of frames so far.
    package func run(_ source: any PacketSource, goesOn: (Int) -> Bool) async throws -> StatisticsOutcome {
        let follower = CaptureTracker(
            Tracker(imported: importedTables, plugins: plugins, keys: keys, record: [.connections, .ends]),
            ApplicationTracker(plugins), counting: CaptureStatistics())
        try await follower.follow(source, goesOn: goesOn)
        return StatisticsOutcome(
            statistics: follower.statistics ?? CaptureStatistics(), tracker: follower.tracker, plugins: plugins,
            recognition: follower.application.recognition)
    }
}
