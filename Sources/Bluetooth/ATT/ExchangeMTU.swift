public import Bytes

extension ATT {
    /// The client's maximum receive MTU (Vol 3, Part F, 3.4.2.1).
    public struct ExchangeMTURequest: PDU, Hashable {
        public static let opcode = Opcode.exchangeMTURequest

        /// In bytes, at least 23.
        public var clientRxMTU: UInt16

        public init(clientRxMTU: UInt16) {
            self.clientRxMTU = clientRxMTU
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            clientRxMTU = try reader.read(Fields.clientRxMTU)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(clientRxMTU)
        }
    }

    /// The server's maximum receive MTU (Vol 3, Part F, 3.4.2.2).
    public struct ExchangeMTUResponse: PDU, Hashable {
        public static let opcode = Opcode.exchangeMTUResponse

        /// In bytes, at least 23.
        public var serverRxMTU: UInt16

        public init(serverRxMTU: UInt16) {
            self.serverRxMTU = serverRxMTU
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            serverRxMTU = try reader.read(Fields.serverRxMTU)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(serverRxMTU)
        }
    }
}
