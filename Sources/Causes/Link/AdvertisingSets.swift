import Bluetooth
import Bytes
import Captures
import Conversation
import PluginKit
import Profile

/// The hosts' connectable advertising sets whose duration ended without a connection (Vol 4, Part E, 7.8.56 and
/// 7.7.65.18).
struct AdvertisingSets {
    private struct Place: Hashable {
        var adapter: UInt16
        var handle: UInt8
    }

    private var connectable: Set<Place> = []
    /// The command that started each set.
    private var started: [Place: FrameReference] = [:]
    /// Sets that have ended, until it is known whether the host goes on.
    private var expired: [(place: Place, start: FrameReference, end: FrameReference)] = []

    private static let limit = 256
    /// A host that advertises again within this time, in seconds, goes on.
    private static let pause = 2.0

    mutating func handle(_ event: Event, on session: Session) {
        if !expired.isEmpty { settle(before: event.moment, session) }
        guard let adapter = event.frame.metadata.hci?.adapter else { return }
        switch event.content {
        case .command(.reset):
            connectable = connectable.filter { $0.adapter != adapter }
            started = started.filter { $0.key.adapter != adapter }
            expired.removeAll { $0.place.adapter == adapter }
        case .command(.leSetExtendedAdvertisingParameters), .command(HCI.Opcode(rawValue: 0x207F)):
            setParameters(ValueBytes(event.payload), adapter)
        case .command(.leSetExtendedAdvertisingEnable): enable(ValueBytes(event.payload), event.moment, adapter)
        case .command(.leSetAdvertisingEnable):
            if event.payload.first == 1 { expired.removeAll { $0.place.adapter == adapter } }
        case .event(.leMeta, .advertisingSetTerminated):
            guard let status = event.bytes.u8(1), let handle = event.bytes.u8(2) else { return }
            terminate(Place(adapter: adapter, handle: handle), HCI.ErrorCode(rawValue: status), event.moment)
        case .event(.leMeta, .connectionComplete), .event(.leMeta, .enhancedConnectionComplete),
            .event(.leMeta, .enhancedConnectionCompleteV2):
            if event.bytes.u8(1) == 0, event.bytes.u8(4) == HCI.Role.peripheral.rawValue {
                expired.removeAll { $0.place.adapter == adapter }
            }
        default: break
        }
    }

    /// Bit 0 of the properties: connectable advertising.
    private mutating func setParameters(_ parameters: ValueBytes, _ adapter: UInt16) {
        guard let handle = parameters.u8(0), let properties = parameters.u16(1) else { return }
        let place = Place(adapter: adapter, handle: handle)
        if properties & 1 == 0 {
            connectable.remove(place)
        } else if connectable.count < Self.limit {
            connectable.insert(place)
        }
    }

    /// Enable and the number of sets; then for each its handle, duration (two bytes) and maximum number of events.
    private mutating func enable(_ parameters: ValueBytes, _ frame: FrameReference, _ adapter: UInt16) {
        guard parameters.u8(0) == 1, let count = parameters.u8(1) else { return }
        expired.removeAll { $0.place.adapter == adapter }
        for index in 0..<Int(count) {
            guard let handle = parameters.u8(2 + 4 * index) else { return }
            let place = Place(adapter: adapter, handle: handle)
            if started[place] != nil || started.count < Self.limit { started[place] = frame }
        }
    }

    private mutating func terminate(_ place: Place, _ status: HCI.ErrorCode, _ frame: FrameReference) {
        guard let start = started.removeValue(forKey: place), status == .advertisingTimeout,
            connectable.contains(place), expired.count < Self.limit
        else { return }
        expired.append((place, start, frame))
    }

    /// Adds the failures of sets after which the host has not gone on; at the end of the capture, of all.
    private mutating func settle(before now: FrameReference?, _ session: Session) {
        for (_, start, end) in expired where now.map({ $0.seconds(since: end) >= Self.pause }) ?? true {
            session.capture.advertising.addOutside(
                Failure(
                    .notConnected, [start, end],
                    .status(.advertisingTimeout, command: .leSetExtendedAdvertisingEnable)))
        }
        expired.removeAll { set in now.map { $0.seconds(since: set.end) >= Self.pause } ?? true }
    }

    mutating func finish(_ session: Session) { settle(before: nil, session) }
}
