public import Bytes

/// One record of a capture: what the recorder knew of a packet, and where its bytes are.
///
/// It is plain data, so that millions of them pass through without an allocation; the bytes stay in the
/// `PacketBatch` that it belongs to.
public struct CapturedPacket: Sendable, Hashable {
    /// Frame number, from 1, over the whole capture.
    public var number: Int
    /// Time of capture.
    public var time: Timestamp
    // 32 bits each, and in this order: what is small is handed from thread to thread faster, and a size that is not a
    // multiple of 8 bytes is copied in pieces that overlap, for which the processor waits.
    private var storedOriginalLength: UInt32
    private var storedStart: UInt32
    private var storedCount: UInt32
    /// Index into `PacketBatch.comments`; -1 for none.
    public var comment: Int32
    /// The adapter, and `drops` in the high half.
    private var storedAdapter: UInt32
    /// Packet type that the format keeps beside the bytes: Linux monitor opcode, PacketLogger record type.
    public var recordType: UInt16
    /// How the bytes begin.
    public var encapsulation: Encapsulation
    /// Which way it went, as far as the recorder told beside the bytes.
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

    /// HCI adapter (hci0 is 0) or interface of a pcapng section, as far as the recorder told beside the bytes.
    public var adapter: UInt16 {
        get { UInt16(truncatingIfNeeded: storedAdapter) }
        set { storedAdapter = UInt32(drops) << 16 | UInt32(newValue) }
    }

    /// Packets that the recorder dropped between the one before and this one, as it counted them: btsnoop's cumulative
    /// drops, pcapng's `epb_dropcount`. 65,535 stands for more, too.
    public var drops: UInt16 {
        get { UInt16(truncatingIfNeeded: storedAdapter >> 16) }
        set { storedAdapter = UInt32(newValue) << 16 | UInt32(adapter) }
    }

    /// Whether the recorder dropped packets between the one before and this one.
    public var followsDrop: Bool { drops != 0 }

    /// Length of the packet when it was captured, in bytes.
    public var originalLength: Int {
        get { Int(storedOriginalLength) }
        set { storedOriginalLength = UInt32(clamping: newValue) }
    }

    /// First byte in the batch.
    public var start: Int {
        get { Int(storedStart) }
        set { storedStart = UInt32(clamping: newValue) }
    }

    /// Bytes that the recorder kept.
    public var count: Int {
        get { Int(storedCount) }
        set { storedCount = UInt32(clamping: newValue) }
    }

    /// Whether the recorder cut the packet short: it must not be decoded as whole.
    public var isCut: Bool { count < originalLength }

    /// Length when it was captured, as Wireshark's `frame.len` counts it: without the header in which pcap keeps a
    /// direction or a monitor opcode, and with PacketLogger's type byte.
    public var frameLength: Int { Self.frameLength(originalLength, encapsulation) }

    /// Bytes that the recorder kept, counted as `frameLength` counts them: Wireshark's `frame.cap_len`.
    public var capturedFrameLength: Int { Self.frameLength(count, encapsulation) }

    private static func frameLength(_ length: Int, _ encapsulation: Encapsulation) -> Int {
        switch encapsulation {
        case .h4WithDirection, .monitorWithHeader: max(0, length - 4)
        case .packetLogger: length + 1
        default: length
        }
    }

    /// Range of its bytes in the batch.
    public var range: Range<Int> { start..<(start + count) }
}

/// How a captured packet's bytes begin.
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
    /// A link layer packet from its access address to its CRC (pcap 251).
    case linkLayer
    /// A 10-byte pseudo-header, then a link layer packet (pcap 256).
    case linkLayerWithHeader
    /// An nRF Sniffer for Bluetooth LE packet (pcap 272).
    case nordic
    /// A PPI header, then a link layer packet (pcap 192).
    case ppi
}

/// Which way a packet went, seen from the host (HCI) or from the central (link layer).
public enum Direction: UInt8, Sendable, Hashable {
    case unknown
    /// Host to controller; central to peripheral.
    case sent
    /// Controller to host; peripheral to central.
    case received

    /// The other way.
    public var opposite: Direction {
        switch self {
        case .unknown: .unknown
        case .sent: .received
        case .received: .sent
        }
    }
}
