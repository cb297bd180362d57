import Bluetooth
import BluetoothCrypto
import Bytes

/// What a connection's packets on the air have beside their content: access address, CRC, channel, encryption (Vol 6,
/// Part B, 2.3.3.1 and 4.5.8).
struct AirLink: Sendable {
    let accessAddress: LL.AccessAddress
    let crcInit: UInt32
    /// Hop increment of CONNECT_IND; Channel Selection Algorithm #2 does not use it.
    let hop: UInt8
    private let selection: LL.ChannelSelection
    var channelMap: ChannelMap
    private var central = Sender()
    private var peripheral = Sender()
    /// Serial of the scheduled event without data; 0 if there is none.
    var idleSerial: UInt64 = 0

    /// The encryption of one end's packets (Vol 6, Part E, 2).
    private struct Sender: Sendable {
        var session: EncryptionSession?
        var cipher: LinkEncryption?
        /// packetCounter, 39 bits: number of encrypted PDUs, retransmissions not counted.
        var counter: UInt64 = 0
        /// The PDU that is not acknowledged yet, as it was first sent.
        var current: Content?
    }

    /// LLID and payload of a PDU, with its MIC if it is encrypted.
    struct Content: Sendable {
        var llid: LL.LLID
        var payload: [UInt8]

        static let empty = Content(llid: .continuation, payload: [])
    }

    /// Takes the values of a connection from a generator for it alone.
    init(_ request: ConnectRequest, seed: UInt64, number: UInt64) {
        var random = SplitMix64(seed: seed ^ number)
        accessAddress = Self.accessAddress(&random)
        crcInit = UInt32.random(in: 0...0xFF_FFFF, using: &random)
        hop = UInt8.random(in: 5...16, using: &random)
        selection = request.usesAlgorithm2 ? .algorithm2(accessAddress) : .algorithm1(hop: hop)
        channelMap = request.channelMap
    }

    /// An access address that is valid on every PHY. On LE Coded, its eight least significant bits have at least three
    /// ones, and its 16 least significant bits at most eleven transitions (Vol 6, Part B, 2.1.2).
    private static func accessAddress(_ random: inout SplitMix64) -> LL.AccessAddress {
        while true {
            let value = UInt32(truncatingIfNeeded: random.next())
            let transitions = ((value ^ value >> 1) & 0x7FFF).nonzeroBitCount
            let address = LL.AccessAddress(rawValue: value)
            if address.isValidForConnection, (value & 0xFF).nonzeroBitCount >= 3, transitions <= 11 { return address }
        }
    }

    /// The channel of a connection event, counted from the start of the connection.
    func channel(ofEvent event: Int64) -> LL.Channel {
        selection.channel(ofEvent: UInt64(clamping: event), in: channelMap)
    }

    private subscript(_ side: Link.Side) -> Sender {
        get { side == .central ? central : peripheral }
        set { if side == .central { central = newValue } else { peripheral = newValue } }
    }

    /// The content of a PDU on the air. It is encrypted once: a retransmission has the same bytes.
    mutating func content(of pdu: LinkPDU, from side: Link.Side, instant: UInt16) -> Content {
        if let current = self[side].current { return current }
        var sender = self[side]
        var content = pdu.content.onAir(instant: instant)
        if sender.session != pdu.session {
            sender.session = pdu.session
            sender.cipher = pdu.session?.cipher
            sender.counter = 0
        }
        if let cipher = sender.cipher, !content.payload.isEmpty {
            content.payload = cipher.seal(
                content.payload, header: content.llid.rawValue, counter: sender.counter,
                from: side == .central ? .central : .peripheral)
            sender.counter += 1
        }
        sender.current = content
        self[side] = sender
        return content
    }

    /// Whether an end has sent the first PDU of its queue.
    func hasSent(_ side: Link.Side) -> Bool { self[side].current != nil }

    /// Handles the acknowledgment of an end's PDU.
    mutating func acknowledged(_ side: Link.Side) { self[side].current = nil }
}

extension LinkPDU.Content {
    /// LLID and unencrypted payload; `instant` is the connection event at which a change takes effect.
    fileprivate func onAir(instant: UInt16) -> AirLink.Content {
        switch self {
        case .start(let bytes): AirLink.Content(llid: .start, payload: bytes)
        case .continuation(let bytes): AirLink.Content(llid: .continuation, payload: bytes)
        case .control(let pdu): AirLink.Content(llid: .control, payload: LL.encode(pdu.withInstant(instant)))
        }
    }
}

extension LL.ControlPDU {
    /// The PDU with the connection event at which its change takes effect; unchanged if it announces none.
    fileprivate func withInstant(_ instant: UInt16) -> any LL.ControlPDU {
        switch self {
        case var update as LL.ConnectionUpdateInd:
            update.instant = instant
            return update
        case var update as LL.ChannelMapInd:
            update.instant = instant
            return update
        case var update as LL.PHYUpdateInd where !update.changesNothing:
            update.instant = instant
            return update
        default: return self
        }
    }
}

extension EncryptionSession {
    /// The cipher of the session's packets.
    fileprivate var cipher: LinkEncryption {
        LinkEncryption(
            longTermKey: key, centralDiversifier: centralDiversifier, peripheralDiversifier: peripheralDiversifier,
            centralVector: centralVector, peripheralVector: peripheralVector)
    }
}
