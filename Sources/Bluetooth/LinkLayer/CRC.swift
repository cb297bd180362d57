public import Bytes

extension LL {
    /// CRCInit of advertising packets (Vol 6, Part B, 3.1.1).
    public static let advertisingCRCInit: UInt32 = 0x555555

    /// The CRC over a PDU, including its header but not the access address (Vol 6, Part B, 3.1.1).
    ///
    /// The result is the shift register, with position 23 in bit 23, as in CRCInit. Position 23 is transmitted first,
    /// so the packet has the register's bytes from the most significant on, each with its bits reversed.
    /// `PacketHeader.crc` and the field `btle.crc` have the same form.
    ///
    /// - Parameters:
    ///   - pdu: the PDU, header and payload.
    ///   - initial: CRCInit, 24 bits.
    public static func crc(of pdu: RawSpan, initial: UInt32) -> UInt32 {
        var register = reversed(initial)
        for offset in pdu.byteOffsets { register = step(register, pdu.byte(at: offset)) }
        return reversed(register)
    }

    /// The CRC over a PDU, including its header but not the access address.
    public static func crc(of pdu: [UInt8], initial: UInt32) -> UInt32 {
        reversed(pdu.reduce(reversed(initial), step))
    }

    /// The CRCInit for which a PDU has this CRC: runs the shift register backwards. All PDUs of a link give the same
    /// CRCInit.
    public static func crcInit(of pdu: RawSpan, crc: UInt32) -> UInt32 {
        var register = reversed(crc)
        for offset in pdu.byteOffsets.reversed() {
            // The top bits of the register occur in only one row of the table.
            let row = crcRows[Int(UInt8(truncatingIfNeeded: register >> 16))]
            let low = UInt32(row ^ pdu.byte(at: offset))
            register = (register ^ crcTable[Int(row)]) << 8 & 0xFF_FF00 | low
        }
        return reversed(register)
    }

    /// The rows of `crcTable` by their most significant bytes, which are all different.
    private static let crcRows: [UInt8] = {
        var rows = [UInt8](repeating: 0, count: 256)
        for (row, value) in crcTable.enumerated() { rows[Int(value >> 16)] = UInt8(row) }
        return rows
    }()

    /// The register after one byte, with reversed positions.
    private static func step(_ register: UInt32, _ byte: UInt8) -> UInt32 {
        register >> 8 ^ crcTable[Int(UInt8(truncatingIfNeeded: register) ^ byte)]
    }

    /// The 24-bit register with reversed positions.
    static func reversed(_ value: UInt32) -> UInt32 {
        var value = value << 8
        value = (value & 0x5555_5555) << 1 | (value >> 1) & 0x5555_5555
        value = (value & 0x3333_3333) << 2 | (value >> 2) & 0x3333_3333
        value = (value & 0x0F0F_0F0F) << 4 | (value >> 4) & 0x0F0F_0F0F
        return value.byteSwapped
    }

    /// The register after each byte, for x²⁴ + x¹⁰ + x⁹ + x⁶ + x⁴ + x³ + x + 1, with reversed positions.
    private static let crcTable: [UInt32] = (0..<256)
        .map { byte in
            (0..<8).reduce(UInt32(byte)) { register, _ in register >> 1 ^ (register & 1 == 1 ? 0xDA6000 : 0) }
        }

    /// Size of the CRC in bytes.
    public static let crcSize = 3

    /// Reads the CRC at the end of a packet.
    @discardableResult
    public static func readCRC(_ reader: inout ByteReader) throws(DecodeError) -> UInt32 {
        let start = reader.offset
        let bytes = try reader.slice(count: crcSize, lengthSetBy: Fields.crc)
        var unrecorded = ByteReader(bytes.rest)
        let value = reversed(UInt32(truncatingIfNeeded: try unrecorded.read(Fields.crc, bytes: 3)))
        reader.recorder?.add(Fields.crc, value: UInt64(value), offset: start, length: crcSize)
        return value
    }

    /// Writes the CRC at the end of a packet.
    public static func writeCRC(_ crc: UInt32, to writer: inout ByteWriter) {
        writer.write(UInt64(reversed(crc)), bytes: 3)
    }
}
