public import Bytes

/// Values with service UUIDs and service data.
extension GAP {
    /// A list of 16-bit UUIDs of offered or solicited services (CSS, Part A, 1.1 and 1.10).
    public struct UUIDs16: Value, Hashable {
        public var uuids: [UUID]

        public init(_ uuids: [UUID]) {
            self.uuids = uuids
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            uuids = []
            while !reader.isAtEnd { uuids.append(try reader.readUUID16(Fields.uuid16)) }
        }

        public func write(to writer: inout ByteWriter) {
            for uuid in uuids { if let short = uuid.uuid16 { writer.write(short) } }
        }
    }

    /// A list of 32-bit UUIDs of offered or solicited services (CSS, Part A, 1.1 and 1.10).
    public struct UUIDs32: Value, Hashable {
        public var uuids: [UUID]

        public init(_ uuids: [UUID]) {
            self.uuids = uuids
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            uuids = []
            while !reader.isAtEnd { uuids.append(try GAP.readUUID32(&reader)) }
        }

        public func write(to writer: inout ByteWriter) {
            for uuid in uuids { if let short = uuid.uuid32 { writer.write(short) } }
        }
    }

    /// A list of 128-bit UUIDs of offered or solicited services (CSS, Part A, 1.1 and 1.10).
    public struct UUIDs128: Value, Hashable {
        public var uuids: [UUID]

        public init(_ uuids: [UUID]) {
            self.uuids = uuids
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            uuids = []
            while !reader.isAtEnd { uuids.append(try GAP.readUUID128(&reader)) }
        }

        public func write(to writer: inout ByteWriter) {
            for uuid in uuids { writer.write(uuid.value) }
        }
    }

    /// Data of the service with a 16-bit UUID (CSS, Part A, 1.11).
    public struct ServiceData16: Value, Hashable {
        public var service: UUID
        public var data: [UInt8]

        public init(service: UUID, data: [UInt8]) {
            self.service = service
            self.data = data
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            service = try reader.readUUID16(Fields.uuid16)
            data = reader.readRest(Fields.serviceData)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(service.uuid16 ?? 0)
            writer.write(data)
        }
    }

    /// Data of the service with a 32-bit UUID (CSS, Part A, 1.11).
    public struct ServiceData32: Value, Hashable {
        public var service: UUID
        public var data: [UInt8]

        public init(service: UUID, data: [UInt8]) {
            self.service = service
            self.data = data
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            service = try GAP.readUUID32(&reader)
            data = reader.readRest(Fields.serviceData)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(service.uuid32 ?? 0)
            writer.write(data)
        }
    }

    /// Data of the service with a 128-bit UUID (CSS, Part A, 1.11).
    public struct ServiceData128: Value, Hashable {
        public var service: UUID
        public var data: [UInt8]

        public init(service: UUID, data: [UInt8]) {
            self.service = service
            self.data = data
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            service = try GAP.readUUID128(&reader)
            data = reader.readRest(Fields.serviceData)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(service.value)
            writer.write(data)
        }
    }

    /// A 32-bit UUID. One with a 16-bit form is recorded under a separate field name, as in Wireshark.
    private static func readUUID32(_ reader: inout ByteReader) throws(DecodeError) -> UUID {
        var ahead = ByteReader(reader.rest)
        let isShort = (try? ahead.read(Fields.uuid32, as: UInt32.self)).map { $0 <= UInt16.max } ?? true
        return UUID(try reader.read(isShort ? Fields.uuid32 : Fields.customUUID32, as: UInt32.self))
    }

    /// A 128-bit UUID. One with a short form is recorded under a separate field name, as in Wireshark.
    private static func readUUID128(_ reader: inout ByteReader) throws(DecodeError) -> UUID {
        var ahead = ByteReader(reader.rest)
        let isShort = (try? ahead.readUUID128(Fields.uuid128))?.uuid32 != nil
        return try reader.readUUID128(isShort ? Fields.uuid128 : Fields.customUUID128)
    }
}
