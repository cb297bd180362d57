import Bluetooth
import Bytes
import Captures
import Conversation

/// What is known of the frames of a capture beside their content: their procedures, and what they are to the decoding of
/// others.
struct FrameOutline: Sendable {
    var frames: [Frame] = []
    /// Commands that set up a connection, as indices in `frames`, by the connection's index.
    var setups: [Int32: [Int]] = [:]
    /// Senders of the reports in an event with several, by index in `frames`.
    var reporters: [Int: [Int32]] = [:]
    /// Numbers of the frames with other views of a PDU, by frame number, in a file that `merge` wrote.
    var views: [Int: [Int]] = [:]
    /// The first and the last fragment of each PDU on the air that has several, as indices in `frames`.
    var fragmentedPDUs: [ClosedRange<Int>] = []
    /// Both ends of each connection, as indices of devices, by the connection's index.
    private(set) var ends: [(sender: Int32, receiver: Int32)] = []
    /// The devices and attribute tables at the capture's end.
    private var tracker: Tracker?
    /// Whether it has packets of a host and of the air.
    private(set) var isMixed = false
    /// Whether `merge` wrote it.
    var isMerged: Bool { !views.isEmpty }

    /// Frames of a capture that has an outline, 28 bytes each.
    static let frameLimit = 8_000_000

    /// Attributes whose types are remembered while roles are assigned.
    private static let typeLimit = 65_536

    /// One frame.
    struct Frame: Sendable {
        let number: UInt32
        /// Index of the frame that begins its procedure.
        var procedure: UInt32
        /// Index of its connection; -1 for none.
        var connection: Int32
        var sender: Int32
        var receiver: Int32
        let tableVersion: TableVersion
        let handle: UInt16
        var role = Role.other
        let isOnAir: Bool

        init(_ metadata: FrameMetadata, at index: Int) {
            number = UInt32(clamping: metadata.packet.number)
            procedure = UInt32(clamping: index)
            connection = metadata.connection
            (sender, receiver) = (metadata.sender, metadata.receiver)
            tableVersion = metadata.attribute?.tableVersion ?? .unknown
            handle = metadata.attribute?.handle.rawValue ?? 0
            isOnAir = metadata.packet.encapsulation.isLinkLayer
        }
    }

    /// What a frame is to the decoding of others.
    enum Role: UInt8, Sendable {
        case other
        /// The frame that begins a connection, one that sets it up, and one that ends it.
        case connectionStart, connectionSetup, connectionEnd
        case mtu, discovery
        /// Service Changed and its confirmation.
        case tableChange
        /// A write of a Client Characteristic Configuration.
        case subscription
        /// Pairing, and the start of encryption.
        case security
        /// Signaling of L2CAP channels.
        case channel
        /// Parameters of the connection.
        case parameters
        /// A read of what identifies a device: its name, its Device Information.
        case identity
        /// Addresses and names of the adapter, and keys in its resolving list.
        case adapter
        /// Advertising data that a device has sent before, and those that it has not.
        case advertising, newAdvertising
        case read, write, indication

        /// Whether frames of the same connection may not be decoded without it.
        func isContext(onAir: Bool) -> Bool {
            switch self {
            case .connectionStart, .connectionSetup, .connectionEnd, .mtu, .discovery, .tableChange, .subscription,
                .security, .channel, .identity:
                true
            case .parameters: onAir
            case .other, .adapter, .advertising, .newAdvertising, .read, .write, .indication: false
            }
        }

        /// Whether it is an operation of a client, on which later values may depend.
        var isOperation: Bool { self == .read || self == .write }
    }

    /// Index of the frame with a number; nil for none.
    func index(ofFrame number: Int) -> Int? {
        var (low, high) = (0, frames.count)
        while low < high {
            let middle = (low + high) / 2
            if Int(frames[middle].number) < number { low = middle + 1 } else { high = middle }
        }
        return low < frames.count && Int(frames[low].number) == number ? low : nil
    }

    /// Number of the frame that begins a frame's procedure.
    func procedure(of index: Int) -> Int { Int(frames[Int(frames[index].procedure)].number) }

    /// Ends the capture: devices and tables are those of its end.
    mutating func finish(_ tracker: Tracker, isMixed: Bool) {
        self.isMixed = isMixed
        self.tracker = tracker
        for index in frames.indices {
            frames[index].sender = resolved(frames[index].sender)
            frames[index].receiver = resolved(frames[index].receiver)
        }
        ends = tracker.connections.map { (resolved($0.sender), resolved($0.receiver)) }
        assignRoles()
    }

    func resolved(_ device: Int32) -> Int32 { device >= 0 ? tracker?.devices.resolved(device) ?? -1 : device }

    /// Indices of the devices that satisfy a condition, as frames refer to them.
    func devices(where condition: (Device) -> Bool) -> Set<Int32> {
        guard let devices = tracker?.devices else { return [] }
        let found = (0..<Int32(devices.devices.count)).filter { condition(devices.shown($0)) }
        return Set(found.map { devices.resolved($0) })
    }

    /// The server whose attribute a frame concerns, as an index of devices; -1 where it is not known.
    func server(of frame: Frame) -> Int32 {
        guard frame.tableVersion.isKnown, let tracker else { return -1 }
        return resolved(tracker.knowledge[frame.tableVersion].device)
    }

    /// A device as output shows it; nil for an index of none.
    func device(_ index: Int32) -> Device? { index >= 0 ? tracker?.devices.shown(index) : nil }

    /// The known attribute that a frame concerns, and the source of that knowledge.
    func attribute(of frame: Frame) -> (GATT.Attribute, GATT.Confidence)? {
        guard frame.tableVersion.isKnown, frame.handle > 0 else { return nil }
        return tracker?.knowledge[frame.tableVersion].attribute(at: Handle(frame.handle))
    }

    /// Assigns the roles that depend on types of attributes, which a later discovery may show.
    private mutating func assignRoles() {
        struct Place: Hashable {
            let version: TableVersion
            let handle: UInt16
        }
        var types: [Place: UUID?] = [:]
        var roles: [UInt32: Role] = [:]
        for index in frames.indices {
            let frame = frames[index]
            guard frame.role == .read || frame.role == .write || frame.role == .indication else { continue }
            if frame.procedure != index, let role = roles[frame.procedure] {
                frames[index].role = role
                continue
            }
            let place = Place(version: frame.tableVersion, handle: frame.handle)
            let type = types[place] ?? attribute(of: frame)?.0.type
            if types.count >= Self.typeLimit { types.removeAll() }
            types[place] = .some(type)
            switch (frame.role, type) {
            case (.write, UUID.clientCharacteristicConfiguration?): frames[index].role = .subscription
            case (.indication, UUID.serviceChanged?): frames[index].role = .tableChange
            case (.read, let type?) where Self.identifies(type): frames[index].role = .identity
            default: continue
            }
            roles[frame.procedure] = frames[index].role
        }
    }

    /// Whether values of a type identify a device: its name, its Database Hash, its Device Information
    /// (Vol 3, Part C, 12.1; Vol 3, Part G, 7.3).
    private static func identifies(_ type: UUID) -> Bool {
        type == .deviceName || type == .databaseHash || deviceInformation.contains(type)
    }

    /// System ID to IEEE Regulatory Certification, and PnP ID, in Assigned Numbers, 3.8.1.
    private static let deviceInformation = Set(
        (0x2A23...0x2A2A as ClosedRange<UInt32>).map { UUID($0) } + [UUID(0x2A50)])
}
