package import Bluetooth
import BluetoothCrypto
package import Bytes
import Captures
import Keys

/// The record of a connection for the whole capture: devices, times and agreed parameters.
package struct ConnectionRecord: Sendable {
    /// Identifies a connection while it is open.
    package enum Key: Hashable, Sendable {
        /// Adapter and connection handle, in a host capture.
        case handle(adapter: UInt16, ConnectionHandle)
        /// The access address, in a link layer capture.
        case accessAddress(UInt32)
    }

    package var key: Key
    /// Index of the device that sends `.sent` frames: the local host, or the central; -1 where it is not known.
    package var sender: Int32
    /// Index of the device at the other end: the remote device, or the peripheral.
    package var receiver: Int32
    /// Whether the connection's beginning was captured.
    package var isBeginningKnown: Bool
    package var start: Timestamp
    /// Time of the last frame.
    package var end: Timestamp
    /// Reason of disconnection (Vol 1, Part F); nil while connected or where it was not captured.
    package var reason: UInt8?
    /// ATT MTU in bytes.
    package var mtu = UInt16(ATT.defaultMTU)
    package var isEncrypted = false
    package var frames = 0
    package private(set) var parameters = LinkParameters()
    /// Changes of parameters, of the MTU and of encryption in order, including the initial ones.
    package private(set) var changes: [LinkChange.Record] = []

    /// Applies a change, and adds it to `changes` if `isListed`.
    mutating func apply(_ change: LinkChange, _ metadata: borrowing FrameMetadata, isListed: Bool) {
        parameters.apply(change)
        switch change {
        case .mtu(let mtu): self.mtu = mtu
        case .encryption(let isOn): isEncrypted = isOn
        default: break
        }
        guard isListed else { return }
        changes.append(LinkChange.Record(change: change, frame: metadata.packet.number, time: metadata.packet.time))
    }

    /// Adds the counts of the connection's directions.
    mutating func add(_ summaries: ArraySlice<DirectionSummary>) {
        guard let last = summaries.max(by: { $0.lastFrame < $1.lastFrame }), last.frames > 0 else { return }
        frames = summaries.reduce(0) { $0 + $1.frames }
        end = last.end
    }

    /// Adds the counts of another connection that shares this entry.
    mutating func add(_ other: ConnectionRecord) {
        frames += other.frames
        end = max(end, other.end)
    }
}

/// The role of an adapter in a connection, numbered as in `bthci_acl.src.role`.
package enum ConnectionRole: UInt8, Sendable {
    case central = 1
    case peripheral

    init?(_ role: HCI.Role) {
        switch role {
        case .central: self = .central
        case .peripheral: self = .peripheral
        default: return nil
        }
    }

    package var opposite: Self { self == .central ? .peripheral : .central }
}

/// State that the tracker keeps of a connection while it is open.
struct OpenConnection: Sendable {
    /// Index in `Tracker.connections`; connections beyond the limit there share the last entry.
    let number: Int
    private(set) var isOpen = true
    var record: ConnectionRecord
    var channels = L2CAP.CreditBasedChannels()
    /// On BR/EDR: channels opened by Connection Requests.
    var orientedChannels = L2CAP.ConnectionOrientedChannels()
    /// Open enhanced ATT bearers, by the numbers of their channels.
    var bearers: [UInt8: EnhancedBearer] = [:]
    /// Initial CRC value of the connection, in a link layer capture.
    var crcInit: UInt32?
    /// The identity resolving key distributed last, and its sender.
    var identityKey: (sender: Int32, key: SecretKey)?
    /// On the air: whether PDUs are plain text.
    var encryption: EncryptionInference
    /// Finds the keys that follow from pairings.
    var pairing = PairingObserver()
    /// On the air: the addresses of central and peripheral in CONNECT_IND, which may be private.
    var usedAddresses: (central: DeviceAddress, peripheral: DeviceAddress)?
    /// On the air: opens encrypted PDUs.
    var decryption = LinkDecryption()
    /// On the air: infers which side sent a PDU.
    var directions: DirectionInference
    /// On the air: detects PDUs that are repeated, and PDUs that were missed.
    var sequence = SequenceNumbers()
    /// On the air: detects connection events that were missed.
    var events = ConnectionEvents()
    /// Number of the last frame in which, or before which, something was missing; 0 for none.
    var lastLoss = 0
    /// On the air: the last LL_LENGTH_REQ and its direction.
    var lengthRequest: (direction: Direction, lengths: LL.DataLengths)?
    /// Client Rx MTU of an Exchange MTU Request that another capture shows better.
    var offeredMTU: UInt16?
    /// Whether the connection is encrypted according to the listed changes.
    var isEncryptionListed = false
    /// Whether it is a BR/EDR connection, as far as it is known.
    var isBREDR = false
    /// On the air: the last request for a connected isochronous stream.
    var cisRequest: LL.CISReq?

