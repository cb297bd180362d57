public import Bytes

extension ATT {
    /// A value that the server sends without confirmation (Vol 3, Part F, 3.4.7.1).
    public struct HandleValueNotification: PDU, Hashable {
        public static let opcode = Opcode.handleValueNotification

        public var handle: Handle
        /// At most ATT_MTU − 3 bytes.
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

    /// A value that the server sends and the client confirms (Vol 3, Part F, 3.4.7.2).
    public struct HandleValueIndication: PDU, Hashable {
        public static let opcode = Opcode.handleValueIndication

        public var handle: Handle
        /// At most ATT_MTU − 3 bytes.
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

    /// Confirms an indication (Vol 3, Part F, 3.4.7.3).
    public struct HandleValueConfirmation: PDU, Hashable {
        public static let opcode = Opcode.handleValueConfirmation

        public init() {}

        public init(reading reader: inout ByteReader) throws(DecodeError) {}

        public func write(to writer: inout ByteWriter) {}
    }
}
