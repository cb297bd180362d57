package import BluetoothTypes
package import Bytes

extension ATT {
    /// Asks for an attribute's value (Vol 3, Part F, 3.4.4.3).
    package struct ReadRequest: PDU, Hashable {
        package static let opcode = Opcode.readRequest

        package var handle: Handle

        package init(handle: Handle) {
            self.handle = handle
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            handle = try reader.read(Fields.handle)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(handle)
        }
    }

    /// The value's first ATT_MTU − 1 bytes at most (Vol 3, Part F, 3.4.4.4).
    package struct ReadResponse: PDU, Hashable {
        package static let opcode = Opcode.readResponse

        package var value: [UInt8]

        package init(value: [UInt8]) {
            self.value = value
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            value = reader.readRest(Fields.value)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(value)
        }
    }

    /// Asks for the part of a long value that begins at an offset (Vol 3, Part F, 3.4.4.5).
    package struct ReadBlobRequest: PDU, Hashable {
        package static let opcode = Opcode.readBlobRequest

        package var handle: Handle
        /// Offset of the value's first byte, in bytes.
        package var offset: UInt16

        package init(handle: Handle, offset: UInt16) {
            self.handle = handle
            self.offset = offset
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            handle = try reader.read(Fields.handle)
            offset = try reader.read(Fields.offset)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(handle)
            writer.write(offset)
        }
    }

    /// A part of a long value, ATT_MTU − 1 bytes at most (Vol 3, Part F, 3.4.4.6).
    package struct ReadBlobResponse: PDU, Hashable {
        package static let opcode = Opcode.readBlobResponse

        package var value: [UInt8]

        package init(value: [UInt8]) {
            self.value = value
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            value = reader.readRest(Fields.value)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(value)
        }
    }
}
