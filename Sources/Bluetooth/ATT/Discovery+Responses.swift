public import Bytes

extension ATT {
    /// Reads a 16- or 128-bit UUID that fills the remaining PDU.
    public static func readUUID(_ reader: inout ByteReader) throws(DecodeError) -> UUID {
        switch reader.remaining {
        case 16: try reader.readUUID128(Fields.uuid128)
        case 0...2: try reader.readUUID16(Fields.uuid16)
        default: throw reader.invalid(Fields.uuid128, length: 0, expected: "2 or 16 bytes, not \(reader.remaining)")
        }
    }

    /// Handles and types of attributes (Vol 3, Part F, 3.4.3.2).
    public struct FindInformationResponse: PDU, Hashable {
        public static let opcode = Opcode.findInformationResponse

        /// One attribute.
        public struct Entry: Hashable, Sendable {
            public var handle: Handle
            public var type: UUID

            public init(handle: Handle, type: UUID) {
                self.handle = handle
                self.type = type
            }
        }

        /// 1: all types are 16 bits long; 2: all are 128 bits long.
        public var format: UInt8
        /// In handle order.
        public var entries: [Entry]

        public init(entries: [Entry]) {
            format = entries.allSatisfy { $0.type.uuid16 != nil } ? 1 : 2
            self.entries = entries
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            entries = []
            format = try reader.read(Fields.uuidFormat)
            guard format == 1 || format == 2 else {
                throw reader.invalid(Fields.uuidFormat, length: 1, expected: "1 (16-bit) or 2 (128-bit), not \(format)")
            }
            while !reader.isAtEnd {
                let group = reader.begin(Fields.informationData)
                let handle = try reader.read(Fields.handle, as: Handle.self)
                let type =
                    format == 1 ? try reader.readUUID16(Fields.uuid16) : try reader.readUUID128(Fields.uuid128)
                reader.end(group)
                entries.append(Entry(handle: handle, type: type))
            }
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(format)
            for entry in entries {
                writer.write(entry.handle)
                if format == 1 { writer.write(entry.type) } else { writer.write(entry.type.value) }
            }
        }
    }

    /// Asks for the groups of one type with a given value (Vol 3, Part F, 3.4.3.3).
    public struct FindByTypeValueRequest: PDU, Hashable {
        public static let opcode = Opcode.findByTypeValueRequest

        /// First handle of the range, at least 1.
        public var start: Handle
        /// Last handle of the range.
        public var end: Handle
        /// Attribute type, always 16 bits.
        public var type: UInt16
        public var value: [UInt8]

        public init(start: Handle, end: Handle, type: UInt16, value: [UInt8]) {
            self.start = start
            self.end = end
            self.type = type
            self.value = value
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            start = try reader.read(Fields.startingHandle)
            end = try reader.read(Fields.endingHandle)
            type = try reader.read(Fields.uuid16)
            value = reader.readRest(Fields.value)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(start)
            writer.write(end)
            writer.write(type)
            writer.write(value)
        }
    }

    /// The groups found (Vol 3, Part F, 3.4.3.4).
    public struct FindByTypeValueResponse: PDU, Hashable {
        public static let opcode = Opcode.findByTypeValueResponse

        /// A group of attributes, such as a service.
        public struct Group: Hashable, Sendable {
            public var handle: Handle
            /// Handle of the group's last attribute.
            public var end: Handle

            public init(handle: Handle, end: Handle) {
                self.handle = handle
                self.end = end
            }
        }

        public var groups: [Group]

        public init(groups: [Group]) {
            self.groups = groups
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            groups = []
            repeat {
                let group = reader.begin(Fields.handlesInformation)
                let handle = try reader.read(Fields.handle, as: Handle.self)
                let end = try reader.read(Fields.groupEndHandle, as: Handle.self)
                reader.end(group)
                groups.append(Group(handle: handle, end: end))
            } while !reader.isAtEnd
        }

        public func write(to writer: inout ByteWriter) {
            for group in groups {
                writer.write(group.handle)
                writer.write(group.end)
            }
        }
    }

    /// Values of one type and equal length (Vol 3, Part F, 3.4.4.2).
    public struct ReadByTypeResponse: PDU, Hashable {
        public static let opcode = Opcode.readByTypeResponse

