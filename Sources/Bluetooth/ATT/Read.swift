public import Bytes

extension ATT {
    /// Asks for an attribute's value (Vol 3, Part F, 3.4.4.3).
    public struct ReadRequest: PDU, Hashable {
        public static let opcode = Opcode.readRequest

        public var handle: Handle

        public init(handle: Handle) {
            self.handle = handle
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            handle = try reader.read(Fields.handle)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(handle)
        }
    }

    /// The value, or its first ATT_MTU − 1 bytes (Vol 3, Part F, 3.4.4.4).
    public struct ReadResponse: PDU, Hashable {
        public static let opcode = Opcode.readResponse

        public var value: [UInt8]

        public init(value: [UInt8]) {
            self.value = value
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            value = reader.readRest(Fields.value)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(value)
        }
    }

    /// Asks for the part of a long value that starts at an offset (Vol 3, Part F, 3.4.4.5).
    public struct ReadBlobRequest: PDU, Hashable {
        public static let opcode = Opcode.readBlobRequest

        public var handle: Handle
        /// Offset of the first byte in the value, in bytes.
        public var offset: UInt16

        public init(handle: Handle, offset: UInt16) {
            self.handle = handle
            self.offset = offset
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            handle = try reader.read(Fields.handle)
            offset = try reader.read(Fields.offset)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(handle)
            writer.write(offset)
        }
    }

    /// A part of a long value, at most ATT_MTU − 1 bytes (Vol 3, Part F, 3.4.4.6).
    public struct ReadBlobResponse: PDU, Hashable {
        public static let opcode = Opcode.readBlobResponse

        public var value: [UInt8]

        public init(value: [UInt8]) {
            self.value = value
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            value = reader.readRest(Fields.value)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(value)
        }
    }
}
