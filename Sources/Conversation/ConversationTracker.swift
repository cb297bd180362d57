package import Bluetooth

/// Tracks the batches of a capture in order: connections, attributes, and the plugin that describes each device.
package final class ConversationTracker: @unchecked Sendable {
    private let plugins: PluginSet
    private let imported: GATT.KnownTables
    private var tracker: Tracker
    /// What the whole capture has told, when it is gone through again.
    private let knowledge: Tracker?
    private var application: ApplicationTracker
    private var matcher: DeviceMatcher

    /// - Parameter imported: attribute tables given by the user.
    package init(_ plugins: PluginSet, imported: GATT.KnownTables = GATT.KnownTables()) {
        self.plugins = plugins
        self.imported = imported
        tracker = Tracker(imported: imported, plugins: plugins)
        knowledge = nil
        application = ApplicationTracker(plugins)
        matcher = DeviceMatcher()
    }

    private init(after earlier: ConversationTracker) {
        plugins = earlier.plugins
        imported = earlier.imported
        tracker = Tracker(imported: imported, plugins: plugins)
        knowledge = earlier.tracker
        application = earlier.application.restarted()
        matcher = earlier.matcher
    }

    /// One for going through the same capture again: it knows from the beginning what this one has learned.
    package func restarted() -> ConversationTracker { ConversationTracker(after: self) }

    /// Follows a batch, which is ready to be checked then.
    package func follow(_ batch: inout TrackedBatch) {
        tracker.track(&batch)
        let names = knowledge ?? tracker
        names.name(&batch)
        application.follow(&batch, names.devices)
        matcher.match(&batch, application, names)
    }

    /// Plugins, by their indices, that speak for the same device with equal weight, so that none was chosen.
    package var rivals: Set<[Int]> { application.rivals }

    /// Devices that no plugin describes and that one almost matches, in the order of the capture.
    package var nearMatches: [NearlyMatchedDevice] { matcher.nearMatches }
}
