package import Bytes

extension ATT {
    /// The client tells how long a PDU it can receive (Vol 3, Part F, 3.4.2.1).
    package struct ExchangeMTURequest: PDU, Hashable {
        package static let opcode = Opcode.exchangeMTURequest

        /// In bytes, 23 at least.
        package var clientRxMTU: UInt16

        package init(clientRxMTU: UInt16) {
            self.clientRxMTU = clientRxMTU
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            clientRxMTU = try reader.read(Fields.clientRxMTU)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(clientRxMTU)
        }
    }

    /// The server tells how long a PDU it can receive (Vol 3, Part F, 3.4.2.2).
    package struct ExchangeMTUResponse: PDU, Hashable {
        package static let opcode = Opcode.exchangeMTUResponse

        /// In bytes, 23 at least.
        package var serverRxMTU: UInt16

        package init(serverRxMTU: UInt16) {
            self.serverRxMTU = serverRxMTU
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            serverRxMTU = try reader.read(Fields.serverRxMTU)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(serverRxMTU)
        }
    }
}
