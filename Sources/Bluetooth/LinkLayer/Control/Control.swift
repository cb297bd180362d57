public import Bytes

extension LL {
    /// A Link Layer control PDU without its opcode.
    public protocol ControlPDU: WireFormat {
        static var opcode: ControlOpcode { get }
    }

    /// Reads a complete control PDU including its opcode, up to the end of the reader; nil for an opcode that the
    /// specification does not define.
    public static func readControl(_ reader: inout ByteReader) throws(DecodeError) -> (any ControlPDU)? {
        let opcode: ControlOpcode = try reader.read(Fields.controlOpcode)
        guard let row = ControlOpcode.table[opcode] else {
            reader.skipRest(Fields.unknownData)
            return nil
        }
        let pdu = try row.pdu.init(reading: &reader)
        reader.skipRest(Fields.unknownData)
        return pdu
    }

    /// The bytes of a complete control PDU, opcode first.
    public static func encode(_ pdu: some ControlPDU) -> [UInt8] {
        ByteWriter.bytes {
            $0.write(type(of: pdu).opcode)
            pdu.write(to: &$0)
        }
    }

    protocol EmptyControlPDU: ControlPDU, Hashable {
        init()
    }

    /// Starts encryption (Vol 6, Part B, 2.4.2.6).
    public struct StartEncReq: EmptyControlPDU {
        public static let opcode = ControlOpcode.startEncReq

        public init() {}
    }

    /// Confirms that encryption has started (Vol 6, Part B, 2.4.2.7).
    public struct StartEncRsp: EmptyControlPDU {
        public static let opcode = ControlOpcode.startEncRsp

        public init() {}
    }

    /// Pauses encryption to change the key (Vol 6, Part B, 2.4.2.11).
    public struct PauseEncReq: EmptyControlPDU {
        public static let opcode = ControlOpcode.pauseEncReq

        public init() {}
    }

    /// Confirms that encryption is paused (Vol 6, Part B, 2.4.2.12).
    public struct PauseEncRsp: EmptyControlPDU {
        public static let opcode = ControlOpcode.pauseEncRsp

        public init() {}
    }

    /// Asks for a packet with a valid MIC (Vol 6, Part B, 2.4.2.19).
    public struct PingReq: EmptyControlPDU {
        public static let opcode = ControlOpcode.pingReq

        public init() {}
    }

    /// Answers a ping with a packet that has a valid MIC (Vol 6, Part B, 2.4.2.20).
    public struct PingRsp: EmptyControlPDU {
        public static let opcode = ControlOpcode.pingRsp

        public init() {}
    }

    /// Precedes a Constant Tone Extension (Vol 6, Part B, 2.4.2.28).
    public struct CTERsp: EmptyControlPDU {
        public static let opcode = ControlOpcode.cteRsp

        public init() {}
    }
}

extension LL.EmptyControlPDU {
    public init(reading reader: inout ByteReader) throws(DecodeError) {
        self.init()
    }

    public func write(to writer: inout ByteWriter) {}
}
