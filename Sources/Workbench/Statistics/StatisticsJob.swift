import Bytes
package import Captures
package import Dissection
package import GATT

/// Counts what is in a capture.
package struct StatisticsJob: Sendable {
    /// Tables given by the user.
    package var importedTables = GATT.KnownTables()
    /// They say whose devices are.
    package var plugins = PluginSet.none

    package init() {}

    /// What was found.
    package struct Outcome: Sendable {
        package var statistics: CaptureStatistics
        package var tracker: Tracker
        package var plugins: PluginSet
        package var recognition: DeviceRecognition

        /// The plugin that describes a device, by the device's number.
        package func match(_ device: Int32) -> PluginMatch { recognition.match(device, tracker) }

        /// The plugins, by their indices, that describe a device which was connected.
        var matchedPlugins: Set<Int> {
            let devices = tracker.devices.devices
            return Set(devices.indices.filter { devices[$0].connections > 0 }.map { match(Int32($0)).plugin })
        }
    }

    /// Goes through all that `reader` gives; `goesOn` is asked after every batch, with the number of frames so far.
    package func run(_ reader: CaptureReader, goesOn: (Int) -> Bool) async throws -> Outcome {
        let follower = CaptureTracker(
            Tracker(imported: importedTables, plugins: plugins, record: [.connections, .ends]),
            ApplicationTracker(plugins), counting: CaptureStatistics())
        try await follower.follow(reader, goesOn: goesOn)
        return Outcome(
            statistics: follower.statistics ?? CaptureStatistics(), tracker: follower.tracker, plugins: plugins,
            recognition: follower.application.recognition)
    }
}
