public import Bytes

extension LL {
    /// The fields of a Link Layer packet that are readable without knowing the type of its PDU.
    ///
    /// It is plain data and needs no allocation. For most packets, connection tracking needs nothing else.
    public struct PacketHeader: Hashable, Sendable {
        public var accessAddress: AccessAddress
        /// Coding indicator of LE Coded: 0 for S=8, 1 for S=2 (Vol 6, Part B, 2.2.3).
        public var codingIndicator: UInt8?
        /// The PDU's first two bytes, the first one in the low bits: `AdvertisingHeader.bits` or `DataHeader.bits`.
        public var header: UInt16
        /// The PDU including its header, as offsets from the frame's first byte; truncated at the end of the frame.
        public var pdu: Range<Int>
        /// The CRC in the form of `LL.crc(of:initial:)`; nil if the frame is truncated before its end.
        public var crc: UInt32?

        /// Length of the PDU without its header in bytes, as stated in the header's second byte.
        public var length: Int { Int(header >> 8) }

        /// The PDU without its two-byte header, as offsets from the frame's first byte.
        public var payload: Range<Int> { min(pdu.lowerBound + 2, pdu.upperBound)..<pdu.upperBound }

        /// Reads the access address and, if present, the coding indicator, and looks ahead at the PDU and CRC.
        ///
        /// Afterwards the reader is positioned at the PDU.
        public init(reading reader: inout ByteReader, hasCodingIndicator: Bool = false) throws(DecodeError) {
            accessAddress = try reader.read(Fields.accessAddress)
            if hasCodingIndicator {
                let value: UInt8 = try reader.read(Fields.codingIndicator)
                codingIndicator = value & 3
            }
            var ahead = ByteReader(reader.rest, origin: reader.offset)
            header = try ahead.read(Fields.pduHeader)
            let end = min(reader.offset + 2 + Int(header >> 8), reader.offset + reader.remaining)
            pdu = reader.offset..<end
            do throws(DecodeError) {
                try ahead.skip(Fields.pdu, count: Int(header >> 8))
                crc = reversed(UInt32(truncatingIfNeeded: try ahead.read(Fields.crc, bytes: 3)))
            } catch {
                crc = nil
            }
        }

        /// Checks the CRC at the end of the packet.
        ///
        /// - Parameters:
        ///   - frame: the frame, from its first byte.
        ///   - initial: the link's CRCInit.
        public func check(in frame: RawSpan, initial: UInt32) -> Check {
            guard let crc, pdu.upperBound <= frame.byteCount else { return .unknown }
            return LL.crc(of: frame.extracting(pdu), initial: initial) == crc ? .valid : .invalid
        }
    }
}
