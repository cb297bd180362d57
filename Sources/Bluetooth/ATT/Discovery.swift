public import Bytes

extension ATT {
    /// Asks for the types of the attributes in a range (Vol 3, Part F, 3.4.3.1).
    public struct FindInformationRequest: PDU, Hashable {
        public static let opcode = Opcode.findInformationRequest

        /// First handle of the range, at least 1.
        public var start: Handle
        /// Last handle of the range.
        public var end: Handle

        public init(start: Handle, end: Handle) {
            self.start = start
            self.end = end
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            start = try reader.read(Fields.startingHandle)
            end = try reader.read(Fields.endingHandle)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(start)
            writer.write(end)
        }
    }

    /// Asks for the values of one type in a range (Vol 3, Part F, 3.4.4.1).
    public struct ReadByTypeRequest: PDU, Hashable {
        public static let opcode = Opcode.readByTypeRequest

        /// First handle of the range, at least 1.
        public var start: Handle
        /// Last handle of the range.
        public var end: Handle
        /// Attribute type.
        public var type: UUID

        public init(start: Handle, end: Handle, type: UUID) {
            self.start = start
            self.end = end
            self.type = type
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            start = try reader.read(Fields.startingHandle)
            end = try reader.read(Fields.endingHandle)
            type = try ATT.readUUID(&reader)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(start)
            writer.write(end)
            writer.write(type)
        }
    }

    /// Asks for the groups of one type in a range (Vol 3, Part F, 3.4.4.9).
    public struct ReadByGroupTypeRequest: PDU, Hashable {
        public static let opcode = Opcode.readByGroupTypeRequest

        /// First handle of the range, at least 1.
        public var start: Handle
        /// Last handle of the range.
        public var end: Handle
        /// Group type: «Primary Service» or «Secondary Service».
        public var type: UUID

        public init(start: Handle, end: Handle, type: UUID) {
            self.start = start
            self.end = end
            self.type = type
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            start = try reader.read(Fields.startingHandle)
            end = try reader.read(Fields.endingHandle)
            type = try ATT.readUUID(&reader)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(start)
            writer.write(end)
            writer.write(type)
        }
    }
}
