public import Bytes

extension ATT {
    /// Asks for the values of several attributes, without lengths (Vol 3, Part F, 3.4.4.7).
    public struct ReadMultipleRequest: PDU, Hashable {
        public static let opcode = Opcode.readMultipleRequest

        /// Two or more.
        public var handles: [Handle]

        public init(handles: [Handle]) {
            self.handles = handles
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            handles = try ATT.readHandles(&reader)
        }

        public func write(to writer: inout ByteWriter) {
            for handle in handles { writer.write(handle) }
        }
    }

    /// The concatenated values; only the client knows their lengths (Vol 3, Part F, 3.4.4.8).
    public struct ReadMultipleResponse: PDU, Hashable {
        public static let opcode = Opcode.readMultipleResponse

        public var values: [UInt8]

        public init(values: [UInt8]) {
            self.values = values
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            values = reader.readRest(Fields.value)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(values)
        }
    }

    /// Asks for the values of several attributes, each with its length (Vol 3, Part F, 3.4.4.11).
    public struct ReadMultipleVariableRequest: PDU, Hashable {
        public static let opcode = Opcode.readMultipleVariableRequest

        /// Two or more.
        public var handles: [Handle]

        public init(handles: [Handle]) {
            self.handles = handles
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            handles = try ATT.readHandles(&reader)
        }

        public func write(to writer: inout ByteWriter) {
            for handle in handles { writer.write(handle) }
        }
    }

    /// The values, each with its length (Vol 3, Part F, 3.4.4.12).
    public struct ReadMultipleVariableResponse: PDU, Hashable {
        public static let opcode = Opcode.readMultipleVariableResponse

        /// A value with its length.
        public struct Value: Hashable, Sendable {
            /// Full length of the value in bytes; greater than the count of `bytes` if the MTU truncated the value.
            public var length: UInt16
            public var bytes: [UInt8]

            public init(_ bytes: [UInt8]) {
                self.init(length: UInt16(truncatingIfNeeded: bytes.count), bytes: bytes)
            }

            public init(length: UInt16, bytes: [UInt8]) {
                self.length = length
                self.bytes = bytes
            }
        }

        /// In the order of the request; the last value may be truncated.
        public var values: [Value]

        public init(values: [Value]) {
            self.values = values
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            values = []
            while !reader.isAtEnd {
                let length: UInt16 = try reader.read(Fields.length)
                let bytes = try reader.readBytes(Fields.value, count: min(Int(length), reader.remaining))
                values.append(Value(length: length, bytes: bytes))
            }
        }

        public func write(to writer: inout ByteWriter) {
            for value in values {
                writer.write(value.length)
                writer.write(value.bytes)
            }
        }
    }

    /// Several values that the server sends without confirmation (Vol 3, Part F, 3.4.7.4).
    public struct MultipleHandleValueNotification: PDU, Hashable {
        public static let opcode = Opcode.multipleHandleValueNotification

        /// One attribute.
        public struct Entry: Hashable, Sendable {
            public var handle: Handle
            public var value: [UInt8]

            public init(handle: Handle, value: [UInt8]) {
                self.handle = handle
                self.value = value
            }
        }

        /// Two or more.
        public var entries: [Entry]

        public init(entries: [Entry]) {
            self.entries = entries
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
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

        public func write(to writer: inout ByteWriter) {
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
