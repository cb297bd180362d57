public import Bytes

/// Values of individual profiles: indoor positions, other transports, 3D displays.
extension GAP {
    /// Indoor position of the sender (Indoor Positioning Service, 2.1).
    public struct IndoorPositioning: Value, Hashable {
        /// Presence of the other fields.
        public var flags: UInt8
        public var coordinates: Coordinates?
        /// In dBm.
        public var txPower: Int8?
        public var altitude: UInt16?
        public var floorNumber: UInt8?
        public var uncertainty: UInt8?

        public enum Coordinates: Hashable, Sendable {
            /// WGS84, in units of 90° / 2³¹ and 180° / 2³¹.
            case global(latitude: Int32, longitude: Int32)
            /// In dm from a local origin.
            case local(north: Int16, east: Int16)
        }

        public init(
            coordinates: Coordinates? = nil, txPower: Int8? = nil, altitude: UInt16? = nil, floorNumber: UInt8? = nil,
            uncertainty: UInt8? = nil, hasLocationName: Bool = false
        ) {
            flags = hasLocationName ? 0x40 : 0
            switch coordinates {
            case .global: flags |= 0x01
            case .local: flags |= 0x03
            case nil: break
            }
            if txPower != nil { flags |= 0x04 }
            if altitude != nil { flags |= 0x08 }
            if floorNumber != nil { flags |= 0x10 }
            if uncertainty != nil { flags |= 0x20 }
            self.coordinates = coordinates
            self.txPower = txPower
            self.altitude = altitude
            self.floorNumber = floorNumber
            self.uncertainty = uncertainty
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            let flags: UInt8 = try reader.read(Fields.positionFlags)
            reader.recordBits(flags, Fields.positionFlagBits)
            self.flags = flags
            if flags & 0x01 != 0 {
                coordinates =
                    flags & 0x02 == 0
                    ? .global(
                        latitude: try reader.read(Fields.latitude), longitude: try reader.read(Fields.longitude))
                    : .local(north: try reader.read(Fields.localNorth), east: try reader.read(Fields.localEast))
            }
            if flags & 0x04 != 0 { txPower = try reader.read(Fields.positionTxPower, as: Int8.self) }
            if flags & 0x08 != 0 { altitude = try reader.read(Fields.altitude, as: UInt16.self) }
            if flags & 0x10 != 0 { floorNumber = try reader.read(Fields.floorNumber, as: UInt8.self) }
            if flags & 0x20 != 0 {
                let value: UInt8 = try reader.read(Fields.uncertainty)
                reader.recordBits(value, Fields.uncertaintyBits)
                uncertainty = value
            }
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(flags)
            switch coordinates {
            case .global(let latitude, let longitude):
                writer.write(latitude)
                writer.write(longitude)
            case .local(let north, let east):
                writer.write(north)
                writer.write(east)
            case nil: break
            }
            if let txPower { writer.write(txPower) }
            if let altitude { writer.write(altitude) }
            if let floorNumber { writer.write(floorNumber) }
            if let uncertainty { writer.write(uncertainty) }
        }
    }

    /// Services that the sender offers or seeks over other transports (Transport Discovery Service, 2.3).
    public struct TransportDiscovery: Value, Hashable {
        public var blocks: [Block]

        public init(blocks: [Block]) {
            self.blocks = blocks
        }

        public struct Block: Hashable, Sendable {
            /// The organization that defines the data; 1 is the Bluetooth SIG.
            public var organization: UInt8
            /// Role in bits 0 and 1, incomplete in 2, state in 3 and 4.
            public var flags: UInt8
            public var data: [UInt8]

            public init(organization: UInt8, flags: UInt8, data: [UInt8]) {
                self.organization = organization
                self.flags = flags
                self.data = data
            }
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            blocks = []
            repeat {
                let organization: UInt8 = try reader.read(Fields.organization)
                let flags: UInt8 = try reader.read(Fields.transportFlags)
                reader.recordBits(flags, Fields.transportFlagBits)
                let length: UInt8 = try reader.read(Fields.transportDataLength)
                let data = try reader.readBytes(Fields.transportData, count: Int(length))
                blocks.append(Block(organization: organization, flags: flags, data: data))
            } while !reader.isAtEnd
        }

        public func write(to writer: inout ByteWriter) {
            for block in blocks {
                writer.write(block.organization)
                writer.write(block.flags)
                writer.write(UInt8(truncatingIfNeeded: block.data.count))
                writer.write(block.data)
            }
        }
    }

    /// Association and battery report settings of a 3D display for its glasses (3D Synchronization Profile, 4.7).
    public struct Information3D: Value, Hashable {
        public var flags: UInt8
        /// In dB.
        public var pathLossThreshold: UInt8

        public init(flags: UInt8, pathLossThreshold: UInt8) {
            self.flags = flags
            self.pathLossThreshold = pathLossThreshold
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            flags = try reader.readBits(Fields.bits3D)
            pathLossThreshold = try reader.read(Fields.pathLossThreshold)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(flags)
            writer.write(pathLossThreshold)
        }
    }
}
