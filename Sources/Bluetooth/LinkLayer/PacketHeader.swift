public import Bytes

extension LL {
    /// The frame of a link layer packet: what can be told without knowing what kind of PDU it holds.
    ///
    /// It is plain data and costs no allocation: all that following a connection needs of most packets.
    public struct PacketHeader: Hashable, Sendable {
        public var accessAddress: AccessAddress
        /// Of LE Coded: 0 for S=8, 1 for S=2 (Vol 6, Part B, 2.2.3).
        public var codingIndicator: UInt8?
        /// The PDU's first two bytes, the first one low: `AdvertisingHeader.bits` or `DataHeader.bits`.
        public var header: UInt16
        /// The PDU, header included, as offsets from the frame's first byte; cut where the frame ends.
        public var pdu: Range<Int>
        /// The CRC as `LL.crc(of:initial:)` gives it; nil when the frame ends before it does.
        public var crc: UInt32?

        /// Length of the PDU after its header, as the header's second byte says, in bytes.
        public var length: Int { Int(header >> 8) }

        /// The PDU without its two-byte header, as offsets from the frame's first byte.
        public var payload: Range<Int> { min(pdu.lowerBound + 2, pdu.upperBound)..<pdu.upperBound }

        /// Reads the access address and the coding indicator, if there is one, and looks ahead at the rest.
        ///
        /// The reader then stands at the PDU.
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

        /// The CRC at the end of the packet against its bytes.
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
