package import Bluetooth
import Captures
package import Keys

/// Tracks the batches of a capture in order: connections, attributes, and the plugin that describes each device.
package final class ConversationTracker: @unchecked Sendable {
    private let plugins: PluginSet
    private let imported: GATT.KnownTables
    private let keys: KeyRing
    private var tracker: Tracker
    /// The tracker of the previous pass over the capture; nil in the first pass.
    private let knowledge: Tracker?
    private var application: ApplicationTracker
    private var matcher: DeviceMatcher

    /// - Parameters:
    ///   - imported: attribute tables given by the user.
    ///   - keys: keys given by the user.
    package init(
        _ plugins: PluginSet, imported: GATT.KnownTables = GATT.KnownTables(), keys: KeyRing = KeyRing()
    ) {
        self.plugins = plugins
        self.imported = imported
        self.keys = keys
        tracker = Tracker(imported: imported, plugins: plugins, keys: keys)
        knowledge = nil
        application = ApplicationTracker(plugins)
        matcher = DeviceMatcher()
    }

    private init(after earlier: ConversationTracker) {
        plugins = earlier.plugins
        imported = earlier.imported
        keys = earlier.keys
        tracker = Tracker(imported: imported, plugins: plugins, keys: keys)
        knowledge = earlier.tracker
        application = earlier.application.restarted()
        matcher = earlier.matcher
    }

    /// A tracker for another pass over the same capture, which knows from the start everything learned by this one.
    package func restarted() -> ConversationTracker { ConversationTracker(after: self) }

    /// Tracks the next batch and prepares it for checking.
    package func follow(_ batch: inout TrackedBatch) {
        tracker.track(&batch)
        // ATT is encrypted on the air only.
        if !hasATT, batch.metadata.first?.packet.encapsulation.linkLayerFormat != nil {
            hasATT = batch.metadata.contains { $0.attribute != nil }
        }
        let names = knowledge ?? tracker
        names.name(&batch)
        application.follow(&batch, names.devices)
        matcher.match(&batch, application, names)
    }

    /// Every connection so far, in its current state.
    package var connections: [ConnectionRecord] { tracker.connections }

    /// The device with an index, as output shows it, with all that is known of it.
    package func device(_ index: Int32) -> Device? {
        let devices = (knowledge ?? tracker).devices
        return devices.devices.indices.contains(Int(index)) ? devices.shown(index) : nil
    }

    /// What was encrypted on the air so far, and what of it was opened.
    package var decryption: DecryptionSummary { tracker.decryption }

    /// Whether a frame so far contains an ATT PDU that could be read; known of the air only.
    package private(set) var hasATT = false

    /// Sets of plugins, by index, whose evidence for the same device weighs the same, so that none was chosen.
    package var rivals: Set<[Int]> { application.rivals }

    /// Devices that no plugin describes but one almost matches, in capture order.
    package var nearMatches: [NearlyMatchedDevice] { matcher.nearMatches }
}
