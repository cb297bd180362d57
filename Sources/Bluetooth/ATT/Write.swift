public import Bytes

extension ATT {
    /// Writes an attribute value (Vol 3, Part F, 3.4.5.1).
    public struct WriteRequest: PDU, Hashable {
        public static let opcode = Opcode.writeRequest

        public var handle: Handle
        public var value: [UInt8]

        public init(handle: Handle, value: [UInt8]) {
            self.handle = handle
            self.value = value
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            handle = try reader.read(Fields.handle)
            value = reader.readRest(Fields.value)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(handle)
            writer.write(value)
        }
    }

    /// Confirms a write (Vol 3, Part F, 3.4.5.2).
    public struct WriteResponse: PDU, Hashable {
        public static let opcode = Opcode.writeResponse

        public init() {}

        public init(reading reader: inout ByteReader) throws(DecodeError) {}

        public func write(to writer: inout ByteWriter) {}
    }

    /// Writes an attribute value without a response (Vol 3, Part F, 3.4.5.3).
    public struct WriteCommand: PDU, Hashable {
        public static let opcode = Opcode.writeCommand

        public var handle: Handle
        public var value: [UInt8]

        public init(handle: Handle, value: [UInt8]) {
            self.handle = handle
            self.value = value
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            handle = try reader.read(Fields.handle)
            value = reader.readRest(Fields.value)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(handle)
            writer.write(value)
        }
    }

    /// Queues a part of a value for writing (Vol 3, Part F, 3.4.6.1).
    public struct PrepareWriteRequest: PDU, Hashable {
        public static let opcode = Opcode.prepareWriteRequest

        public var handle: Handle
        /// Offset of the first byte in the value, in bytes.
        public var offset: UInt16
        public var value: [UInt8]

        public init(handle: Handle, offset: UInt16, value: [UInt8]) {
            self.handle = handle
            self.offset = offset
            self.value = value
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            handle = try reader.read(Fields.handle)
            offset = try reader.read(Fields.offset)
            value = reader.readRest(Fields.value)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(handle)
            writer.write(offset)
            writer.write(value)
        }
    }

    /// Echoes the queued part (Vol 3, Part F, 3.4.6.2).
    public struct PrepareWriteResponse: PDU, Hashable {
        public static let opcode = Opcode.prepareWriteResponse

        public var handle: Handle
        /// Offset of the first byte in the value, in bytes.
        public var offset: UInt16
        public var value: [UInt8]

        public init(handle: Handle, offset: UInt16, value: [UInt8]) {
            self.handle = handle
            self.offset = offset
            self.value = value
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            handle = try reader.read(Fields.handle)
            offset = try reader.read(Fields.offset)
            value = reader.readRest(Fields.value)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(handle)
            writer.write(offset)
            writer.write(value)
        }
    }

    /// Writes or cancels all queued parts (Vol 3, Part F, 3.4.6.3).
    public struct ExecuteWriteRequest: PDU, Hashable {
        public static let opcode = Opcode.executeWriteRequest

        /// 0 cancels, 1 writes.
        public var flags: UInt8

        public init(flags: UInt8) {
            self.flags = flags
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            flags = try reader.read(Fields.flags)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(flags)
        }
    }

    /// Confirms that the queued parts were written or cancelled (Vol 3, Part F, 3.4.6.4).
    public struct ExecuteWriteResponse: PDU, Hashable {
        public static let opcode = Opcode.executeWriteResponse

        public init() {}

        public init(reading reader: inout ByteReader) throws(DecodeError) {}

        public func write(to writer: inout ByteWriter) {}
    }
}
