import Bluetooth
package import Bytes
import Captures
package import Conversation

/// Statistics of a capture, updated frame by frame in constant memory.
package struct CaptureStatistics: Sendable {
    package private(set) var frames = 0
    package private(set) var bytes = 0
    package private(set) var first: Timestamp?
    package private(set) var last = Timestamp.epoch
    /// By `FrameMetadata.Kind`.
    package private(set) var kinds = InlineArray<16, Int>(repeating: 0)
    package private(set) var channels = Channels()
    /// ATT PDUs by opcode.
    package private(set) var opcodes = InlineArray<256, Int>(repeating: 0)
    package private(set) var quality = Quality()
    /// Number of responses, and their total and maximum latency. Timestamps of a capture may be centuries apart, so a
    /// sum of nanoseconds needs more than 64 bits.
    package private(set) var responses = 0
    private var latencySum: Int128 = 0
    package private(set) var latencyMaximum = TimeSpan.zero
    /// Mean response latency; zero if there were no responses.
    package var latencyMean: TimeSpan {
        responses == 0 ? .zero : TimeSpan(nanoseconds: Int64(latencySum / Int128(responses)))
    }
    /// Attribute operations of servers whose connections have ended.
    package private(set) var usage = AttributeUsage()

    /// L2CAP PDUs by channel.
    package struct Channels: Sendable {
        package var att = 0
        package var smp = 0
        package var signaling = 0
        package var dynamic = 0
        package var other = 0
    }

    /// PDUs of connections that `merge` has compared: in how many captures they are.
    package private(set) var merged = MergedPDUs()

    package struct MergedPDUs: Sendable {
        /// In several captures.
        package var common = 0
        /// In a host's log alone: a sniffer missed them.
        package var sentOnly = 0
        /// On the air alone, or heard by one sniffer alone.
        package var heardOnly = 0

        package var isEmpty: Bool { common + sentOnly + heardOnly == 0 }
    }

    package struct Quality: Sendable {
        package var cut = 0
        /// Places where the recorder reports dropped packets.
        package var drops = 0
        package var badCRC = 0
        package var retransmissions = 0
        package var encrypted = 0
        /// Fragments whose start was not captured, and incomplete PDUs.
        package var brokenPDUs = 0
        package var unanswerable = 0
        package var clockJumps = 0
        package var unknownKinds = 0
    }

    package init() {}

    package mutating func count(_ batch: borrowing TrackedBatch) {
        let metadata = batch.metadata.span
        if frames == 0, !metadata.isEmpty { first = metadata[0].packet.time }
        frames += metadata.count
        for index in metadata.indices { count(metadata[index], of: batch) }
        end(batch.ended)
    }

    /// Settles the usage of servers whose connections ended.
    package mutating func end(_ servers: [TableVersion: AttributeTableStore.Version]) { usage.settle(servers) }

    /// Counts a frame and its attribute PDU.
    @inline(__always)
    private mutating func count(_ metadata: borrowing FrameMetadata, of batch: borrowing TrackedBatch) {
        let time = metadata.packet.time
        bytes += metadata.packet.count
        if time < last { quality.clockJumps += 1 }
        last = time
        if metadata.packet.isCut { quality.cut += 1 }
        if metadata.packet.followsDrop { quality.drops += 1 }
        kinds[Int(metadata.kind.rawValue)] += 1
        if metadata.pdu.isPresent, !metadata.notes.contains(.secondView) {
            if metadata.channel == L2CAP.ChannelID.att.rawValue { channels.att += 1 } else { count(metadata.channel) }
        }
        if let attribute = metadata.attribute {
            opcodes[Int(attribute.opcode.rawValue)] += 1
            usage.count(attribute)
            if attribute.request >= 0 {
                countResponse(after: batch.reassembly.requests[Int(attribute.request)].latency)
            }
        }
        if case .other = metadata.kind { quality.unknownKinds += 1 }
        if !metadata.notes.isEmpty { count(metadata.notes) }
        if metadata.notes.contains(.merged) { count(batch.views(of: metadata)) }
    }

    /// Counts a PDU with links: each common one at its first view.
    private mutating func count(_ views: [ViewLink]) {
        guard let view = views.first else { return }
        if view.frame != nil {
            if !views.contains(where: \.isSecondView) { merged.common += 1 }
        } else if view.sight == .heard {
            merged.heardOnly += 1
        } else {
            merged.sentOnly += 1
        }
    }

    private mutating func countResponse(after latency: TimeSpan) {
        responses += 1
        latencySum += Int128(latency.nanoseconds)
        latencyMaximum = max(latencyMaximum, latency)
    }

    /// Counts a PDU of a channel other than ATT.
    private mutating func count(_ channel: UInt16) {
        switch L2CAP.ChannelID(rawValue: channel) {
        case .smp, .bredrSMP: channels.smp += 1
        case .leSignaling, .signaling: channels.signaling += 1
        case let channel where channel.isDynamic: channels.dynamic += 1
        default: channels.other += 1
        }
    }

    private mutating func count(_ notes: FrameMetadata.Notes) {
        if notes.contains(.badCRC) { quality.badCRC += 1 }
        if notes.contains(.retransmission) { quality.retransmissions += 1 }
        if notes.contains(.encrypted) { quality.encrypted += 1 }
        if !notes.isDisjoint(with: .brokenFragment) || notes.contains(.finding) { quality.brokenPDUs += 1 }
        if notes.contains(.unasked) { quality.unanswerable += 1 }
    }
}

/// The statistics of a capture with its connections and devices.
package struct StatisticsOutcome: Sendable {
    package let statistics: CaptureStatistics
    package let tracker: Tracker
    package let plugins: PluginSet
    private let recognition: DeviceRecognition

    package init(
        statistics: CaptureStatistics, tracker: Tracker, plugins: PluginSet, recognition: DeviceRecognition
    ) {
        self.statistics = statistics
        self.tracker = tracker
        self.plugins = plugins
        self.recognition = recognition
    }

    /// The plugin that describes a device, by the device's number.
    package func match(_ device: Int32) -> PluginMatch { recognition.match(device, tracker) }

    /// Indices of the plugins that describe a connected device.
    package var matchedPlugins: Set<Int> {
        let devices = tracker.devices.devices
        return Set(devices.indices.filter { devices[$0].connections > 0 }.map { match(Int32($0)).plugin })
    }
}
