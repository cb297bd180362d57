import Bytes

/// The btsnoop format: a 16-byte file header, then records with a 24-byte header each; all integers are big-endian (RFC
/// 1761 describes the snoop format it derives from, BlueZ `src/shared/btsnoop.h` its data links).
enum Btsnoop {
    static let magic: [UInt8] = Array("btsnoop\0".utf8)
    static let version: UInt32 = 1
    static let headerSize = 16
    static let recordHeaderSize = 24
    /// 1970-01-01 in btsnoop time: microseconds since the year 0.
    static let epoch: Int64 = 0x00DC_DDB3_0F2F_8000

    /// The data link type of a file's records.
    struct DataLink: WireInteger {
        var rawValue: UInt32

        init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        static let h1 = Self(rawValue: 1001)
        static let h4 = Self(rawValue: 1002)
        static let threeWire = Self(rawValue: 1004)
        static let linuxMonitor = Self(rawValue: 2001)

        /// The encapsulation of the records; nil for an unsupported data link.
        var encapsulation: Encapsulation? {
            switch self {
            case .h1: .h1
            case .h4, .threeWire: .h4
            case .linuxMonitor: .monitor
            default: nil
            }
        }

        /// Name and number, e.g. "HCI over BCSP (1003)".
        var label: String {
            switch rawValue {
            case 1001: "HCI without transport, H1 (1001)"
            case 1002: "HCI UART, H4 (1002)"
            case 1003: "HCI over BCSP (1003)"
            case 1004: "HCI three-wire, H5 (1004)"
            case 2001: "Linux monitor (2001)"
            case 2002: "Linux simulator (2002)"
            default: "unknown data link (\(rawValue))"
            }
        }
    }
}

struct BtsnoopFramer: RecordFramer {
    /// Nil until the header has been read.
    private var encapsulation: Encapsulation?
    /// The cumulative drops of the last record: packets that the capture tool has dropped so far.
    private var drops: UInt32 = 0
    /// Nil unless the records are packets of the three-wire UART.
    private var threeWire: ThreeWireRecords?

    var format: CaptureFormat { .btsnoop }

    mutating func frame(_ bytes: RawSpan, _ pass: inout FramingPass) {
        if encapsulation == nil { readHeader(bytes, &pass) }
        guard let encapsulation else { return }
        let most = max(0, bytes.byteCount - pass.position) / Btsnoop.recordHeaderSize
        var packets: [CapturedPacket] = []
        swap(&packets, &pass.packets)
        packets.append(addingCapacity: most) { packets in
            while let packet = Self.frameRecord(bytes, encapsulation, &drops, &pass) { packets.append(packet) }
        }
        swap(&packets, &pass.packets)
        threeWire?.replace(in: &pass, bytes)
    }

    private mutating func readHeader(_ bytes: RawSpan, _ pass: inout FramingPass) {
        guard bytes.byteCount >= Btsnoop.headerSize else {
            return pass.wait(for: Btsnoop.headerSize, "btsnoop header")
        }
        let version = bytes.bigEndian(at: 8, as: UInt32.self)
        guard version == Btsnoop.version else {
            return pass.fail(
                "btsnoop version \(version), version 1 was expected", kind: .unsupported, distance: 8,
                advice: "unsupported version")
        }
        let dataLink = Btsnoop.DataLink(rawValue: bytes.bigEndian(at: 12))
        encapsulation = dataLink.encapsulation
        if dataLink == .threeWire { threeWire = ThreeWireRecords() }
        guard encapsulation != nil else {
            return pass.fail(
                "btsnoop data link \(dataLink.label) is not read", kind: .unsupported, distance: 12,
                advice: "1001 (H1), 1002 (H4), 1004 (H5) and 2001 (Linux monitor) are")
        }
        pass.position = Btsnoop.headerSize
    }

