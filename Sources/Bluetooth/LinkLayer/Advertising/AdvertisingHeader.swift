public import Bytes

extension LL {
    /// The two-byte header of an advertising PDU (Vol 6, Part B, 2.3).
    public struct AdvertisingHeader: WireFormat, Hashable {
        /// Both bytes, the first one in the low bits.
        public var bits: UInt16

        public init(bits: UInt16) {
            self.bits = bits
        }

        public init(
            type: AdvertisingType, chSel: Bool = false, txAdd: DeviceAddress.Kind = .public,
            rxAdd: DeviceAddress.Kind = .public, length: Int
        ) {
            bits =
                UInt16(type.rawValue & 0xF) | (chSel ? 0x20 : 0) | (txAdd == .random ? 0x40 : 0)
                | (rxAdd == .random ? 0x80 : 0) | UInt16(truncatingIfNeeded: length) << 8
        }

        public var type: AdvertisingType { AdvertisingType(rawValue: UInt8(bits & 0xF)) }
        /// Whether the advertiser or initiator supports Channel Selection Algorithm #2.
        public var chSel: Bool { bits & 0x20 != 0 }
        /// Type of the sender's address.
        public var txAdd: DeviceAddress.Kind { bits & 0x40 == 0 ? .public : .random }
        /// Type of the target address.
        public var rxAdd: DeviceAddress.Kind { bits & 0x80 == 0 ? .public : .random }
        /// Length of the payload in bytes.
        public var length: Int { Int(bits >> 8) }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            try self.init(reading: &reader, in: .primary)
        }

        /// Reads the header. `context` selects the names of its bit fields.
        public init(reading reader: inout ByteReader, in context: AdvertisingContext) throws(DecodeError) {
            bits = try reader.read(Fields.advertisingHeader)
            guard let recorder = reader.recorder else { return }
            let start = reader.offset - 2
            let row = type.row(in: context)
            let addresses = row?.header == .extended ? ExtendedAdvertising.addresses(ahead: reader) : 0
            recorder.nested {
                for field in Fields.advertisingHeaderBits(row?.header, context, addresses: addresses) {
                    let value = (UInt64(bits) & field.mask) >> field.mask.trailingZeroBitCount
                    recorder.add(field, value: value, offset: start, length: 1)
                }
                recorder.add(Fields.advertisingLength, value: UInt64(length), offset: start + 1, length: 1)
            }
            recorder.addGenerated(Fields.length, value: UInt64(length))
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(bits)
        }
    }

    /// Reads an advertising PDU including its header; nil for a type that the specification does not define.
    ///
    /// Afterwards the reader is positioned at the CRC. `advertisingData` reads the advertising data.
    public static func readAdvertising(
        _ reader: inout ByteReader, in context: AdvertisingContext,
        advertisingData: AdvertisingDataReader = { reader throws(DecodeError) in
            reader.readRest(Fields.advertisingData)
        }
    ) throws(DecodeError) -> (any AdvertisingPDU)? {
        let header = try AdvertisingHeader(reading: &reader, in: context)
        var payload = try reader.slice(count: header.length, lengthSetBy: Fields.advertisingLength)
        guard let row = header.type.row(in: context) else {
            payload.skipRest(Fields.unknownData)
            return nil
        }
        let pdu = try row.pdu.init(reading: &payload, advertisingData: advertisingData)
        payload.skipRest(Fields.unknownData)
        return pdu
    }
}

extension LL.AdvertisingPDU {
    public init(reading reader: inout ByteReader) throws(DecodeError) {
        try self.init(reading: &reader) { data throws(DecodeError) in data.readRest(LL.Fields.advertisingData) }
    }
}
