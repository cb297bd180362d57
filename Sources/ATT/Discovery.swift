package import BluetoothTypes
package import Bytes

extension ATT {
    /// Asks for the types of the attributes in a range (Vol 3, Part F, 3.4.3.1).
    package struct FindInformationRequest: PDU, Hashable {
        package static let opcode = Opcode.findInformationRequest

        /// First handle of the range, 1 at least.
        package var start: Handle
        /// Last handle of the range.
        package var end: Handle

        package init(start: Handle, end: Handle) {
            self.start = start
            self.end = end
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            start = try reader.read(Fields.startingHandle)
            end = try reader.read(Fields.endingHandle)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(start)
            writer.write(end)
        }
    }

    /// Asks for the values of one type in a range (Vol 3, Part F, 3.4.4.1).
    package struct ReadByTypeRequest: PDU, Hashable {
        package static let opcode = Opcode.readByTypeRequest

        /// First handle of the range, 1 at least.
        package var start: Handle
        /// Last handle of the range.
        package var end: Handle
        /// Attribute type.
        package var type: UUID

        package init(start: Handle, end: Handle, type: UUID) {
            self.start = start
            self.end = end
            self.type = type
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            start = try reader.read(Fields.startingHandle)
            end = try reader.read(Fields.endingHandle)
            type = try ATT.readUUID(&reader)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(start)
            writer.write(end)
            writer.write(type)
        }
    }

    /// Asks for the groups of one type in a range (Vol 3, Part F, 3.4.4.9).
    package struct ReadByGroupTypeRequest: PDU, Hashable {
        package static let opcode = Opcode.readByGroupTypeRequest

        /// First handle of the range, 1 at least.
        package var start: Handle
        /// Last handle of the range.
        package var end: Handle
        /// Group type: «Primary Service» or «Secondary Service».
        package var type: UUID

        package init(start: Handle, end: Handle, type: UUID) {
            self.start = start
            self.end = end
            self.type = type
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            start = try reader.read(Fields.startingHandle)
            end = try reader.read(Fields.endingHandle)
            type = try ATT.readUUID(&reader)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(start)
            writer.write(end)
            writer.write(type)
        }
    }
}