        /// One attribute.
        public struct Entry: Hashable, Sendable {
            public var handle: Handle
            public var value: [UInt8]

            public init(handle: Handle, value: [UInt8]) {
                self.handle = handle
                self.value = value
            }
        }

        public var entries: [Entry]

        public init(entries: [Entry]) {
            self.entries = entries
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            self.init(entries: [])
            try read(&reader) { _, value throws(DecodeError) in value.readRest(Fields.value) }
        }

        /// Reads the entries. `readValue` reads each value, because its type is known only from the request.
        public init(
            reading reader: inout ByteReader,
            value readValue: (Handle, inout ByteReader) throws(DecodeError) -> [UInt8]
        ) throws(DecodeError) {
            self.init(entries: [])
            try read(&reader, readValue)
        }

        private mutating func read(
            _ reader: inout ByteReader, _ readValue: (Handle, inout ByteReader) throws(DecodeError) -> [UInt8]
        ) throws(DecodeError) {
            let length = try readEntryLength(&reader, minimum: 2)
            repeat {
                let group = reader.begin(Fields.attributeData)
                var entry = try reader.slice(count: length, lengthSetBy: Fields.length)
                let handle = try entry.read(Fields.handle, as: Handle.self)
                entries.append(Entry(handle: handle, value: try readValue(handle, &entry)))
                reader.end(group)
            } while !reader.isAtEnd
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(UInt8(truncatingIfNeeded: 2 + (entries.first?.value.count ?? 0)))
            for entry in entries {
                writer.write(entry.handle)
                writer.write(entry.value)
            }
        }
    }

    /// Groups with values of equal length (Vol 3, Part F, 3.4.4.10).
    public struct ReadByGroupTypeResponse: PDU, Hashable {
        public static let opcode = Opcode.readByGroupTypeResponse

        /// A group of attributes, such as a service, whose value is the service's UUID.
        public struct Group: Hashable, Sendable {
            public var handle: Handle
            /// Handle of the group's last attribute.
            public var end: Handle
            public var value: [UInt8]

            public init(handle: Handle, end: Handle, value: [UInt8]) {
                self.handle = handle
                self.end = end
                self.value = value
            }

            /// The value as a service UUID; nil if its length is neither 2 nor 16.
            public var service: UUID? { UUID(wire: value) }
        }

        public var groups: [Group]

        public init(groups: [Group]) {
            self.groups = groups
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            groups = []
            let length = try readEntryLength(&reader, minimum: 4)
            repeat {
                let group = reader.begin(Fields.attributeData)
                var entry = try reader.slice(count: length, lengthSetBy: Fields.length)
                let handle = try entry.read(Fields.handle, as: Handle.self)
                let end = try entry.read(Fields.groupEndHandle, as: Handle.self)
                groups.append(Group(handle: handle, end: end, value: try readUUIDValue(&entry)))
                reader.end(group)
            } while !reader.isAtEnd
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(UInt8(truncatingIfNeeded: 4 + (groups.first?.value.count ?? 0)))
            for group in groups {
                writer.write(group.handle)
                writer.write(group.end)
                writer.write(group.value)
            }
        }
    }

    /// Reads the common length of all entries of a response.
    private static func readEntryLength(_ reader: inout ByteReader, minimum: Int) throws(DecodeError) -> Int {
        let length: UInt8 = try reader.read(Fields.length)
        guard length >= minimum else {
            throw reader.invalid(Fields.length, length: 1, expected: "\(minimum) or more, not \(length)")
        }
        return Int(length)
    }

    /// Reads an attribute value that is a UUID, and records the UUID as part of the value.
    private static func readUUIDValue(_ reader: inout ByteReader) throws(DecodeError) -> [UInt8] {
        let value = reader.restBytes
        try reader.withinValue(Fields.value) { reader throws(DecodeError) in
            switch value.count {
            case 2: _ = try reader.readUUID16(Fields.uuid16)
            case 16: _ = try reader.readUUID128(Fields.uuid128)
            default: reader.skipRest(Fields.parameters)
            }
        }
        return value
    }
}
