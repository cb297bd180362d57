import Bytes

/// Apple's PacketLogger format: records with a 13-byte header, in either byte order, and no file header. The header has
/// the length of the bytes after it, seconds and microseconds since 1970, and the record type.
enum PacketLogger {
    static let headerSize = 13
    /// Header bytes that the length of a record includes: time and type.
    static let countedHeader = 9
    /// Maximum length of the first record. If it is longer, the file is not recognized, because the byte order would be
    /// ambiguous.
    private static let firstLengthLimit = 0xFFFF

    /// Number of records that must be valid to recognize the format, if the file has that many, and the bytes in which
    /// to look for them.
    private static let (recognizedRecords, recognizedBytes) = (3, 2 * (4 + firstLengthLimit) + headerSize)

    /// The byte order of a file that starts with `bytes`; nil if they are not PacketLogger records.
    static func recognize(_ bytes: RawSpan) -> ByteOrder? {
        [ByteOrder.bigEndian, .littleEndian].first { evaluate(bytes, $0).isValid }
    }

    /// Number of bytes needed from the start of the file to recognize it; nil if `bytes` are enough.
    static func wanted(after bytes: RawSpan) -> Int? {
        [ByteOrder.bigEndian, .littleEndian].compactMap { evaluate(bytes, $0).wanted }.max()
    }

    /// Whether the available records at the start are valid PacketLogger records, and the number of bytes needed for
    /// the next one.
    private static func evaluate(_ bytes: RawSpan, _ order: ByteOrder) -> (isValid: Bool, wanted: Int?) {
        var position = 0
        for _ in 0..<recognizedRecords {
            let end = position + headerSize
            // The record after this one is not available yet, or the file ends.
            guard end <= recognizedBytes else { return (true, nil) }
            guard bytes.byteCount >= end else { return (position > 0, end) }
            guard let length = recordLength(bytes, at: position, order) else { return (false, nil) }
            position += length
        }
        return (true, nil)
    }

    /// The length of the record at `position`; nil if no record begins there.
    private static func recordLength(_ bytes: RawSpan, at position: Int, _ order: ByteOrder) -> Int? {
        let length = bytes.integer(at: position, order, as: UInt32.self)
        let microseconds = bytes.integer(at: position + 8, order, as: UInt32.self)
        guard length >= countedHeader, microseconds < 1_000_000 else { return nil }
        // A later record may be damaged, or of an undocumented type.
        let isNamed = PacketLoggerRecordType(rawValue: bytes.byte(at: position + 12)).name != nil
        return position > 0 || isNamed && length <= firstLengthLimit ? 4 + Int(length) : nil
    }
}

struct PacketLoggerFramer: RecordFramer {
    let order: ByteOrder

    var format: CaptureFormat { .packetLogger }

    mutating func frame(_ bytes: RawSpan, _ pass: inout FramingPass) {
        pass.packets.reserveCapacity((bytes.byteCount - pass.position) / 28)
        while frameRecord(bytes, &pass) {}
    }

    /// Frames one record; false if it is incomplete.
    private func frameRecord(_ bytes: RawSpan, _ pass: inout FramingPass) -> Bool {
        let position = pass.position
        let available = bytes.byteCount - position
        guard available >= PacketLogger.headerSize else {
            pass.wait(for: PacketLogger.headerSize, "record header")
            return false
        }
        let stated = bytes.integer(at: position, order, as: UInt32.self)
        guard stated >= PacketLogger.countedHeader else {
            pass.fail("a record of \(stated) bytes was expected to have \(PacketLogger.countedHeader) at least")
            return false
        }
        let count = Int(stated) - PacketLogger.countedHeader
        guard count <= CaptureLimit.packet else {
            pass.fail(CaptureLimit.refusal(of: stated))
            return false
        }
        guard available >= PacketLogger.headerSize + count else {
            pass.wait(for: PacketLogger.headerSize + count, "record")
            return false
        }
        let seconds = bytes.integer(at: position + 4, order, as: UInt32.self)
        let microseconds = bytes.integer(at: position + 8, order, as: UInt32.self)
        let type = PacketLoggerRecordType(rawValue: bytes.byte(at: position + 12))
        pass.number += 1
        pass.packets.append(
            CapturedPacket(
                number: pass.number,
                time: Timestamp(seconds: Int64(seconds), nanoseconds: Int64(microseconds) * 1000),
                encapsulation: .packetLogger, direction: type.row?.direction ?? .unknown,
                recordType: UInt16(type.rawValue), originalLength: count, start: position + PacketLogger.headerSize,
                count: count))
        pass.position = position + PacketLogger.headerSize + count
        return true
    }
}

/// Writes Apple PacketLogger in big-endian order, which every reader supports.
struct PacketLoggerWriter: RecordWriter {
    func begin(_ output: inout OutputBuffer) {}

    func write(
        _ packet: OutgoingPacket, header: [UInt8], body: [UInt8], _ output: inout OutputBuffer,
        _ losses: inout LossCounter
    ) {
        let time = packet.seconds(unit: 1000, &losses)
        output.append(bigEndian: UInt32(truncatingIfNeeded: PacketLogger.countedHeader + packet.count))
        output.append(bigEndian: time.seconds)
        output.append(bigEndian: time.rest)
        output.append(bigEndian: UInt8(truncatingIfNeeded: packet.recordType))
        output.append(body[packet.start..<(packet.start + packet.count)])
        if packet.adapter != 0 { losses.add(.adapter, frame: packet.number) }
    }
}
