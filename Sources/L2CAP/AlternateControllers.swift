package import Bytes

// Commands for channels on alternate controllers (AMP), which Core 5.3 removed: Core 5.2, Vol 3, Part A, 4.14 to 4.19.
extension L2CAP {
    /// How a request to move a channel is answered (Core 5.2, Vol 3, Part A, 4.17).
    package struct MoveResult: WireInteger {
        package var rawValue: UInt16

        package init(rawValue: UInt16) {
            self.rawValue = rawValue
        }

        package var name: String? { Self.names[rawValue] }

        private static let names: [UInt16: String] = [
            0x0000: "Success", 0x0001: "Pending", 0x0002: "Refused - Controller ID not supported",
            0x0003: "Refused - New Controller ID is same as old", 0x0004: "Refused - Configuration not supported",
            0x0005: "Refused - Move Channel collision", 0x0006: "Refused - Channel not allowed to be moved",
        ]
    }

    /// Whether a channel has moved (Core 5.2, Vol 3, Part A, 4.18).
    package struct MoveConfirmationResult: WireInteger {
        package var rawValue: UInt16

        package init(rawValue: UInt16) {
            self.rawValue = rawValue
        }

        package var name: String? {
            switch rawValue {
            case 0: "Success - both sides succeed"
            case 1: "Failure - one or both sides refuse"
            default: nil
            }
        }
    }

    /// Asks for a channel on a certain controller (Core 5.2, Vol 3, Part A, 4.14).
    package struct CreateChannelRequest: Command, Hashable {
        package static let code = CommandCode.createChannelRequest

        package var psm: PSM
        /// The requester's endpoint.
        package var source: ChannelID
        /// The responder's controller; 0 is BR/EDR.
        package var controller: UInt8

        package init(psm: PSM, source: ChannelID, controller: UInt8) {
            self.psm = psm
            self.source = source
            self.controller = controller
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            psm = try reader.read(Fields.psm)
            source = try reader.read(Fields.sourceCID)
            controller = try reader.read(Fields.controller)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(psm)
            writer.write(source)
            writer.write(controller)
        }
    }

    /// Opens the channel or refuses (Core 5.2, Vol 3, Part A, 4.15).
    package struct CreateChannelResponse: Command, Hashable {
        package static let code = CommandCode.createChannelResponse

        /// The same parameters as a connection response.
        package var connection: ConnectionResponse

        package init(connection: ConnectionResponse) {
            self.connection = connection
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            connection = try ConnectionResponse(reading: &reader)
        }

        package func write(to writer: inout ByteWriter) {
            connection.write(to: &writer)
        }
    }

    /// Asks to move a channel to another controller (Core 5.2, Vol 3, Part A, 4.16).
    package struct MoveChannelRequest: Command, Hashable {
        package static let code = CommandCode.moveChannelRequest

        /// The initiator's endpoint.
        package var initiator: ChannelID
        package var controller: UInt8

        package init(initiator: ChannelID, controller: UInt8) {
            self.initiator = initiator
            self.controller = controller
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            initiator = try reader.read(Fields.initiatorCID)
            controller = try reader.read(Fields.destinationController)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(initiator)
            writer.write(controller)
        }
    }

    /// Allows the move or refuses (Core 5.2, Vol 3, Part A, 4.17).
    package struct MoveChannelResponse: Command, Hashable {
        package static let code = CommandCode.moveChannelResponse

        /// The initiator's endpoint.
        package var initiator: ChannelID
        package var result: MoveResult

        package init(initiator: ChannelID, result: MoveResult) {
            self.initiator = initiator
            self.result = result
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            initiator = try reader.read(Fields.initiatorCID)
            result = try reader.read(Fields.moveResult)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(initiator)
            writer.write(result)
        }
    }

    /// Ends the move (Core 5.2, Vol 3, Part A, 4.18).
    package struct MoveChannelConfirmation: Command, Hashable {
        package static let code = CommandCode.moveChannelConfirmation

        /// The initiator's endpoint.
        package var initiator: ChannelID
        package var result: MoveConfirmationResult

        package init(initiator: ChannelID, result: MoveConfirmationResult) {
            self.initiator = initiator
            self.result = result
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            initiator = try reader.read(Fields.initiatorCID)
            result = try reader.read(Fields.moveConfirmationResult)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(initiator)
            writer.write(result)
        }
    }

    /// The confirmation was received (Core 5.2, Vol 3, Part A, 4.19).
    package struct MoveChannelConfirmationResponse: Command, Hashable {
        package static let code = CommandCode.moveChannelConfirmationResponse

        /// The initiator's endpoint.
        package var initiator: ChannelID

        package init(initiator: ChannelID) {
            self.initiator = initiator
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            initiator = try reader.read(Fields.initiatorCID)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(initiator)
        }
    }
}
