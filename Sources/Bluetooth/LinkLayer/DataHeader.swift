public import Bytes

extension LL {
    /// LLID: content of a data physical channel PDU, 2 bits (Vol 6, Part B, 2.4).
    public struct LLID: WireInteger {
        public var rawValue: UInt8

        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// A continuation fragment of an L2CAP message, or an empty PDU.
        public static let continuation = Self(rawValue: 1)
        /// The start of an L2CAP message, or a complete message.
        public static let start = Self(rawValue: 2)
        public static let control = Self(rawValue: 3)

        public var name: String? {
            switch self {
            case .continuation: "Continuation fragment of an L2CAP message, or an Empty PDU"
            case .start: "Start of an L2CAP message or a complete L2CAP message with no fragmentation"
            case .control: "Control PDU"
            default: nil
            }
        }
    }

    /// The two- or three-byte header of a PDU on a connection (Vol 6, Part B, 2.4).
    public struct DataHeader: WireFormat, Hashable {
        /// The first two bytes, the first one in the low bits.
        public var bits: UInt16
        /// The third byte, present if CP is set.
        public var cteInfo: CTEInfo?

        public init(bits: UInt16, cteInfo: CTEInfo? = nil) {
            self.bits = bits
            self.cteInfo = cteInfo
        }

        public init(
            llid: LLID, nextExpectedSequenceNumber: UInt8 = 0, sequenceNumber: UInt8 = 0, moreData: Bool = false,
            length: Int, cteInfo: CTEInfo? = nil
        ) {
            bits =
                UInt16(llid.rawValue & 3) | UInt16(nextExpectedSequenceNumber & 1) << 2
                | UInt16(sequenceNumber & 1) << 3 | (moreData ? 0x10 : 0) | (cteInfo == nil ? 0 : 0x20)
                | UInt16(truncatingIfNeeded: length) << 8
            self.cteInfo = cteInfo
        }

        public var llid: LLID { LLID(rawValue: UInt8(bits & 3)) }
        /// NESN: 0 or 1.
        public var nextExpectedSequenceNumber: UInt8 { UInt8(bits >> 2 & 1) }
        /// SN: 0 or 1; unchanged from the sender's previous PDU in a retransmission.
        public var sequenceNumber: UInt8 { UInt8(bits >> 3 & 1) }
        /// MD: the sender has more data for this connection event.
        public var moreData: Bool { bits & 0x10 != 0 }
        /// CP: CTEInfo follows the length.
        public var hasCTEInfo: Bool { bits & 0x20 != 0 }
        /// Length of the payload in bytes, including the MIC.
        public var length: Int { Int(bits >> 8) }
        /// Whether the PDU is empty and only acknowledges.
        public var isEmpty: Bool { llid == .continuation && length == 0 }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            let group = reader.begin(Fields.dataHeader)
            let flags = try reader.readBits(Fields.dataHeaderBits, as: UInt8.self)
            let length: UInt8 = try reader.read(Fields.dataLength)
            reader.recorder?.addGenerated(Fields.length, value: UInt64(length))
            bits = UInt16(flags) | UInt16(length) << 8
            if flags & 0x20 != 0 {
                let info: CTEInfo = try reader.read(Fields.dataCTEInfo)
                reader.recordBits(info.rawValue, Fields.dataCTEInfoBits)
                cteInfo = info
            }
            reader.end(group)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(bits)
            if let cteInfo { writer.write(cteInfo) }
        }
    }

    /// The two-byte header of a connected isochronous stream's PDU (Vol 6, Part B, 2.6.1).
    public struct ConnectedIsochronousHeader: WireFormat, Hashable {
        /// Both bytes, the first one in the low bits.
        public var bits: UInt16

        public init(bits: UInt16) {
            self.bits = bits
        }

        /// LLID: 0 end of an unframed SDU, 1 start or middle of an unframed SDU, 2 framed.
        public var llid: UInt8 { UInt8(bits & 3) }
        public var nextExpectedSequenceNumber: UInt8 { UInt8(bits >> 2 & 1) }
        public var sequenceNumber: UInt8 { UInt8(bits >> 3 & 1) }
        /// CIE: the sender closes the isochronous event.
        public var closesEvent: Bool { bits & 0x10 != 0 }
        /// NPI: null PDU, without a payload.
        public var isNull: Bool { bits & 0x40 != 0 }
        /// Length of the payload in bytes, including the MIC.
        public var length: Int { Int(bits >> 8) }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            bits = try LL.readHeader(&reader, Fields.connectedIsochronousHeaderBits)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(bits)
        }
    }

    /// The two-byte header of a broadcast isochronous stream's PDU (Vol 6, Part B, 2.6.2).
    public struct BroadcastIsochronousHeader: WireFormat, Hashable {
        /// Both bytes, the first one in the low bits.
        public var bits: UInt16

        public init(bits: UInt16) {
            self.bits = bits
        }

        /// LLID: 0 end of an unframed SDU, 1 start or middle of an unframed SDU, 2 framed, 3 control.
        public var llid: UInt8 { UInt8(bits & 3) }
        /// CSSN: sequence number of the control subevent's content.
        public var controlSequenceNumber: UInt8 { UInt8(bits >> 2 & 7) }
        /// CSTF: a control subevent follows.
        public var hasControlSubevent: Bool { bits & 0x20 != 0 }
        /// Length of the payload in bytes, including the MIC.
        public var length: Int { Int(bits >> 8) }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            bits = try LL.readHeader(&reader, Fields.broadcastIsochronousHeaderBits)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(bits)
        }
    }

    /// Reads the two-byte header of an isochronous PDU.
    private static func readHeader(
        _ reader: inout ByteReader, _ flagFields: @autoclosure () -> [Field]
    ) throws(DecodeError) -> UInt16 {
        let group = reader.begin(Fields.dataHeader)
        let flags = try reader.readBits(flagFields(), as: UInt8.self)
        let length: UInt8 = try reader.read(Fields.dataLength)
        reader.recorder?.addGenerated(Fields.length, value: UInt64(length))
        reader.end(group)
        return UInt16(flags) | UInt16(length) << 8
    }
}