    /// Frames one record; nil if it is incomplete.
    @inline(__always)
    private static func frameRecord(
        _ bytes: RawSpan, _ encapsulation: Encapsulation, _ drops: inout UInt32, _ pass: inout FramingPass
    ) -> CapturedPacket? {
        let record = bytes.extracting(droppingFirst: pass.position)
        guard record.byteCount >= Btsnoop.recordHeaderSize else {
            pass.wait(for: Btsnoop.recordHeaderSize, "record header")
            return nil
        }
        let original = record.bigEndian(at: 0, as: UInt32.self)
        let captured = record.bigEndian(at: 4, as: UInt32.self)
        guard captured <= CaptureLimit.packet else {
            pass.fail(CaptureLimit.refusal(of: captured), distance: 4)
            return nil
        }
        let length = Btsnoop.recordHeaderSize + Int(captured)
        guard record.byteCount >= length else {
            pass.wait(for: length, "record")
            return nil
        }
        if captured > original { pass.warnOfOriginalLength(original, captured: captured) }
        let flags = record.bigEndian(at: 8, as: UInt32.self)
        let sinceYear0 = record.bigEndian(at: 16, as: Int64.self)
        let (since1970, overflow) = sinceYear0.subtractingReportingOverflow(Btsnoop.epoch)
        pass.number += 1
        var packet = CapturedPacket(
            number: pass.number, time: Timestamp(microseconds: overflow ? .min : since1970),
            encapsulation: encapsulation, direction: flags & 1 == 0 ? .sent : .received,
            originalLength: Int(max(original, captured)), start: pass.position + Btsnoop.recordHeaderSize,
            count: Int(captured))
        switch encapsulation {
        case .h1:
            // Bit 1 distinguishes commands and events from data.
            packet.recordType = flags & 2 == 0 ? 2 : flags & 1 == 0 ? 1 : 4
        case .monitor:
            packet.adapter = UInt16(truncatingIfNeeded: flags >> 16)
            packet.recordType = UInt16(truncatingIfNeeded: flags)
            packet.direction = MonitorOpcode(rawValue: packet.recordType).row?.direction ?? .unknown
        default: break
        }
        let counted = record.bigEndian(at: 12, as: UInt32.self)
        if counted != drops {
            packet.drops = counted > drops ? UInt16(clamping: counted - drops) : 0
            drops = counted
        }
        pass.position += length
        return packet
    }
}

extension FramingPass {
    /// Warns about a record whose original length is shorter than its captured bytes.
    mutating func warnOfOriginalLength(_ original: UInt32, captured: UInt32) {
        warn("a record has \(captured) captured bytes of a packet with \(original)", advice: "all were read")
    }
}

/// Writes btsnoop, data link 1002 or 2001.
struct BtsnoopWriter: RecordWriter {
    let isMonitor: Bool
    /// Packets that the capture tool dropped before the last record.
    private var drops: UInt32 = 0

    init(isMonitor: Bool) {
        self.isMonitor = isMonitor
    }

    func begin(_ output: inout OutputBuffer) {
        output.append(Btsnoop.magic)
        output.append(bigEndian: Btsnoop.version)
        output.append(bigEndian: (isMonitor ? Btsnoop.DataLink.linuxMonitor : .h4).rawValue)
    }

    mutating func write(
        _ packet: OutgoingPacket, header: [UInt8], body: [UInt8], _ output: inout OutputBuffer,
        _ losses: inout LossCounter
    ) {
        let count = header.count + packet.count
        output.append(bigEndian: UInt32(clamping: count + packet.missing))
        output.append(bigEndian: UInt32(truncatingIfNeeded: count))
        output.append(
            bigEndian: isMonitor ? UInt32(packet.adapter) << 16 | UInt32(packet.recordType) : h4Flags(packet, header))
        drops = UInt32(clamping: Int(drops) + packet.drops)
        output.append(bigEndian: drops)
        let (time, overflow) = packet.microseconds(&losses).addingReportingOverflow(Btsnoop.epoch)
        output.append(bigEndian: overflow ? Int64.max : time)
        output.append(header)
        output.append(body[packet.start..<(packet.start + packet.count)])
        if !isMonitor, packet.adapter != 0 { losses.add(.adapter, frame: packet.number) }
    }

    /// Bit 0: received; bit 1: command or event.
    private func h4Flags(_ packet: OutgoingPacket, _ header: [UInt8]) -> UInt32 {
        let type = header.last.map(H4PacketType.init(rawValue:))
        return (packet.direction == .received ? 1 : 0) | (type == .command || type == .event ? 2 : 0)
    }
}
