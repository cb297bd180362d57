public import Bytes

extension HCI {
    /// Header of an ACL data packet (Vol 4, Part E, 5.4.2).
    public struct ACLHeader: WireFormat, Hashable {
        /// Bytes on the wire.
        public static let size = 4

        public var handle: ConnectionHandle
        public var boundary: PacketBoundary
        /// 0 point-to-point, 1 BR/EDR broadcast.
        public var broadcast: UInt8
        /// Bytes after the header.
        public var length: UInt16

        @inlinable
        public init(handle: ConnectionHandle, boundary: PacketBoundary, broadcast: UInt8 = 0, length: UInt16) {
            self.handle = handle
            self.boundary = boundary
            self.broadcast = broadcast
            self.length = length
        }

        @inlinable
        @inline(__always)
        public init(reading reader: inout ByteReader) throws(DecodeError) {
            let packed: UInt16 = try reader.readPacked(Fields.aclHandleAndFlags)
            handle = ConnectionHandle(rawValue: packed & 0x0FFF)
            boundary = PacketBoundary(rawValue: UInt8(truncatingIfNeeded: packed >> 12 & 3))
            broadcast = UInt8(truncatingIfNeeded: packed >> 14)
            length = try reader.read(Fields.aclLength)
        }

        /// The header whose bytes form the little-endian number `packed`.
        @inlinable
        @inline(__always)
        public init(packed: UInt32) {
            handle = ConnectionHandle(rawValue: UInt16(truncatingIfNeeded: packed) & 0x0FFF)
            boundary = PacketBoundary(rawValue: UInt8(truncatingIfNeeded: packed >> 12 & 3))
            broadcast = UInt8(truncatingIfNeeded: packed >> 14 & 3)
            length = UInt16(truncatingIfNeeded: packed >> 16)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(handle.rawValue & 0x0FFF | UInt16(boundary.rawValue & 3) << 12 | UInt16(broadcast & 3) << 14)
            writer.write(length)
        }
    }

    /// Packet_Boundary_Flag: position of an ACL data packet in an L2CAP PDU (Vol 4, Part E, 5.4.2).
    public struct PacketBoundary: WireInteger {
        public var rawValue: UInt8

        @inlinable
        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// First packet of a PDU, non-flushable; from the host, always used on LE.
        public static let firstNonFlushable = Self(rawValue: 0)
        /// Continuing fragment of a PDU.
        public static let continuing = Self(rawValue: 1)
        /// First packet of a PDU, flushable; from the controller.
        public static let firstFlushable = Self(rawValue: 2)
        /// A complete PDU, flushable.
        public static let complete = Self(rawValue: 3)

        /// Whether the packet continues an earlier PDU.
        @inlinable public var isContinuation: Bool { rawValue == 1 }

        public var name: String? {
            switch rawValue {
            case 0: "First Non-automatically Flushable Packet"
            case 1: "Continuing Fragment"
            case 2: "First Automatically Flushable Packet"
            case 3: "Complete L2CAP PDU"
            default: nil
            }
        }
    }

    /// Header of a synchronous data packet (Vol 4, Part E, 5.4.3).
    public struct SCOHeader: WireFormat, Hashable {
        public var handle: ConnectionHandle
        /// 0 correctly received, 1 possibly invalid, 2 nothing received, 3 partially lost; 0 from the host.
        public var packetStatus: UInt8
        /// Two reserved bits.
        public var reserved: UInt8
        /// Bytes after the header.
        public var length: UInt8

        public init(handle: ConnectionHandle, packetStatus: UInt8 = 0, reserved: UInt8 = 0, length: UInt8) {
            self.handle = handle
            self.packetStatus = packetStatus
            self.reserved = reserved
            self.length = length
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            let packed: UInt16 = try reader.readPacked(Fields.scoHandleAndFlags)
            handle = ConnectionHandle(packed & 0x0FFF)
            packetStatus = UInt8(truncatingIfNeeded: packed >> 12 & 3)
            reserved = UInt8(truncatingIfNeeded: packed >> 14)
            length = try reader.read(Fields.scoLength)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(handle.rawValue & 0x0FFF | UInt16(packetStatus & 3) << 12 | UInt16(reserved & 3) << 14)
            writer.write(length)
        }
    }

    /// Header of an isochronous data packet (Vol 4, Part E, 5.4.5).
    public struct ISOHeader: WireFormat, Hashable {
        public var handle: ConnectionHandle
        public var boundary: ISOBoundary
        /// Whether the data load begins with a time stamp.
        public var hasTimeStamp: Bool
        /// The most significant bit; reserved.
        public var reserved: UInt8
        /// Bytes after the header, 14 bits.
        public var length: UInt16
        /// The two bits above the length; reserved.
        public var reservedOfLength: UInt8

