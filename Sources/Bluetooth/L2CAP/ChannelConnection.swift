public import Bytes

extension L2CAP {
    /// Result of a request for a BR/EDR channel (Vol 3, Part A, 4.3).
    public struct ConnectionResult: WireInteger {
        public var rawValue: UInt16

        public init(rawValue: UInt16) {
            self.rawValue = rawValue
        }

        public static let successful = Self(rawValue: 0x0000)
        public static let pending = Self(rawValue: 0x0001)

        public var name: String? { Self.names[rawValue] }

        private static let names: [UInt16: String] = [
            0x0000: "Successful", 0x0001: "Pending", 0x0002: "Refused - PSM not supported",
            0x0003: "Refused - security block", 0x0004: "Refused - no resources available",
            0x0005: "Refused - Controller ID not supported", 0x0006: "Refused - Invalid Source CID",
            0x0007: "Refused - Source CID already allocated",
        ]
    }

    /// Reason why a connection is pending (Vol 3, Part A, 4.3).
    public struct ConnectionStatus: WireInteger {
        public var rawValue: UInt16

        public init(rawValue: UInt16) {
            self.rawValue = rawValue
        }

        public var name: String? { Self.names[rawValue] }

        private static let names: [UInt16: String] = [
            0x0000: "No further information available", 0x0001: "Authentication pending",
            0x0002: "Authorization pending",
        ]
    }

    /// Asks for a BR/EDR channel between two devices (Vol 3, Part A, 4.2).
    public struct ConnectionRequest: Command, Hashable {
        public static let code = CommandCode.connectionRequest

        public var psm: PSM
        /// The requester's endpoint.
        public var source: ChannelID

        public init(psm: PSM, source: ChannelID) {
            self.psm = psm
            self.source = source
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            psm = try reader.read(Fields.psm)
            source = try reader.read(Fields.sourceCID)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(psm)
            writer.write(source)
        }
    }

    /// Accepts or refuses the channel (Vol 3, Part A, 4.3).
    public struct ConnectionResponse: Command, Hashable {
        public static let code = CommandCode.connectionResponse

        /// The responder's endpoint.
        public var destination: ChannelID
        /// The requester's endpoint.
        public var source: ChannelID
        public var result: ConnectionResult
        /// Valid only if the result is pending.
        public var status: ConnectionStatus

        public init(
            destination: ChannelID, source: ChannelID, result: ConnectionResult,
            status: ConnectionStatus = ConnectionStatus(rawValue: 0)
        ) {
            self.destination = destination
            self.source = source
            self.result = result
            self.status = status
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            destination = try reader.read(Fields.destinationCID)
            source = try reader.read(Fields.sourceCID)
            result = try reader.read(Fields.result)
            status = try reader.read(Fields.status)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(destination)
            writer.write(source)
            writer.write(result)
            writer.write(status)
        }
    }

    /// Asks to close a channel (Vol 3, Part A, 4.6).
    public struct DisconnectionRequest: Command, Hashable {
        public static let code = CommandCode.disconnectionRequest

        /// The receiver's endpoint.
        public var destination: ChannelID
        /// The sender's endpoint.
        public var source: ChannelID

        public init(destination: ChannelID, source: ChannelID) {
            self.destination = destination
            self.source = source
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            destination = try reader.read(Fields.destinationCID)
            source = try reader.read(Fields.sourceCID)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(destination)
            writer.write(source)
        }
    }

    /// Confirms that the channel is closed (Vol 3, Part A, 4.7).
    public struct DisconnectionResponse: Command, Hashable {
        public static let code = CommandCode.disconnectionResponse

        /// As in the request: the endpoint of this response's sender.
        public var destination: ChannelID
        /// As in the request: the endpoint of this response's receiver.
        public var source: ChannelID

        public init(destination: ChannelID, source: ChannelID) {
            self.destination = destination
            self.source = source
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            destination = try reader.read(Fields.destinationCID)
            source = try reader.read(Fields.sourceCID)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(destination)
            writer.write(source)
        }
    }
}
