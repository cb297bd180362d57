package import BluetoothTypes
package import Bytes

extension ATT {
    /// The server tells a value; nothing answers (Vol 3, Part F, 3.4.7.1).
    package struct HandleValueNotification: PDU, Hashable {
        package static let opcode = Opcode.handleValueNotification

        package var handle: Handle
        /// ATT_MTU − 3 bytes at most.
        package var value: [UInt8]

        package init(handle: Handle, value: [UInt8]) {
            self.handle = handle
            self.value = value
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            handle = try reader.read(Fields.handle)
            value = reader.readRest(Fields.value)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(handle)
            writer.write(value)
        }
    }

    /// The server tells a value and waits for a confirmation (Vol 3, Part F, 3.4.7.2).
    package struct HandleValueIndication: PDU, Hashable {
        package static let opcode = Opcode.handleValueIndication

        package var handle: Handle
        /// ATT_MTU − 3 bytes at most.
        package var value: [UInt8]

        package init(handle: Handle, value: [UInt8]) {
            self.handle = handle
            self.value = value
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            handle = try reader.read(Fields.handle)
            value = reader.readRest(Fields.value)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(handle)
            writer.write(value)
        }
    }

    /// The client has received an indication (Vol 3, Part F, 3.4.7.3).
    package struct HandleValueConfirmation: PDU, Hashable {
        package static let opcode = Opcode.handleValueConfirmation

        package init() {}

        package init(reading reader: inout ByteReader) throws(DecodeError) {}

        package func write(to writer: inout ByteWriter) {}
    }
}