        public init(
            handle: ConnectionHandle, boundary: ISOBoundary, hasTimeStamp: Bool, reserved: UInt8 = 0, length: UInt16,
            reservedOfLength: UInt8 = 0
        ) {
            self.handle = handle
            self.boundary = boundary
            self.hasTimeStamp = hasTimeStamp
            self.reserved = reserved
            self.length = length
            self.reservedOfLength = reservedOfLength
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            let packed: UInt16 = try reader.readPacked(Fields.isoHandleAndFlags)
            handle = ConnectionHandle(packed & 0x0FFF)
            boundary = ISOBoundary(rawValue: UInt8(truncatingIfNeeded: packed >> 12 & 3))
            hasTimeStamp = packed & 0x4000 != 0
            reserved = UInt8(truncatingIfNeeded: packed >> 15)
            let length: UInt16 = try reader.readPacked(Fields.isoLength)
            self.length = length & 0x3FFF
            reservedOfLength = UInt8(truncatingIfNeeded: length >> 14)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(
                handle.rawValue & 0x0FFF | UInt16(boundary.rawValue & 3) << 12 | (hasTimeStamp ? 0x4000 : 0)
                    | UInt16(reserved & 1) << 15)
            writer.write(length & 0x3FFF | UInt16(reservedOfLength & 3) << 14)
        }
    }

    /// PB_Flag: position of an isochronous data packet in an SDU (Vol 4, Part E, 5.4.5).
    public struct ISOBoundary: WireInteger {
        public var rawValue: UInt8

        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        public static let first = Self(rawValue: 0)
        public static let continuing = Self(rawValue: 1)
        public static let complete = Self(rawValue: 2)
        public static let last = Self(rawValue: 3)

        /// Whether the packet begins an SDU and therefore has a data load header.
        public var beginsSDU: Bool { rawValue & 1 == 0 }

        public var name: String? {
            switch rawValue {
            case 0: "First Fragment"
            case 1: "Continuing Fragment"
            case 2: "Complete SDU"
            case 3: "Last Fragment"
            default: nil
            }
        }
    }

    /// Data load header in the first or only packet of an SDU (Vol 4, Part E, 5.4.5).
    public struct ISODataLoad: Hashable, Sendable {
        /// In microseconds; present only if the packet header says so.
        public var timeStamp: UInt32?
        public var sequenceNumber: UInt16
        /// Length of the complete SDU in bytes, 12 bits.
        public var sduLength: UInt16
        /// 0 valid, 1 possibly invalid, 2 lost.
        public var packetStatus: UInt8
        /// The two bits between length and status; reserved.
        public var reserved: UInt8

        public init(
            timeStamp: UInt32?, sequenceNumber: UInt16, sduLength: UInt16, packetStatus: UInt8 = 0, reserved: UInt8 = 0
        ) {
            self.timeStamp = timeStamp
            self.sequenceNumber = sequenceNumber
            self.sduLength = sduLength
            self.packetStatus = packetStatus
            self.reserved = reserved
        }

        public init(reading reader: inout ByteReader, hasTimeStamp: Bool) throws(DecodeError) {
            timeStamp = hasTimeStamp ? try reader.read(Fields.isoTimeStamp) : nil
            sequenceNumber = try reader.read(Fields.isoSequenceNumber)
            let packed: UInt16 = try reader.readPacked(Fields.isoLengthAndStatus)
            sduLength = packed & 0x0FFF
            reserved = UInt8(truncatingIfNeeded: packed >> 12 & 3)
            packetStatus = UInt8(truncatingIfNeeded: packed >> 14)
        }

        public func write(to writer: inout ByteWriter) {
            if let timeStamp { writer.write(timeStamp) }
            writer.write(sequenceNumber)
            writer.write(sduLength & 0x0FFF | UInt16(reserved & 3) << 12 | UInt16(packetStatus & 3) << 14)
        }
    }
}

extension HCI {
    /// Reads an isochronous data packet without its packet indicator (Vol 4, Part E, 5.4.5).
    public static func readISO(_ reader: inout ByteReader) throws(DecodeError) {
        let header = try ISOHeader(reading: &reader)
        var load = try reader.slice(count: Int(header.length), lengthSetBy: Fields.isoLength[0])
        if header.boundary.beginsSDU { _ = try ISODataLoad(reading: &load, hasTimeStamp: header.hasTimeStamp) }
        load.skipRest(Fields.isoData)
    }
}
