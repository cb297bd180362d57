public import Bytes

extension LL {
    /// The Per-Packet Information header (LINKTYPE_PPI, 192) of a Link Layer packet, as written by Ubertooth.
    public struct PPIHeader: WireFormat, Hashable {
        public var version: UInt8
        public var flags: UInt8
        /// Link type of the packet after the header: 251, or 256 with a pseudo-header.
        public var linkType: UInt32
        /// In packet order.
        public var fields: [Entry]

        /// One field of the header.
        public struct Entry: Hashable, Sendable {
            public var type: UInt16
            public var data: [UInt8]

            public init(type: UInt16, data: [UInt8]) {
                self.type = type
                self.data = data
            }

            /// Field type of the Ubertooth metadata.
            public static let ubertooth: UInt16 = 30006
        }

        public init(linkType: UInt32, fields: [Entry]) {
            version = 0
            flags = 0
            self.linkType = linkType
            self.fields = fields
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            version = try reader.read(Fields.ppiVersion)
            flags = try reader.read(Fields.ppiFlags)
            reader.recordBits(flags, Fields.ppiFlagBits)
            let length: UInt16 = try reader.read(Fields.ppiLength)
            linkType = try reader.read(Fields.ppiLinkType)
            guard length >= 8 else {
                throw reader.invalid(Fields.ppiLength, length: 6, expected: "8 at least, not \(length)")
            }
            var inner = try reader.slice(count: Int(length) - 8, lengthSetBy: Fields.ppiLength)
            fields = []
            while !inner.isAtEnd { fields.append(try Self.readEntry(&inner, isAligned: flags & 1 == 1)) }
        }

        private static func readEntry(
            _ reader: inout ByteReader, isAligned: Bool
        ) throws(DecodeError) -> Entry {
            let type: UInt16 = try reader.read(Fields.ppiFieldType)
            let length: UInt16 = try reader.read(Fields.ppiFieldLength)
            var body = try reader.slice(count: Int(length), lengthSetBy: Fields.ppiFieldLength)
            let data = body.restBytes
            if type == Entry.ubertooth, data.count >= UbertoothInfo.length {
                _ = try UbertoothInfo(reading: &body)
            }
            body.skipRest(Fields.ppiFieldData)
            // If the flag is set, every field starts at a multiple of four.
            let padding = isAligned ? min((4 - Int(length) % 4) % 4, reader.remaining) : 0
            if padding > 0 { try reader.skip(Fields.ppiPadding, count: padding) }
            return Entry(type: type, data: data)
        }

        public func write(to writer: inout ByteWriter) {
            let body = ByteWriter.bytes { body in
                for field in fields {
                    body.write(field.type)
                    body.write(UInt16(truncatingIfNeeded: field.data.count))
                    body.write(field.data)
                    if flags & 1 == 1 {
                        body.write([UInt8](repeating: 0, count: (4 - field.data.count % 4) % 4))
                    }
                }
            }
            writer.write(version)
            writer.write(flags)
            writer.write(UInt16(truncatingIfNeeded: 8 + body.count))
            writer.write(linkType)
            writer.write(body)
        }

        /// The Ubertooth metadata; nil for none.
        public var ubertooth: UbertoothInfo? {
            guard let field = fields.first(where: { $0.type == Entry.ubertooth }) else { return nil }
            return try? UbertoothInfo(decoding: field.data)
        }
    }

    /// The PPI field with Ubertooth metadata (field type 30006).
    public struct UbertoothInfo: WireFormat, Hashable {
        public var version: UInt8
        /// In MHz.
        public var frequency: UInt16
        /// Most significant byte of the receiver's clock.
        public var clockHigh: UInt8
        /// The receiver's clock, in 100 ns.
        public var clock: UInt32
        /// RSSI in dBm.
        public var signalMaximum: Int8
        public var signalMinimum: Int8
        public var signalAverage: Int8
        /// Number of measurements.
        public var signalCount: UInt8

        /// Length in bytes.
        static let length = 12

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            version = try reader.read(Fields.ubertoothVersion)
            frequency = try reader.read(Fields.ubertoothFrequency)
            clockHigh = try reader.read(Fields.ubertoothClockHigh)
            clock = try reader.read(Fields.ubertoothClock)
            signalMaximum = try reader.read(Fields.ubertoothSignalMaximum)
            signalMinimum = try reader.read(Fields.ubertoothSignalMinimum)
            signalAverage = try reader.read(Fields.ubertoothSignalAverage)
            signalCount = try reader.read(Fields.ubertoothSignalCount)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(version)
            writer.write(frequency)
            writer.write(clockHigh)
            writer.write(clock)
            writer.write(signalMaximum)
            writer.write(signalMinimum)
            writer.write(signalAverage)
            writer.write(signalCount)
        }
    }
}
