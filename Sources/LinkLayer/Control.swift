package import Bytes

extension LL {
    /// A link layer control PDU: its body after the opcode.
    package protocol ControlPDU: WireFormat {
        static var opcode: ControlOpcode { get }
    }

    /// Reads a whole control PDU, opcode first, all that is left in the reader; nil for an opcode that the specification
    /// does not define.
    package static func readControl(_ reader: inout ByteReader) throws(DecodeError) -> (any ControlPDU)? {
        let opcode: ControlOpcode = try reader.read(Fields.controlOpcode)
        guard let row = ControlOpcode.table[opcode] else {
            reader.skipRest(Fields.unknownData)
            return nil
        }
        let pdu = try row.pdu.init(reading: &reader)
        reader.skipRest(Fields.unknownData)
        return pdu
    }

    /// The bytes of a whole control PDU.
    package static func encode(_ pdu: some ControlPDU) -> [UInt8] {
        ByteWriter.bytes {
            $0.write(type(of: pdu).opcode)
            pdu.write(to: &$0)
        }
    }

    /// A control PDU that is nothing but its opcode.
    protocol EmptyControlPDU: ControlPDU, Hashable {
        init()
    }

    /// Starts encryption (Vol 6, Part B, 2.4.2.6).
    package struct StartEncReq: EmptyControlPDU {
        package static let opcode = ControlOpcode.startEncReq

        package init() {}
    }

    /// Encryption has started (Vol 6, Part B, 2.4.2.7).
    package struct StartEncRsp: EmptyControlPDU {
        package static let opcode = ControlOpcode.startEncRsp

        package init() {}
    }

    /// Pauses encryption, to change the key (Vol 6, Part B, 2.4.2.11).
    package struct PauseEncReq: EmptyControlPDU {
        package static let opcode = ControlOpcode.pauseEncReq

        package init() {}
    }

    /// Encryption is paused (Vol 6, Part B, 2.4.2.12).
    package struct PauseEncRsp: EmptyControlPDU {
        package static let opcode = ControlOpcode.pauseEncRsp

        package init() {}
    }

    /// Asks for an authenticated packet (Vol 6, Part B, 2.4.2.19).
    package struct PingReq: EmptyControlPDU {
        package static let opcode = ControlOpcode.pingReq

        package init() {}
    }

    /// The authenticated packet asked for (Vol 6, Part B, 2.4.2.20).
    package struct PingRsp: EmptyControlPDU {
        package static let opcode = ControlOpcode.pingRsp

        package init() {}
    }

    /// A Constant Tone Extension follows this PDU (Vol 6, Part B, 2.4.2.28).
    package struct CTERsp: EmptyControlPDU {
        package static let opcode = ControlOpcode.cteRsp

        package init() {}
    }
}

extension LL.EmptyControlPDU {
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        self.init()
    }

    package func write(to writer: inout ByteWriter) {}
}
