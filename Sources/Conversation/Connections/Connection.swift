package import Bluetooth
import BluetoothCrypto
package import Bytes
import Captures

/// A connection, for the whole capture: who, when, and what was agreed.
package struct Connection: Sendable {
    /// What tells a connection from others while it lasts.
    package enum Key: Hashable, Sendable {
        /// Adapter and connection handle, in a host capture.
        case handle(adapter: UInt16, ConnectionHandle)
        /// Access address, in a link layer capture.
        case accessAddress(UInt32)
    }

    package var key: Key
    /// Index of the device that sends what is `.sent`: the local host, or the central; -1 where it is not known.
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
    /// The parameters in force.
    package private(set) var parameters = LinkParameters()
    /// Changes of parameters, of the MTU and of encryption in order, the first ones included.
    package private(set) var changes: [LinkChange.Record] = []

    /// Applies a change, and lists it where `isListed`.
    mutating func apply(_ change: LinkChange, _ facts: borrowing FrameMetadata, isListed: Bool) {
        parameters.apply(change)
        switch change {
        case .mtu(let mtu): self.mtu = mtu
        case .encryption(let isOn): isEncrypted = isOn
        default: break
        }
        guard isListed else { return }
        changes.append(LinkChange.Record(change: change, frame: facts.packet.number, time: facts.packet.time))
    }

    /// Adds what was counted in the directions of the connection.
    mutating func add(_ summaries: ArraySlice<DirectionSummary>) {
        guard let last = summaries.max(by: { $0.lastFrame < $1.lastFrame }), last.frames > 0 else { return }
        frames = summaries.reduce(0) { $0 + $1.frames }
        end = last.end
    }

    /// Adds what is known of another one that shares this entry.
    mutating func add(_ other: Connection) {
        frames += other.frames
        end = max(end, other.end)
    }
}

/// The part of an adapter in a connection, numbered as `bthci_acl.src.role` is.
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

/// State of a connection that the tracker keeps while it lasts.
struct OpenConnection: Sendable {
    /// Index in `Tracker.connections`, but for the limit there.
    let number: Int
    private(set) var isOpen = true
    var connection: Connection
    var channels = L2CAP.CreditBasedChannels()
    /// On BR/EDR: the channels that Connection Requests open.
    var orientedChannels = L2CAP.ConnectionOrientedChannels()
    /// Enhanced ATT bearers that are open, by the numbers of their channels.
    var bearers: [UInt8: EnhancedBearer] = [:]
    /// Initial CRC value of the connection, in a link layer capture.
    var crcInit: UInt32?
    /// The identity resolving key that was told last, and who told it.
    var identityKey: (sender: Int32, key: SecretKey)?
    /// On the air: whether PDUs are plain text.
    var encryption: LinkEncryption
    /// On the air: which side sent a PDU.
    var directions: DirectionInference
    /// On the air: which PDUs are repeated, and which were not heard.
    var sequence = SequenceNumbers()
    /// On the air: which connection events were heard.
    var events = ConnectionEvents()
    /// Number of the last frame before which, or in which, something was missing; 0 for none.
    var lastLoss = 0
    /// On the air: the last LL_LENGTH_REQ and its direction.
    var lengthRequest: (direction: Direction, lengths: LL.DataLengths)?
    /// Whether the listed changes say that the connection is encrypted.
    var isEncryptionListed = false
    /// Whether it is a connection of BR/EDR, as far as it is known.
    var isBREDR = false
    /// On the air: the last request for a connected isochronous stream.
    var cisRequest: LL.CISReq?

    init(_ connection: Connection, number: Int) {
        self.connection = connection
        self.number = number
        encryption = LinkEncryption(isBeginningKnown: connection.isBeginningKnown)
        directions = DirectionInference(isBeginningKnown: connection.isBeginningKnown)
    }

    /// Forgets all but whose it was.
    mutating func reset() {
        self = OpenConnection(connection, number: number)
        isOpen = false
    }
}

/// Per-direction state of a connection that ATT PDUs and fragments need.
struct DirectionState: Sendable {
    var assembler = FragmentAssembler()
    /// State of the fixed channel; while a PDU of an enhanced bearer is followed, of that bearer.
    var bearer = BearerState()
    /// Number of the frame with the first fragment of the PDU that came last in fragments.
    var firstFragment = 0
    /// What this side's client queues by Prepare Write: it has one queue for all bearers (Vol 3, Part F, 3.4.6).
    var queuedWrite = ValueAssembler()
    /// What this side's server gives in parts, by Read and Read Blob.
    var longRead = ValueAssembler()
}

/// Per-direction state of an ATT bearer, on which one transaction goes on at a time (Vol 3, Part F, 3.3.2).
struct BearerState: Sendable {
    /// The last request, and whether it waits for its response; that comes the other way.
    var request = PendingRequest()
    /// Requests before it that wait as well, the oldest first: there are some only while the last one waits.
    var olderRequests: [RequestFacts] = []
    /// Requests overlapped since all of them were answered: which one a response answers is not certain.
    var isOverlapped = false
    /// The last response was paired with an older request, though it may answer the last one.
    var isPairingUncertain = false
    /// The shortest time from a request to its response so far, of requests that did not overlap.
    var shortestLatency = TimeSpan.longest
    /// When the last response came.
    var lastResponse = Timestamp.earliest
    /// MTU of the last Exchange MTU Request, in bytes.
    var offeredMTU = UInt16(ATT.defaultMTU)
    /// The last indication, and whether it waits for its confirmation.
    var indication = PendingRequest()
    /// The handles of this side's last Read Multiple Request, as they stand there.
    var askedHandles: [UInt8] = []
}

/// An ATT bearer that is a credit-based channel (Vol 3, Part G, 5.3).
struct EnhancedBearer: Sendable {
    /// By the directions' raw values.
    var directions = InlineArray<3, BearerState>(repeating: BearerState())
    /// ATT_MTU, in bytes.
    var mtu = UInt16(ATT.leastEnhancedMTU)
}

/// A request or an indication that waits for its answer. It stays after the answer, which refers to it.
struct PendingRequest: Sendable {
    private(set) var isOpen = false
    private(set) var facts = RequestFacts(opcode: ATT.Opcode(rawValue: 0), frame: 0, time: .epoch)

    @inline(__always)
    mutating func ask(_ facts: RequestFacts) {
        isOpen = true
        self.facts = facts
    }

    @inline(__always)
    mutating func close() { isOpen = false }
}

/// Per-direction state of a connection that every frame touches.
struct DirectionSummary: Sendable {
    /// The connection as frames name it.
    var connection: Int32 = -1
    /// The ATT server that sends in this direction, as an index in `AttributeTableStore.bindings`; -1 before its first PDU.
    var binding: Int32 = -1
    /// Devices, as indices in `Tracker.devices`.
    var sender: Int32 = -1
    var receiver: Int32 = -1
    /// What `AttributeTableStore` says of the binding, where every read can look for it.
    var watched = ServerValueHandles()
    private(set) var frames = 0
    /// Number of the last frame.
    private(set) var lastFrame = 0
    /// Time of the last frame.
    private(set) var end = Timestamp(nanoseconds: 0)

    /// Counts a frame, and notes its connection and devices in its metadata.
    @inline(__always)
    mutating func add(_ facts: inout FrameMetadata) {
        frames += 1
        lastFrame = facts.packet.number
        end = facts.packet.time
        facts.connection = connection
        facts.sender = sender
        facts.receiver = receiver
    }
}
