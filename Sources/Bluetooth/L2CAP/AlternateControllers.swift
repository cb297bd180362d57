public import Bytes

// Commands for channels on alternate controllers (AMP), which Core 5.3 removed: Core 5.2, Vol 3, Part A, 4.14 to 4.19.
extension L2CAP {
    /// Result in a Move Channel Response (Core 5.2, Vol 3, Part A, 4.17).
    public struct MoveResult: WireInteger {
        public var rawValue: UInt16

        public init(rawValue: UInt16) {
            self.rawValue = rawValue
        }

        public var name: String? { Self.names[rawValue] }

        private static let names: [UInt16: String] = [
            0x0000: "Success", 0x0001: "Pending", 0x0002: "Refused - Controller ID not supported",
            0x0003: "Refused - New Controller ID is same as old", 0x0004: "Refused - Configuration not supported",
            0x0005: "Refused - Move Channel collision", 0x0006: "Refused - Channel not allowed to be moved",
        ]
    }

    /// Result in a Move Channel Confirmation (Core 5.2, Vol 3, Part A, 4.18).
    public struct MoveConfirmationResult: WireInteger {
        public var rawValue: UInt16

        public init(rawValue: UInt16) {
            self.rawValue = rawValue
        }

        public var name: String? {
            switch rawValue {
            case 0: "Success - both sides succeed"
            case 1: "Failure - one or both sides refuse"
            default: nil
            }
        }
    }

    /// Asks for a channel on a particular controller (Core 5.2, Vol 3, Part A, 4.14).
    public struct CreateChannelRequest: Command, Hashable {
        public static let code = CommandCode.createChannelRequest

        public var psm: PSM
        /// The requester's endpoint.
        public var source: ChannelID
        /// The responder's controller; 0 is BR/EDR.
        public var controller: UInt8

        public init(psm: PSM, source: ChannelID, controller: UInt8) {
            self.psm = psm
            self.source = source
            self.controller = controller
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            psm = try reader.read(Fields.psm)
            source = try reader.read(Fields.sourceCID)
            controller = try reader.read(Fields.controller)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(psm)
            writer.write(source)
            writer.write(controller)
        }
    }

    /// Accepts or refuses the channel (Core 5.2, Vol 3, Part A, 4.15).
    public struct CreateChannelResponse: Command, Hashable {
        public static let code = CommandCode.createChannelResponse

        /// The parameters, equal to those of a connection response.
        public var connection: ConnectionResponse

        public init(connection: ConnectionResponse) {
            self.connection = connection
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            connection = try ConnectionResponse(reading: &reader)
        }

        public func write(to writer: inout ByteWriter) {
            connection.write(to: &writer)
        }
    }

    /// Asks to move a channel to another controller (Core 5.2, Vol 3, Part A, 4.16).
    public struct MoveChannelRequest: Command, Hashable {
        public static let code = CommandCode.moveChannelRequest

        /// The initiator's endpoint.
        public var initiator: ChannelID
        public var controller: UInt8

        public init(initiator: ChannelID, controller: UInt8) {
            self.initiator = initiator
            self.controller = controller
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            initiator = try reader.read(Fields.initiatorCID)
            controller = try reader.read(Fields.destinationController)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(initiator)
            writer.write(controller)
        }
    }

    /// Accepts or refuses the move (Core 5.2, Vol 3, Part A, 4.17).
    public struct MoveChannelResponse: Command, Hashable {
        public static let code = CommandCode.moveChannelResponse

        /// The initiator's endpoint.
        public var initiator: ChannelID
        public var result: MoveResult

        public init(initiator: ChannelID, result: MoveResult) {
            self.initiator = initiator
            self.result = result
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            initiator = try reader.read(Fields.initiatorCID)
            result = try reader.read(Fields.moveResult)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(initiator)
            writer.write(result)
        }
    }

    /// Completes the move (Core 5.2, Vol 3, Part A, 4.18).
    public struct MoveChannelConfirmation: Command, Hashable {
        public static let code = CommandCode.moveChannelConfirmation

        /// The initiator's endpoint.
        public var initiator: ChannelID
        public var result: MoveConfirmationResult

        public init(initiator: ChannelID, result: MoveConfirmationResult) {
            self.initiator = initiator
            self.result = result
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            initiator = try reader.read(Fields.initiatorCID)
            result = try reader.read(Fields.moveConfirmationResult)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(initiator)
            writer.write(result)
        }
    }

    /// Acknowledges the confirmation (Core 5.2, Vol 3, Part A, 4.19).
    public struct MoveChannelConfirmationResponse: Command, Hashable {
        public static let code = CommandCode.moveChannelConfirmationResponse

        /// The initiator's endpoint.
        public var initiator: ChannelID

        public init(initiator: ChannelID) {
            self.initiator = initiator
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            initiator = try reader.read(Fields.initiatorCID)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(initiator)
        }
    }
}
