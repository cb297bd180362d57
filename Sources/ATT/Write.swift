package import BluetoothTypes
package import Bytes

extension ATT {
    /// Sets an attribute's value (Vol 3, Part F, 3.4.5.1).
    package struct WriteRequest: PDU, Hashable {
        package static let opcode = Opcode.writeRequest

        package var handle: Handle
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

    /// The value was written (Vol 3, Part F, 3.4.5.2).
    package struct WriteResponse: PDU, Hashable {
        package static let opcode = Opcode.writeResponse

        package init() {}

        package init(reading reader: inout ByteReader) throws(DecodeError) {}

        package func write(to writer: inout ByteWriter) {}
    }

    /// Sets an attribute's value; no response follows (Vol 3, Part F, 3.4.5.3).
    package struct WriteCommand: PDU, Hashable {
        package static let opcode = Opcode.writeCommand

        package var handle: Handle
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

    /// Queues a part of a value to be written (Vol 3, Part F, 3.4.6.1).
    package struct PrepareWriteRequest: PDU, Hashable {
        package static let opcode = Opcode.prepareWriteRequest

        package var handle: Handle
        /// Offset of the value's first byte, in bytes.
        package var offset: UInt16
        package var value: [UInt8]

        package init(handle: Handle, offset: UInt16, value: [UInt8]) {
            self.handle = handle
            self.offset = offset
            self.value = value
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            handle = try reader.read(Fields.handle)
            offset = try reader.read(Fields.offset)
            value = reader.readRest(Fields.value)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(handle)
            writer.write(offset)
            writer.write(value)
        }
    }

    /// Repeats the part that was queued (Vol 3, Part F, 3.4.6.2).
    package struct PrepareWriteResponse: PDU, Hashable {
        package static let opcode = Opcode.prepareWriteResponse

        package var handle: Handle
        /// Offset of the value's first byte, in bytes.
        package var offset: UInt16
        package var value: [UInt8]

        package init(handle: Handle, offset: UInt16, value: [UInt8]) {
            self.handle = handle
            self.offset = offset
            self.value = value
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            handle = try reader.read(Fields.handle)
            offset = try reader.read(Fields.offset)
            value = reader.readRest(Fields.value)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(handle)
            writer.write(offset)
            writer.write(value)
        }
    }

    /// Writes or forgets all that was queued (Vol 3, Part F, 3.4.6.3).
    package struct ExecuteWriteRequest: PDU, Hashable {
        package static let opcode = Opcode.executeWriteRequest

        /// 0 cancels, 1 writes.
        package var flags: UInt8

        package init(flags: UInt8) {
            self.flags = flags
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            flags = try reader.read(Fields.flags)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(flags)
        }
    }

    /// The queue was written or forgotten (Vol 3, Part F, 3.4.6.4).
    package struct ExecuteWriteResponse: PDU, Hashable {
        package static let opcode = Opcode.executeWriteResponse

        package init() {}

        package init(reading reader: inout ByteReader) throws(DecodeError) {}

        package func write(to writer: inout ByteWriter) {}
    }
}
