package import BluetoothTypes
package import Bytes

extension ATT {
    /// Asks for the values of several attributes, in one list of bytes (Vol 3, Part F, 3.4.4.7).
    package struct ReadMultipleRequest: PDU, Hashable {
        package static let opcode = Opcode.readMultipleRequest

        /// Two or more.
        package var handles: [Handle]

        package init(handles: [Handle]) {
            self.handles = handles
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            handles = try ATT.readHandles(&reader)
        }

        package func write(to writer: inout ByteWriter) {
            for handle in handles { writer.write(handle) }
        }
    }

    /// The values, one after the other; only the requester knows their lengths (Vol 3, Part F, 3.4.4.8).
    package struct ReadMultipleResponse: PDU, Hashable {
        package static let opcode = Opcode.readMultipleResponse

        package var values: [UInt8]

        package init(values: [UInt8]) {
            self.values = values
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            values = reader.readRest(Fields.value)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(values)
        }
    }

    /// Asks for the values of several attributes, each with its length (Vol 3, Part F, 3.4.4.11).
    package struct ReadMultipleVariableRequest: PDU, Hashable {
        package static let opcode = Opcode.readMultipleVariableRequest

        /// Two or more.
        package var handles: [Handle]

        package init(handles: [Handle]) {
            self.handles = handles
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            handles = try ATT.readHandles(&reader)
        }

        package func write(to writer: inout ByteWriter) {
            for handle in handles { writer.write(handle) }
        }
    }

    /// The values, each with its length (Vol 3, Part F, 3.4.4.12).
    package struct ReadMultipleVariableResponse: PDU, Hashable {
        package static let opcode = Opcode.readMultipleVariableResponse

        /// One value.
        package struct Value: Hashable, Sendable {
            /// The value's whole length in bytes: more than `bytes` has when the MTU cut it.
            package var length: UInt16
            package var bytes: [UInt8]

            package init(_ bytes: [UInt8]) {
                self.init(length: UInt16(truncatingIfNeeded: bytes.count), bytes: bytes)
            }

            package init(length: UInt16, bytes: [UInt8]) {
                self.length = length
                self.bytes = bytes
            }
        }

        /// In the order of the request; the last may be cut.
        package var values: [Value]

        package init(values: [Value]) {
            self.values = values
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            values = []
            while !reader.isAtEnd {
                let length: UInt16 = try reader.read(Fields.length)
                let bytes = try reader.readBytes(Fields.value, count: min(Int(length), reader.remaining))
                values.append(Value(length: length, bytes: bytes))
            }
        }

        package func write(to writer: inout ByteWriter) {
            for value in values {
                writer.write(value.length)
                writer.write(value.bytes)
            }
        }
    }

    /// The server tells several values; nothing answers (Vol 3, Part F, 3.4.7.4).
    package struct MultipleHandleValueNotification: PDU, Hashable {
        package static let opcode = Opcode.multipleHandleValueNotification

        /// One attribute.
        package struct Entry: Hashable, Sendable {
            package var handle: Handle
            package var value: [UInt8]

            package init(handle: Handle, value: [UInt8]) {
                self.handle = handle
                self.value = value
            }
        }

        /// Two or more.
        package var entries: [Entry]

        package init(entries: [Entry]) {
            self.entries = entries
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            entries = []
            while !reader.isAtEnd {
                let group = reader.begin(Fields.attributeData)
                let handle = try reader.read(Fields.handle, as: Handle.self)
                let length: UInt16 = try reader.read(Fields.length)
                let value = try reader.readBytes(Fields.value, count: Int(length))
                reader.end(group)
                entries.append(Entry(handle: handle, value: value))
            }
        }

        package func write(to writer: inout ByteWriter) {
            for entry in entries {
                writer.write(entry.handle)
                writer.write(UInt16(truncatingIfNeeded: entry.value.count))
                writer.write(entry.value)
            }
        }
    }

    private static func readHandles(_ reader: inout ByteReader) throws(DecodeError) -> [Handle] {
        var handles: [Handle] = []
        while !reader.isAtEnd { handles.append(try reader.read(Fields.handle)) }
        return handles
    }
}
