import Bluetooth
import Bytes
import Captures
import Conversation
import Output
import PluginKit

/// Makes the outline of a capture from its tracked batches, in order.
final class ProcedureRecorder: @unchecked Sendable {
    private let store: OutlineStore
    private var reader = TrafficReader(TrafficReader.Wants())
    /// Open connections by number.
    private var open: [Int: ConnectionRecorder] = [:]
    private var connections = 0
    /// Devices by the numbers of their connections, to be named at the end.
    private var devices: [Int: Int32] = [:]

    init(file: String, plugins: PluginSet) {
        store = OutlineStore(file: file, plugins: plugins)
        reader.frame.plugins = plugins
    }

    /// Adds a batch, with the names found for it.
    func add(_ batch: borrowing TrackedBatch) { reader.read(batch, into: self) }

    /// Ends the capture and returns its outline; `follower` has tracked it.
    func finish(_ follower: ConversationTracker) -> CaptureOutline {
        reader.finish(self)
        store.finish(frames: reader.frames)
        let records = follower.connections
        store.update { connection in
            if let device = devices[connection.number].flatMap({ follower.device($0) }) {
                connection.device.name = device.title
                connection.device.address = device.address?.address.description
            }
            if records.indices.contains(connection.number - 1) {
                let record = records[connection.number - 1]
                let isReversed = isReversed.contains(connection.number)
                connection.changes = record.changes.compactMap { ParameterChange($0, isReversed: isReversed) }
            }
        }
        return store.outline
    }

    /// Connections whose central is at the other end than the host of the capture: what it sends, the peripheral sends.
    private var isReversed: Set<Int> = []
}

extension ProcedureRecorder: EventConsumer {
    func handle(_ event: Event, of frame: EventFrame, on connection: Connection) {
        guard connection.number > 0, !connection.isDismissed else { return }
        if let recorder = open[connection.number] { return recorder.handle(event, of: frame, on: connection) }
        guard case .opened = event.content else { return }
        guard connections < OutlineStore.connectionLimit else { return store.omitConnection() }
        connections += 1
        let view = frame.metadata.hci == nil ? ConnectionOutline.View.air : .host
        open[connection.number] = ConnectionRecorder(
            store,
            ConnectionOutline(
                number: connection.number, view: view, opened: event.moment,
                device: RunOutline.Device(name: "?", address: nil, plugin: nil)))
    }

    func end(_ connection: Connection, at time: Timestamp) {
        guard let recorder = open.removeValue(forKey: connection.number) else { return }
        if connection.isDismissed { return }
        // The peripheral, or the other end where the roles are not known.
        let device = connection.central == .received ? connection.sender : connection.receiver
        devices[connection.number] = device
        if connection.central == .received { isReversed.insert(connection.number) }
        store.add(recorder.finish(connection))
    }
}

extension ParameterChange {
    /// The change as it is compared; nil for a change that is none between two captures, such as of the transmit power.
    /// `isReversed` states that the peripheral sends what the record calls sent.
    init?(_ record: LinkChange.Record, isReversed: Bool) {
        func both(_ sent: String, _ received: String) -> [OutlinedField] {
            let (central, peripheral) = isReversed ? (received, sent) : (sent, received)
            return [OutlinedField("central", central), OutlinedField("peripheral", peripheral)]
        }
        switch record.change {
        case .timing(let timing):
            self.init(
                .parameters, frame: record.frame,
                [
                    OutlinedField("interval", timing.intervalText), OutlinedField("latency", "\(timing.latency)"),
                    OutlinedField("supervision timeout", "\(10 * Int(timing.timeout)) ms"),
                ], interval: TimeSpan(microseconds: 1250 * Int64(timing.interval)))
        case .subrate(let subrate, let latency, let timeout):
            self.init(
                .subrate, frame: record.frame,
                [
                    OutlinedField("subrate factor", "\(subrate.factor)"),
                    OutlinedField("continuation number", "\(subrate.continuationNumber)"),
                    OutlinedField("latency", "\(latency)"),
                    OutlinedField("supervision timeout", "\(10 * Int(timeout)) ms"),
                ])
        case .dataLength(let length):
            self.init(
                .dataLength, frame: record.frame, both("\(length.sent) bytes", "\(length.received) bytes"))
        case .phys(let phys):
            self.init(
                .phy, frame: record.frame, both(phys.sentName ?? "unchanged", phys.receivedName ?? "unchanged"))
        case .encryption(let isOn):
            self.init(.encryption, frame: record.frame, [OutlinedField("encryption", isOn ? "on" : "off")])
        case .remoteFeatures, .power, .mtu: return nil
        }
    }
}
