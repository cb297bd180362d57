public import Bytes

/// The Security Manager Protocol (Vol 3, Part H, 3): commands for pairing and key distribution.
public enum SMP {
    /// The protocol layer in the field tree.
    public static let layer = Field("btsmp", "Bluetooth Security Manager Protocol", .group)
}

extension SMP {
    /// A Security Manager command without its code.
    public protocol PDU: WireFormat {
        static var opcode: Opcode { get }
    }

    /// Reads a complete command including its code; nil for a code that the specification does not define.
    public static func read(_ reader: inout ByteReader) throws(DecodeError) -> (any PDU)? {
        let opcode = try reader.read(Fields.opcode, as: Opcode.self)
        guard let row = Opcode.table[opcode] else {
            reader.skipRest(Fields.parameters)
            return nil
        }
        return try row.pdu.init(reading: &reader)
    }

    /// The bytes of a complete command, code first.
    public static func encode(_ pdu: some PDU) -> [UInt8] {
        ByteWriter.bytes {
            $0.write(type(of: pdu).opcode)
            pdu.write(to: &$0)
        }
    }
}
