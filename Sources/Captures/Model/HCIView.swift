public import Bytes

/// The packet indicator that the H4 transport puts before an HCI packet (Vol 4, Part A, 2).
public struct H4PacketType: WireInteger {
    public var rawValue: UInt8

    @inlinable
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    init(_ rawValue: UInt8) {
        self.rawValue = rawValue
    }

    public static let command = Self(1)
    public static let acl = Self(2)
    public static let sco = Self(3)
    public static let event = Self(4)
    public static let iso = Self(5)

    /// The direction that the type implies; unknown for data, which goes both ways.
    @inlinable public var impliedDirection: Direction {
        switch rawValue {
        case 1: .sent
        case 4: .received
        default: .unknown
        }
    }
}

/// A packet of an HCI capture, independent of its encapsulation.
public struct HCIView: Sendable, Hashable {
    /// The HCI packet type; nil for other records: a note, a log text, an index record.
    public let type: H4PacketType?
    public let direction: Direction
    /// HCI adapter: hci0 is 0.
    public let adapter: UInt16
    /// Linux monitor opcode or PacketLogger record type; 0 in encapsulations without one.
    public let recordType: UInt16
    @usableFromInline let storedStart: UInt32
    @usableFromInline let storedCount: UInt32

    @inlinable
    @inline(__always)
    init(type: H4PacketType?, direction: Direction, adapter: UInt16, recordType: UInt16, start: Int, count: Int) {
        self.type = type
        self.direction = direction
        self.adapter = adapter
        self.recordType = recordType
        storedStart = UInt32(clamping: start)
        storedCount = UInt32(clamping: count)
    }

    /// Offset in the batch of the HCI packet after its type byte, or of the record's body.
    public var start: Int { Int(storedStart) }
    /// Number of captured bytes from `start` on.
    public var count: Int { Int(storedCount) }
    /// Range of the HCI packet in the batch.
    public var range: Range<Int> { start..<(start + count) }
}

extension CapturedPacket {
    /// The packet as HCI; nil for a Link Layer capture and for a packet too short to interpret.
    ///
    /// `bytes` are the bytes of the packet's batch.
    @inlinable
    @inline(__always)
    public func hciView(in bytes: RawSpan) -> HCIView? {
        if encapsulation == .h4 {
            return Self.h4View(in: bytes, start: start, count: count, direction: direction, adapter: adapter)
        }
        return Self.otherView(
            encapsulation, in: bytes, start: start, count: count, direction: direction, adapter: adapter,
            recordType: recordType)
    }

    /// Takes the properties one by one: passing the packet as a whole would spill it to memory first.
    @usableFromInline
    static func otherView(
        _ encapsulation: Encapsulation, in bytes: RawSpan, start: Int, count: Int, direction: Direction,
        adapter: UInt16, recordType: UInt16
    ) -> HCIView? {
        switch encapsulation {
        case .h4: h4View(in: bytes, start: start, count: count, direction: direction, adapter: adapter)
        case .h4WithDirection:
            h4View(in: bytes, start: start + 4, count: count - 4, direction: direction, adapter: adapter)
        case .h1, .usb:
            HCIView(
                type: H4PacketType(rawValue: UInt8(truncatingIfNeeded: recordType)), direction: direction,
                adapter: adapter, recordType: 0, start: start, count: count)
        case .monitor: monitorView(MonitorOpcode(rawValue: recordType), adapter, start: start, count: count)
        case .monitorWithHeader:
            if count >= 4 {
                monitorView(
                    MonitorOpcode(rawValue: bytes.bigEndian(at: start + 2)), bytes.bigEndian(at: start),
                    start: start + 4, count: count - 4)
            } else {
                nil
            }
        case .packetLogger: packetLoggerView(recordType, adapter, start: start, count: count)
        case .linkLayer, .linkLayerWithHeader, .nordic, .ppi: nil
        }
    }

    @inlinable
    @inline(__always)
    static func h4View(in bytes: RawSpan, start: Int, count: Int, direction: Direction, adapter: UInt16) -> HCIView? {
        guard count > 0 else { return nil }
        let type = H4PacketType(rawValue: bytes.byte(at: start))
        return HCIView(
            type: type, direction: direction == .unknown ? type.impliedDirection : direction, adapter: adapter,
            recordType: 0, start: start + 1, count: count - 1)
    }

    private static func monitorView(_ opcode: MonitorOpcode, _ adapter: UInt16, start: Int, count: Int) -> HCIView {
        let row = opcode.row
        return HCIView(
            type: row?.packetType, direction: row?.direction ?? .unknown, adapter: adapter,
            recordType: opcode.rawValue, start: start, count: count)
    }

    private static func packetLoggerView(_ recordType: UInt16, _ adapter: UInt16, start: Int, count: Int) -> HCIView {
        let row = PacketLoggerRecordType(rawValue: UInt8(truncatingIfNeeded: recordType)).row
        var type: H4PacketType?
        if case .hci(let packetType) = row?.content { type = packetType }
        return HCIView(
            type: type, direction: row?.direction ?? .unknown, adapter: adapter, recordType: recordType, start: start,
            count: count)
    }
}
