import Bytes

/// The classic pcap format: a 24-byte header that states byte order, time resolution and link type, then records with a
/// 16-byte header each.
enum Pcap {
    static let headerSize = 24
    static let recordHeaderSize = 16
    /// Record header of the variant written by some Linux 2.x systems: 8 more bytes, which are not needed.
    static let extendedRecordHeaderSize = 24
    static let microsecondMagic: UInt32 = 0xA1B2_C3D4
    static let nanosecondMagic: UInt32 = 0xA1B2_3C4D
    static let extendedMagic: UInt32 = 0xA1B2_CD34
    static let majorVersion: UInt16 = 2
    static let minorVersion: UInt16 = 4
    /// The upper bits of the link type in the header are unrelated flags.
    static let linkTypeMask: UInt32 = 0x03FF_FFFF
}

struct PcapFramer: RecordFramer {
    private let order: ByteOrder
    /// Nanoseconds per unit of a record's second time field.
    private let nanosecondsPerUnit: Int64
    private let recordHeaderSize: Int
    /// Nil until the header has been read.
    private var encapsulation: Encapsulation?
    /// The pseudo-header of a USB capture; nil for other link types.
    private var usbHeader: USBHeader?
    private var transfers = USBTransfers()
    /// What packets of a link type for private use are.
    private let stated: StatedContent?
    /// Nil unless the packets are those of the three-wire UART.
    private var threeWire: ThreeWireRecords?

    var format: CaptureFormat { .pcap }
    var hasNanoseconds: Bool { nanosecondsPerUnit == 1 }
    var lacksAdapter: Bool { transfers.lacksAdapter }

    /// Nil if `bytes` do not start with one of the format's magic numbers.
    init?(magic bytes: [UInt8], as stated: StatedContent? = nil) {
        guard bytes.count >= 4 else { return nil }
        self.stated = stated
        let magic = bytes.span.rawBytes.bigEndian(at: 0, as: UInt32.self)
        switch magic {
        case Pcap.microsecondMagic, Pcap.nanosecondMagic, Pcap.extendedMagic: order = .bigEndian
        case Pcap.microsecondMagic.byteSwapped, Pcap.nanosecondMagic.byteSwapped, Pcap.extendedMagic.byteSwapped:
            order = .littleEndian
        default: return nil
        }
        let value = order == .bigEndian ? magic : magic.byteSwapped
        nanosecondsPerUnit = value == Pcap.nanosecondMagic ? 1 : 1000
        recordHeaderSize = value == Pcap.extendedMagic ? Pcap.extendedRecordHeaderSize : Pcap.recordHeaderSize
    }

    mutating func frame(_ bytes: RawSpan, _ pass: inout FramingPass) {
        if encapsulation == nil { readHeader(bytes, &pass) }
        guard let encapsulation else { return }
        pass.packets.reserveCapacity((bytes.byteCount - pass.position) / 32)
        while frameRecord(bytes, encapsulation, &pass) {}
        if let usbHeader {
            let records = pass.packets
            pass.packets = []
            for record in records { transfers.handle(record, usbHeader, bytes, &pass) }
        }
        threeWire?.replace(in: &pass, bytes)
    }

    private mutating func readHeader(_ bytes: RawSpan, _ pass: inout FramingPass) {
        guard bytes.byteCount >= Pcap.headerSize else { return pass.wait(for: Pcap.headerSize, "pcap header") }
        let version = bytes.integer(at: 4, order, as: UInt16.self)
        guard version == Pcap.majorVersion else {
            return pass.fail(
                "pcap version \(version), version 2 was expected", kind: .unsupported, distance: 4,
                advice: "unsupported version")
        }
        let linkType = LinkType(rawValue: bytes.integer(at: 20, order, as: UInt32.self) & Pcap.linkTypeMask)
        encapsulation = linkType.encapsulation(stated)
        if linkType.isPrivate, stated == .h5 { threeWire = ThreeWireRecords() }
        guard encapsulation != nil else {
            return pass.fail(
                linkType.refusal, kind: .unsupported, distance: 20,
                advice: linkType.advice)
        }
        usbHeader = USBHeader(linkType, order)
        pass.position = Pcap.headerSize
    }

    /// Frames one record; false if it is incomplete.
    @inline(__always)
    private func frameRecord(_ bytes: RawSpan, _ encapsulation: Encapsulation, _ pass: inout FramingPass) -> Bool {
        let position = pass.position
        let available = bytes.byteCount - position
        guard available >= recordHeaderSize else {
            pass.wait(for: recordHeaderSize, "record header")
            return false
        }
        let captured = bytes.integer(at: position + 8, order, as: UInt32.self)
        let original = bytes.integer(at: position + 12, order, as: UInt32.self)
        guard captured <= CaptureLimit.packet else {
            pass.fail(CaptureLimit.refusal(of: captured), distance: 8)
            return false
        }
        let length = recordHeaderSize + Int(captured)
        guard available >= length else {
            pass.wait(for: length, "record")
            return false
        }
        if captured > original { pass.warnOfOriginalLength(original, captured: captured) }
        let seconds = bytes.integer(at: position, order, as: UInt32.self)
        let fraction = bytes.integer(at: position + 4, order, as: UInt32.self)
        let start = position + recordHeaderSize
        pass.number += 1
        pass.packets.append(
            CapturedPacket(
                number: pass.number,
                time: Timestamp(seconds: Int64(seconds), nanoseconds: Int64(fraction) * nanosecondsPerUnit),
                encapsulation: encapsulation,
                direction: encapsulation.direction(in: bytes, start: start, count: Int(captured)),
                originalLength: Int(max(original, captured)), start: start, count: Int(captured)))
        pass.position = position + length
        return true
    }
}

extension Encapsulation {
    /// The direction in a packet's bytes before its H4 type; unknown in other encapsulations.
    @inline(__always)
    func direction(in bytes: RawSpan, start: Int, count: Int) -> Direction {
        guard self == .h4WithDirection, count >= 4 else { return .unknown }
        return bytes.bigEndian(at: start, as: UInt32.self) == 0 ? .sent : .received
    }
}

/// Writes pcap, little-endian.
struct PcapWriter: RecordWriter {
    let linkType: LinkType
    let hasNanoseconds: Bool

    func begin(_ output: inout OutputBuffer) {
        output.append(littleEndian: hasNanoseconds ? Pcap.nanosecondMagic : Pcap.microsecondMagic)
        output.append(littleEndian: Pcap.majorVersion)
        output.append(littleEndian: Pcap.minorVersion)
        output.append(littleEndian: 0 as UInt64)
        output.append(littleEndian: UInt32(CaptureLimit.packet))
        output.append(littleEndian: linkType.rawValue)
    }

    func write(
        _ packet: OutgoingPacket, header: [UInt8], body: [UInt8], _ output: inout OutputBuffer,
        _ losses: inout LossCounter
    ) {
        let time = packet.seconds(unit: hasNanoseconds ? 1 : 1000, &losses)
        let count = header.count + packet.count
        output.append(littleEndian: time.seconds)
        output.append(littleEndian: time.rest)
        output.append(littleEndian: UInt32(truncatingIfNeeded: count))
        output.append(littleEndian: UInt32(clamping: count + packet.missing))
        output.append(header)
        output.append(body[packet.start..<(packet.start + packet.count)])
        if packet.adapter != 0, linkType != .linuxMonitor { losses.add(.adapter, frame: packet.number) }
        if linkType == .h4, packet.direction != header.last.map({ H4PacketType(rawValue: $0).impliedDirection }) {
            losses.add(.direction, frame: packet.number)
        }
    }
}