    init(_ record: ConnectionRecord, number: Int) {
        self.record = record
        self.number = number
        encryption = EncryptionInference(isBeginningKnown: record.isBeginningKnown)
        directions = DirectionInference(isBeginningKnown: record.isBeginningKnown)
    }

    /// Clears everything but the record and the number, and marks the connection closed.
    mutating func reset() {
        self = OpenConnection(record, number: number)
        isOpen = false
    }
}

/// Per-direction state of a connection that ATT PDUs and fragments need.
struct DirectionState: Sendable {
    var assembler = FragmentAssembler()
    /// State of the fixed channel; while a PDU of an enhanced bearer is tracked, state of that bearer.
    var bearer = BearerState()
    /// Number of the frame with the first fragment of the last fragmented PDU.
    var firstFragment = 0
    /// Parts that this side's client queues by Prepare Write, in one queue for all bearers (Vol 3, Part F, 3.4.6).
    var queuedWrite = ValueAssembler()
    /// Parts that this side's server returns for Read and Read Blob.
    var longRead = ValueAssembler()
}

/// Per-direction state of an ATT bearer, which carries one transaction at a time (Vol 3, Part F, 3.3.2).
struct BearerState: Sendable {
    /// The last request, and whether it awaits its response, which comes in the other direction.
    var request = PendingRequest()
    /// Requests before it that also await a response, the oldest first; empty unless the last one waits.
    var olderRequests: [RequestFacts] = []
    /// Whether requests have overlapped since all were last answered: it is uncertain which request a response answers.
    var isOverlapped = false
    /// Whether the last response was paired with an older request, though it may answer the last one.
    var isPairingUncertain = false
    /// Shortest time from a request to its response so far, without overlapping requests.
    var shortestLatency = TimeSpan.longest
    /// Time of the last response.
    var lastResponse = Timestamp.earliest
    /// The last indication, and whether it awaits its confirmation.
    var indication = PendingRequest()
    /// Handles of this side's last Read Multiple Request, as encoded there.
    var askedHandles: [UInt8] = []
}

/// An ATT bearer that is a credit-based channel (Vol 3, Part G, 5.3).
struct EnhancedBearer: Sendable {
    /// By the directions' raw values.
    var directions = InlineArray<3, BearerState>(repeating: BearerState())
    /// ATT_MTU, in bytes.
    var mtu = UInt16(ATT.leastEnhancedMTU)
}

/// A request or an indication that awaits its answer. It remains after the answer, which refers to it.
struct PendingRequest: Sendable {
    private(set) var isOpen = false
    private(set) var metadata = RequestFacts(opcode: ATT.Opcode(rawValue: 0), frame: 0, time: .epoch)

    @inline(__always)
    mutating func ask(_ metadata: RequestFacts) {
        isOpen = true
        self.metadata = metadata
    }

    @inline(__always)
    mutating func close() { isOpen = false }
}

/// Per-direction state of a connection that every frame touches.
struct DirectionSummary: Sendable {
    /// Index of the connection, as frames refer to it.
    var connection: Int32 = -1
    /// Table version of the ATT server that sends in this direction; unknown before its first PDU.
    var tableVersion = TableVersion.unknown
    /// Devices, as indices in `Tracker.devices`.
    var sender: Int32 = -1
    var receiver: Int32 = -1
    /// A copy of the table version's handles to monitor, where every read can compare with it.
    var watched = ServerValueHandles()
    private(set) var frames = 0
    /// Number of the last frame.
    private(set) var lastFrame = 0
    /// Time of the last frame.
    private(set) var end = Timestamp(nanoseconds: 0)

    /// Counts a frame, and stores the connection and its devices in the frame's metadata.
    @inline(__always)
    mutating func add(_ metadata: inout FrameMetadata) {
        frames += 1
        lastFrame = metadata.packet.number
        end = metadata.packet.time
        metadata.connection = connection
        metadata.sender = sender
        metadata.receiver = receiver
    }
}
