package import BluetoothTypes
package import Bytes

extension HCI {
    /// Puts the controller into its first state (Vol 4, Part E, 7.3.2).
    package struct Reset: Command, Hashable {
        package static let opcode = Opcode.reset

        package init() {}

        package init(reading reader: inout ByteReader) throws(DecodeError) {}

        package func write(to writer: inout ByteWriter) {}
    }

    /// Which events the controller sends (Vol 4, Part E, 7.3.1).
    package struct SetEventMask: Command, Hashable {
        package static let opcode = Opcode.setEventMask

        /// A bit for each event; `Parameter.eventMask` names them.
        package var mask: UInt64

        package init(mask: UInt64) {
            self.mask = mask
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            mask = try reader.read(Parameter.eventMask.inCommand)
            reader.recordBits(mask, Parameter.eventMask.parts(HCI.Side.command))
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(mask)
        }
    }

    /// Which LE events the controller sends (Vol 4, Part E, 7.8.1).
    package struct LESetEventMask: Command, Hashable {
        package static let opcode = Opcode.leSetEventMask

        /// Bit n: the LE event with subevent code n + 1.
        package var mask: UInt64

        package init(mask: UInt64) {
            self.mask = mask
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            mask = try reader.read(Parameter.leEventMask.inCommand)
            reader.recordBits(mask, Parameter.leEventMask.parts(HCI.Side.command))
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(mask)
        }
    }

    /// The random address that the device uses (Vol 4, Part E, 7.8.4).
    package struct LESetRandomAddress: Command, Hashable {
        package static let opcode = Opcode.leSetRandomAddress

        package var address: Address

        package init(address: Address) {
            self.address = address
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            address = try reader.readAddress(Parameter.bdAddr.inCommand)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(address)
        }
    }

    /// Asks for the controller's public address (Vol 4, Part E, 7.4.6).
    package struct ReadBDADDR: Command, Hashable {
        package static let opcode = Opcode.readBDADDR

        package init() {}

        package init(reading reader: inout ByteReader) throws(DecodeError) {}

        package func write(to writer: inout ByteWriter) {}

        /// The return parameters.
        package struct Returned: Parameters, Hashable {
            package var status: ErrorCode
            package var address: Address

            package init(status: ErrorCode = .success, address: Address) {
                self.status = status
                self.address = address
            }

            package init(reading reader: inout ByteReader) throws(DecodeError) {
                status = try reader.read(Parameter.status.inEvent)
                address = try reader.readAddress(Parameter.bdAddr.inEvent)
            }

            package func write(to writer: inout ByteWriter) {
                writer.write(status)
                writer.write(address)
            }
        }
    }

    /// Asks how much data for LE connections the controller takes (Vol 4, Part E, 7.8.2).
    package struct LEReadBufferSize: Command, Hashable {
        package static let opcode = Opcode.leReadBufferSize

        package init() {}

        package init(reading reader: inout ByteReader) throws(DecodeError) {}

        package func write(to writer: inout ByteWriter) {}

        /// The return parameters.
        package struct Returned: Parameters, Hashable {
            package var status: ErrorCode
            /// Longest ACL data packet, in bytes; 0: the buffers of BR/EDR serve LE too.
            package var packetLength: UInt16
            /// ACL data packets that the controller keeps.
            package var packetCount: UInt8

            package init(status: ErrorCode = .success, packetLength: UInt16, packetCount: UInt8) {
                self.status = status
                self.packetLength = packetLength
                self.packetCount = packetCount
            }

            package init(reading reader: inout ByteReader) throws(DecodeError) {
                status = try reader.read(Parameter.status.inEvent)
                packetLength = try reader.read(Parameter.leAclDataPacketLength.inEvent)
                packetCount = try reader.read(Parameter.leTotalNumAclDataPackets.inEvent)
            }

            package func write(to writer: inout ByteWriter) {
                writer.write(status)
                writer.write(packetLength)
                writer.write(packetCount)
            }
        }
    }
}
