package import Bytes

extension L2CAP {
    /// How a request for a BR/EDR channel ended (Vol 3, Part A, 4.3).
    package struct ConnectionResult: WireInteger {
        package var rawValue: UInt16

        package init(rawValue: UInt16) {
            self.rawValue = rawValue
        }

        package static let successful = Self(rawValue: 0x0000)
        package static let pending = Self(rawValue: 0x0001)

        package var name: String? { Self.names[rawValue] }

        private static let names: [UInt16: String] = [
            0x0000: "Successful", 0x0001: "Pending", 0x0002: "Refused - PSM not supported",
            0x0003: "Refused - security block", 0x0004: "Refused - no resources available",
            0x0005: "Refused - Controller ID not supported", 0x0006: "Refused - Invalid Source CID",
            0x0007: "Refused - Source CID already allocated",
        ]
    }

    /// What a pending connection waits for (Vol 3, Part A, 4.3).
    package struct ConnectionStatus: WireInteger {
        package var rawValue: UInt16

        package init(rawValue: UInt16) {
            self.rawValue = rawValue
        }

        package var name: String? { Self.names[rawValue] }

        private static let names: [UInt16: String] = [
            0x0000: "No further information available", 0x0001: "Authentication pending",
            0x0002: "Authorization pending",
        ]
    }

    /// Asks for a channel between two devices, on BR/EDR (Vol 3, Part A, 4.2).
    package struct ConnectionRequest: Command, Hashable {
        package static let code = CommandCode.connectionRequest

        package var psm: PSM
        /// The requester's endpoint.
        package var source: ChannelID

        package init(psm: PSM, source: ChannelID) {
            self.psm = psm
            self.source = source
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            psm = try reader.read(Fields.psm)
            source = try reader.read(Fields.sourceCID)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(psm)
            writer.write(source)
        }
    }

    /// Opens the channel or refuses (Vol 3, Part A, 4.3).
    package struct ConnectionResponse: Command, Hashable {
        package static let code = CommandCode.connectionResponse

        /// The responder's endpoint.
        package var destination: ChannelID
        /// The requester's endpoint.
        package var source: ChannelID
        package var result: ConnectionResult
        /// Meaningful only while the result is pending.
        package var status: ConnectionStatus

        package init(
            destination: ChannelID, source: ChannelID, result: ConnectionResult,
            status: ConnectionStatus = ConnectionStatus(rawValue: 0)
        ) {
            self.destination = destination
            self.source = source
            self.result = result
            self.status = status
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            destination = try reader.read(Fields.destinationCID)
            source = try reader.read(Fields.sourceCID)
            result = try reader.read(Fields.result)
            status = try reader.read(Fields.status)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(destination)
            writer.write(source)
            writer.write(result)
            writer.write(status)
        }
    }

    /// Asks to close a channel (Vol 3, Part A, 4.6).
    package struct DisconnectionRequest: Command, Hashable {
        package static let code = CommandCode.disconnectionRequest

        /// The endpoint of the device that receives this.
        package var destination: ChannelID
        /// The endpoint of the device that sends this.
        package var source: ChannelID

        package init(destination: ChannelID, source: ChannelID) {
            self.destination = destination
            self.source = source
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            destination = try reader.read(Fields.destinationCID)
            source = try reader.read(Fields.sourceCID)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(destination)
            writer.write(source)
        }
    }

    /// The channel is closed (Vol 3, Part A, 4.7).
    package struct DisconnectionResponse: Command, Hashable {
        package static let code = CommandCode.disconnectionResponse

        /// As in the request: the endpoint of the device that sends this.
        package var destination: ChannelID
        /// As in the request: the endpoint of the device that receives this.
        package var source: ChannelID

        package init(destination: ChannelID, source: ChannelID) {
            self.destination = destination
            self.source = source
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            destination = try reader.read(Fields.destinationCID)
            source = try reader.read(Fields.sourceCID)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(destination)
            writer.write(source)
        }
    }
}
