public import Bytes

extension HCI {
    /// Resets the controller to its initial state (Vol 4, Part E, 7.3.2).
    public struct Reset: Command, Hashable {
        public static let opcode = Opcode.reset

        public init() {}

        public init(reading reader: inout ByteReader) throws(DecodeError) {}

        public func write(to writer: inout ByteWriter) {}
    }

    /// Selects the events that the controller sends (Vol 4, Part E, 7.3.1).
    public struct SetEventMask: Command, Hashable {
        public static let opcode = Opcode.setEventMask

        /// One bit per event; `Parameter.eventMask` names them.
        public var mask: UInt64

        public init(mask: UInt64) {
            self.mask = mask
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            mask = try reader.read(Parameter.eventMask.inCommand)
            reader.recordBits(mask, Parameter.eventMask.parts(HCI.Side.command))
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(mask)
        }
    }

    /// Selects the LE events that the controller sends (Vol 4, Part E, 7.8.1).
    public struct LESetEventMask: Command, Hashable {
        public static let opcode = Opcode.leSetEventMask

        /// Bit n selects the LE event with subevent code n + 1.
        public var mask: UInt64

        public init(mask: UInt64) {
            self.mask = mask
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            mask = try reader.read(Parameter.leEventMask.inCommand)
            reader.recordBits(mask, Parameter.leEventMask.parts(HCI.Side.command))
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(mask)
        }
    }

    /// Sets the device's random address (Vol 4, Part E, 7.8.4).
    public struct LESetRandomAddress: Command, Hashable {
        public static let opcode = Opcode.leSetRandomAddress

        public var address: Address

        public init(address: Address) {
            self.address = address
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            address = try reader.readAddress(Parameter.bdAddr.inCommand)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(address)
        }
    }

    /// Asks for the controller's public address (Vol 4, Part E, 7.4.6).
    public struct ReadBDADDR: Command, Hashable {
        public static let opcode = Opcode.readBDADDR

        public init() {}

        public init(reading reader: inout ByteReader) throws(DecodeError) {}

        public func write(to writer: inout ByteWriter) {}

        /// The return parameters.
        public struct Returned: Parameters, Hashable {
            public var status: ErrorCode
            public var address: Address

            public init(status: ErrorCode = .success, address: Address) {
                self.status = status
                self.address = address
            }

            public init(reading reader: inout ByteReader) throws(DecodeError) {
                status = try reader.read(Parameter.status.inEvent)
                address = try reader.readAddress(Parameter.bdAddr.inEvent)
            }

            public func write(to writer: inout ByteWriter) {
                writer.write(status)
                writer.write(address)
            }
        }
    }

    /// Asks for the size and number of the controller's LE data buffers (Vol 4, Part E, 7.8.2).
    public struct LEReadBufferSize: Command, Hashable {
        public static let opcode = Opcode.leReadBufferSize

        public init() {}

        public init(reading reader: inout ByteReader) throws(DecodeError) {}

        public func write(to writer: inout ByteWriter) {}

        /// The return parameters.
        public struct Returned: Parameters, Hashable {
            public var status: ErrorCode
            /// Maximum length of an ACL data packet, in bytes; 0: LE shares the BR/EDR buffers.
            public var packetLength: UInt16
            /// Number of ACL data packets that the controller can buffer.
            public var packetCount: UInt8

            public init(status: ErrorCode = .success, packetLength: UInt16, packetCount: UInt8) {
                self.status = status
                self.packetLength = packetLength
                self.packetCount = packetCount
            }

            public init(reading reader: inout ByteReader) throws(DecodeError) {
                status = try reader.read(Parameter.status.inEvent)
                packetLength = try reader.read(Parameter.leAclDataPacketLength.inEvent)
                packetCount = try reader.read(Parameter.leTotalNumAclDataPackets.inEvent)
            }

            public func write(to writer: inout ByteWriter) {
                writer.write(status)
                writer.write(packetLength)
                writer.write(packetCount)
            }
        }
    }
}

extension HCI {
    /// Adds a bonded device, whose private addresses the controller resolves with these keys (Vol 4, Part E, 7.8.38).
    public struct LEAddDeviceToResolvingList: Command, Hashable {
        public static let opcode = Opcode.leAddDeviceToResolvingList

        public var peerType: AddressType
        /// The identity address.
        public var peer: Address
        /// 16 bytes, least significant first; zero for a device without privacy.
        public var peerIRK: [UInt8]
        /// 16 bytes, least significant first.
        public var localIRK: [UInt8]

        public init(peerType: AddressType, peer: Address, peerIRK: [UInt8], localIRK: [UInt8]) {
            self.peerType = peerType
            self.peer = peer
            self.peerIRK = peerIRK
            self.localIRK = localIRK
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            peerType = try reader.read(Parameter.lePeerIdentityAddressType.inCommand)
            peer = try reader.readAddress(Parameter.bdAddr.inCommand)
            peerIRK = try reader.readBytes(Parameter.lePeerIRK.inCommand, count: 16)
            localIRK = try reader.readBytes(Parameter.leLocalIRK.inCommand, count: 16)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(peerType)
            writer.write(peer)
            writer.write(peerIRK)
            writer.write(localIRK)
        }
    }
}
