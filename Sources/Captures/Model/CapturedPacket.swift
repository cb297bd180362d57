public import Bytes

/// One record of a capture: a packet's metadata and the location of its bytes.
///
/// It is plain data, so that millions of packets pass through without an allocation. The bytes are in its
/// `PacketBatch`.
public struct CapturedPacket: Sendable, Hashable {
    /// Frame number in the whole capture, from 1.
    public var number: Int
    /// Time of capture.
    public var time: Timestamp
    // 32 bits each, in this order: a small struct moves between threads faster. A size that is not a multiple of 8
    // bytes is copied in overlapping pieces, which stalls the processor.
    private var storedOriginalLength: UInt32
    private var storedStart: UInt32
    private var storedCount: UInt32
    /// Index into `PacketBatch.comments`; -1 for none.
    public var comment: Int32
    /// The adapter in the low half, `drops` in the high half.
    private var storedAdapter: UInt32
    /// Packet type that the format stores outside the bytes: Linux monitor opcode, PacketLogger record type.
    public var recordType: UInt16
    /// The format of the bytes.
    public var encapsulation: Encapsulation
    /// The direction, if the capture format stores it outside the bytes.
    public var direction: Direction

    public init(
        number: Int, time: Timestamp, encapsulation: Encapsulation, direction: Direction = .unknown,
        adapter: UInt16 = 0, recordType: UInt16 = 0, originalLength: Int, start: Int, count: Int, comment: Int32 = -1
    ) {
        self.number = number
        self.time = time
        self.encapsulation = encapsulation
        self.direction = direction
        storedAdapter = UInt32(adapter)
        self.recordType = recordType
        storedOriginalLength = UInt32(clamping: originalLength)
        storedStart = UInt32(clamping: start)
        storedCount = UInt32(clamping: count)
        self.comment = comment
    }

    /// HCI adapter (hci0 is 0) or pcapng interface, if the capture format stores it outside the bytes.
    public var adapter: UInt16 {
        get { UInt16(truncatingIfNeeded: storedAdapter) }
        set { storedAdapter = UInt32(drops) << 16 | UInt32(newValue) }
    }

    /// Packets that the capture tool dropped between the previous packet and this one: btsnoop's cumulative drops,
    /// pcapng's `epb_dropcount`. 65,535 also stands for larger numbers.
    public var drops: UInt16 {
        get { UInt16(truncatingIfNeeded: storedAdapter >> 16) }
        set { storedAdapter = UInt32(newValue) << 16 | UInt32(adapter) }
    }

    /// Whether the capture tool dropped packets between the previous packet and this one.
    public var followsDrop: Bool { drops != 0 }

    /// Length of the packet on the wire, in bytes.
    public var originalLength: Int {
        get { Int(storedOriginalLength) }
        set { storedOriginalLength = UInt32(clamping: newValue) }
    }

    /// Offset of the first byte in the batch.
    public var start: Int {
        get { Int(storedStart) }
        set { storedStart = UInt32(clamping: newValue) }
    }

    /// Number of captured bytes.
    public var count: Int {
        get { Int(storedCount) }
        set { storedCount = UInt32(clamping: newValue) }
    }

    /// Whether the packet was truncated by the capture; it must not be decoded as complete.
    public var isCut: Bool { count < originalLength }

    /// Wireshark's `frame.len`: the original length, without the header in which pcap stores a direction or a monitor
    /// opcode, and including PacketLogger's type byte.
    public var frameLength: Int { Self.frameLength(originalLength, encapsulation) }

    /// Wireshark's `frame.cap_len`: the captured length, counted as in `frameLength`.
    public var capturedFrameLength: Int { Self.frameLength(count, encapsulation) }

    private static func frameLength(_ length: Int, _ encapsulation: Encapsulation) -> Int {
        switch encapsulation {
        case .h4WithDirection, .monitorWithHeader: max(0, length - 4)
        case .packetLogger: length + 1
        default: length
        }
    }

    /// Range of the bytes in the batch.
    public var range: Range<Int> { start..<(start + count) }
}

/// The format of a captured packet's bytes.
public enum Encapsulation: UInt8, Sendable, Hashable, CaseIterable {
    /// The H4 packet type comes first (btsnoop 1002, pcap 187).
    case h4
    /// A 4-byte big-endian direction, then the H4 packet type (pcap 201).
    case h4WithDirection
    /// An HCI packet without a type byte; `recordType` is the H4 packet type (btsnoop 1001).
    case h1
    /// The body of a Linux monitor record; `recordType` is its opcode, `adapter` its index (btsnoop 2001).
    case monitor
    /// Adapter and opcode, 16 bits big-endian each, then the body of a Linux monitor record (pcap 254).
    case monitorWithHeader
    /// The body of an Apple PacketLogger record; `recordType` is its type.
    case packetLogger
    /// A Link Layer packet from access address to CRC (pcap 251).
    case linkLayer
    /// A 10-byte pseudo-header, then a Link Layer packet (pcap 256).
    case linkLayerWithHeader
    /// An nRF Sniffer for Bluetooth LE packet (pcap 272).
    case nordic
    /// A PPI header, then a Link Layer packet (pcap 192).
    case ppi
    /// An HCI packet of one or more USB transfers, without a type byte; `recordType` is the H4 packet type (pcap 189,
    /// 220, 249, 266).
    case usb
}

/// A packet's direction, seen from the host (HCI) or from the central (Link Layer).
public enum Direction: UInt8, Sendable, Hashable {
    case unknown
    /// Host to controller; central to peripheral.
    case sent
    /// Controller to host; peripheral to central.
    case received

    /// The reverse direction.
    public var opposite: Direction {
        switch self {
        case .unknown: .unknown
        case .sent: .received
        case .received: .sent
        }
    }
}
