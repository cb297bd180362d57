public import Bytes

/// The Attribute Protocol (Vol 3, Part F): PDUs, opcodes and error codes.
public enum ATT {
    /// ATT_MTU before an MTU exchange, on LE (Vol 3, Part G, 5.2.1).
    public static let defaultMTU = 23
    /// Minimum ATT_MTU of an enhanced bearer (Vol 3, Part G, 5.3.1).
    public static let leastEnhancedMTU = 64
    /// Maximum length of an attribute value, in bytes (Vol 3, Part F, 3.2.9).
    public static let maximumValueLength = 512

    /// The protocol layer in the field tree.
    public static let layer = Field("btatt", "Bluetooth Attribute Protocol", .group)
}

extension ATT {
    /// An Attribute PDU without its opcode.
    public protocol PDU: WireFormat {
        static var opcode: Opcode { get }

        /// Reads the PDU only to record its fields.
        static func record(_ reader: inout ByteReader) throws(DecodeError)
    }

    /// Reads a complete PDU including its opcode; nil for an opcode that the specification does not define.
    public static func read(_ reader: inout ByteReader) throws(DecodeError) -> (any PDU)? {
        let opcode = try readOpcode(&reader)
        guard let row = Opcode.table[opcode] else {
            reader.skipRest(Fields.parameters)
            return nil
        }
        return try row.pdu.init(reading: &reader)
    }

    /// Reads a complete PDU including its opcode, only to record its fields.
    public static func record(_ reader: inout ByteReader) throws(DecodeError) {
        let opcode = try readOpcode(&reader)
        guard let row = Opcode.table[opcode] else { return reader.skipRest(Fields.parameters) }
        try row.pdu.record(&reader)
    }

    /// Reads the opcode and records its bit fields (Vol 3, Part F, 3.3.1).
    public static func readOpcode(
        _ reader: inout ByteReader, _ field: @autoclosure () -> Field = Fields.opcode
    ) throws(DecodeError) -> Opcode {
        let opcode = try reader.read(field(), as: Opcode.self)
        reader.recordBits(opcode.rawValue, Fields.opcodeBits)
        return opcode
    }

    /// The bytes of a complete PDU, opcode first.
    public static func encode(_ pdu: some PDU) -> [UInt8] {
        ByteWriter.bytes {
            $0.write(type(of: pdu).opcode)
            pdu.write(to: &$0)
        }
    }
}

extension ATT.PDU {
    public static func record(_ reader: inout ByteReader) throws(DecodeError) {
        _ = try Self(reading: &reader)
    }
}
