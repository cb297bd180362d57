package import Bluetooth
import Captures
package import Conversation
package import Dissection
package import Keys
package import PDUTestKit
import PluginKit
import Profile

/// A tracked recording: the tracker's final state, and the metadata of each frame.
package struct Story {
    package var tracker: Tracker
    package var batch: TrackedBatch
    private let plugins: PluginSet

    package init(
        _ recording: Recording, imported: [DeviceAddress: GATT.Table] = [:], plugins: PluginSet = .none,
        keys: [KnownKey] = []
    ) {
        var tables = GATT.KnownTables()
        tables.byAddress = imported
        self.plugins = plugins
        tracker = Tracker(imported: tables, plugins: plugins, keys: KeyRing(keys))
        batch = tracker.track(recording.batch)
        tracker.name(&batch)
        var application = ApplicationTracker(plugins)
        application.follow(&batch, tracker.devices)
    }

    package var metadata: [FrameMetadata] { batch.metadata }

    /// The attribute metadata of frames with an ATT PDU.
    package var attributes: [AttributeFacts] { batch.metadata.compactMap(\.attribute) }

    /// The name of the last frame's attribute, and the confidence in it.
    package var lastName: (type: UUID?, confidence: GATT.Confidence)? { name(ofFrame: metadata.count) }

    /// The name of a frame's attribute, from the tracker's final state.
    package func name(ofFrame number: Int) -> (type: UUID?, confidence: GATT.Confidence)? {
        guard let attribute = metadata[number - 1].attribute,
            let known = batch.tableVersions[attribute.tableVersion]?.attribute(at: attribute.handle)
        else { return nil }
        return (known.0.type, known.1)
    }

    package func dissected(_ number: Int) -> DissectedFrame {
        let frame = DissectedFrame()
        Dissector(plugins: plugins).dissect(metadata[number - 1], of: batch, into: frame)
        return frame
    }

    /// The remote device of a frame.
    package func peer(ofFrame number: Int) -> Device? { metadata[number - 1].peer(in: batch) }
}

extension PluginSet {
    /// Plugins made of profiles only.
    package init(profiles: [String]) throws {
        self.init(
            try profiles.enumerated().map { number, text in
                DevicePlugin(try CompiledProfile(ProfileReader.read(text, file: "\(number).yaml")))
            })
    }
}

extension DissectedFrame {
    /// Plugin and type of each value decoded by plugins, in order.
    package var readings: [String] {
        (message.map { [$0] } ?? values.compactMap(\.message)).map { "\($0.plugin).\($0.name)" }
    }
}

/// The devices in the tests' recordings.
package enum Cast {
    package static let phone = DeviceAddress(Address(value: 0x00_1A7D_DA7101), .public)
    package static let puck = DeviceAddress(Address(value: 0xC0_FFEE_000001), .random)
    package static let counter = DeviceAddress(Address(value: 0xC0_FFEE_000002), .random)

    /// Device Name at 0x0003, Battery Level at 0x0006 with its descriptor at 0x0007.
    package static let battery = ServerLayout(
        .service(0x1800, .characteristic(0x2A00, [.read])),
        .service(0x180F, .characteristic(0x2A19, [.read, .notify], descriptors: 0x2902)))

    /// Heart Rate Measurement at 0x0003, its descriptor at 0x0004, Body Sensor Location at 0x0006.
    package static let heartRate = ServerLayout(
        .service(
            0x180D, .characteristic(0x2A37, [.notify], descriptors: 0x2902), .characteristic(0x2A38, [.read])))
}
