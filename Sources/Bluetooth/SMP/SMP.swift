public import Bytes

/// The Security Manager Protocol (Vol 3, Part H, 3): commands for pairing and for the distribution of keys.
public enum SMP {
    /// The protocol layer in the field tree.
    public static let layer = Field("btsmp", "Bluetooth Security Manager Protocol", .group)
}

extension SMP {
    /// A command of the Security Manager Protocol: its data after the code.
    public protocol PDU: WireFormat {
        static var opcode: Opcode { get }
    }

    /// Reads a whole command, code first; nil for a code that the specification does not define.
    public static func read(_ reader: inout ByteReader) throws(DecodeError) -> (any PDU)? {
        let opcode = try reader.read(Fields.opcode, as: Opcode.self)
        guard let row = Opcode.table[opcode] else {
            reader.skipRest(Fields.parameters)
            return nil
        }
        return try row.pdu.init(reading: &reader)
    }

    /// The bytes of a whole command.
    public static func encode(_ pdu: some PDU) -> [UInt8] {
        ByteWriter.bytes {
            $0.write(type(of: pdu).opcode)
            pdu.write(to: &$0)
        }
    }
}
