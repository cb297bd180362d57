package import Bluetooth
import Bytes
package import Captures
package import Conversation
package import Dissection

/// Counts what is in a capture.
package struct StatisticsJob: Sendable {
    /// Tables given by the user.
    package var importedTables = GATT.KnownTables()
    /// They say whose devices are.
    package var plugins = PluginSet.none

    package init() {}

    /// Goes through all that `reader` gives; `goesOn` is asked after every batch, with the number of frames so far.
    package func run(_ reader: CaptureReader, goesOn: (Int) -> Bool) async throws -> StatisticsOutcome {
        let follower = CaptureTracker(
            Tracker(imported: importedTables, plugins: plugins, record: [.connections, .ends]),
            ApplicationTracker(plugins), counting: CaptureStatistics())
        try await follower.follow(reader, goesOn: goesOn)
        return StatisticsOutcome(
            statistics: follower.statistics ?? CaptureStatistics(), tracker: follower.tracker, plugins: plugins,
            recognition: follower.application.recognition)
    }
}
