public import Bytes

extension ATT {
    /// The server tells a value; nothing answers (Vol 3, Part F, 3.4.7.1).
    public struct HandleValueNotification: PDU, Hashable {
        public static let opcode = Opcode.handleValueNotification

        public var handle: Handle
        /// ATT_MTU − 3 bytes at most.
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

    /// The server tells a value and waits for a confirmation (Vol 3, Part F, 3.4.7.2).
    public struct HandleValueIndication: PDU, Hashable {
        public static let opcode = Opcode.handleValueIndication

        public var handle: Handle
        /// ATT_MTU − 3 bytes at most.
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

    /// The client has received an indication (Vol 3, Part F, 3.4.7.3).
    public struct HandleValueConfirmation: PDU, Hashable {
        public static let opcode = Opcode.handleValueConfirmation

        public init() {}

        public init(reading reader: inout ByteReader) throws(DecodeError) {}

        public func write(to writer: inout ByteWriter) {}
    }
}
