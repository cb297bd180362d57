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
        /// The plugins that describe devices, by the devices' numbers, of those that show signs of any.
        package var matches: [Int32: PluginMatch]
    }

    /// Goes through all that `reader` gives; `goesOn` is asked after every batch, with the number of frames so far.
    package func run(_ reader: CaptureReader, goesOn: (Int) -> Bool) async throws -> Outcome {
        var statistics = CaptureStatistics()
        var follower = ConversationFollower(
            tracker: Tracker(imported: importedTables, plugins: plugins, record: [.connections, .ends]),
            application: ApplicationTracker(plugins))
        try await follower.follow(reader, take: { statistics.count($0) }, goesOn: goesOn)
        follower.tracker.finish()
        statistics.end(follower.tracker.takeEnded())
        return Outcome(
            statistics: statistics, tracker: follower.tracker, plugins: plugins,
            matches: matches(follower.tracker, follower.application))
    }

    /// The plugins that describe devices, after all that these have shown.
    private func matches(_ tracker: Tracker, _ application: ApplicationTracker) -> [Int32: PluginMatch] {
        var matches: [Int32: PluginMatch] = [:]
        for device in tracker.devices.devices.indices.map(Int32.init) {
            let match = application.match(device, tracker)
            if match != .none { matches[device] = match }
        }
        return matches
    }
}
