public import Bytes

extension L2CAP {
    /// The code of a signaling command (Vol 3, Part A, 4, table 4.2).
    public struct CommandCode: WireInteger {
        public var rawValue: UInt8

        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        init(_ rawValue: UInt8) {
            self.rawValue = rawValue
        }
    }

    /// The properties of a command code.
    public struct CommandRow: Sendable {
        public let code: CommandCode
        public let name: String
        /// The command's type.
        public let command: any Command.Type
        /// The code of the response; nil for none. A Command Reject may answer any command.
        public let response: CommandCode?
    }
}

extension L2CAP.CommandCode {
    public static let commandReject = Self(0x01)
    public static let connectionRequest = Self(0x02)
    public static let connectionResponse = Self(0x03)
    public static let configurationRequest = Self(0x04)
    public static let configurationResponse = Self(0x05)
    public static let disconnectionRequest = Self(0x06)
    public static let disconnectionResponse = Self(0x07)
    public static let echoRequest = Self(0x08)
    public static let echoResponse = Self(0x09)
    public static let informationRequest = Self(0x0A)
    public static let informationResponse = Self(0x0B)
    public static let createChannelRequest = Self(0x0C)
    public static let createChannelResponse = Self(0x0D)
    public static let moveChannelRequest = Self(0x0E)
    public static let moveChannelResponse = Self(0x0F)
    public static let moveChannelConfirmation = Self(0x10)
    public static let moveChannelConfirmationResponse = Self(0x11)
    public static let connectionParameterUpdateRequest = Self(0x12)
    public static let connectionParameterUpdateResponse = Self(0x13)
    public static let leCreditBasedConnectionRequest = Self(0x14)
    public static let leCreditBasedConnectionResponse = Self(0x15)
    public static let flowControlCredit = Self(0x16)
    public static let creditBasedConnectionRequest = Self(0x17)
    public static let creditBasedConnectionResponse = Self(0x18)
    public static let creditBasedReconfigureRequest = Self(0x19)
    public static let creditBasedReconfigureResponse = Self(0x1A)
}

extension L2CAP.CommandCode {
    /// Every command that the specification defines, by code. Core 5.3 removed the commands for alternate controllers.
    public static let table = Table([
        row(.commandReject, "Command Reject", L2CAP.CommandReject.self),
        row(.connectionRequest, "Connection Request", L2CAP.ConnectionRequest.self, .connectionResponse),
        row(.connectionResponse, "Connection Response", L2CAP.ConnectionResponse.self),
        row(.configurationRequest, "Configure Request", L2CAP.ConfigurationRequest.self, .configurationResponse),
        row(.configurationResponse, "Configure Response", L2CAP.ConfigurationResponse.self),
        row(.disconnectionRequest, "Disconnection Request", L2CAP.DisconnectionRequest.self, .disconnectionResponse),
        row(.disconnectionResponse, "Disconnection Response", L2CAP.DisconnectionResponse.self),
        row(.echoRequest, "Echo Request", L2CAP.EchoRequest.self, .echoResponse),
        row(.echoResponse, "Echo Response", L2CAP.EchoResponse.self),
        row(.informationRequest, "Information Request", L2CAP.InformationRequest.self, .informationResponse),
        row(.informationResponse, "Information Response", L2CAP.InformationResponse.self),
        row(.createChannelRequest, "Create Channel Request", L2CAP.CreateChannelRequest.self, .createChannelResponse),
        row(.createChannelResponse, "Create Channel Response", L2CAP.CreateChannelResponse.self),
        row(.moveChannelRequest, "Move Channel Request", L2CAP.MoveChannelRequest.self, .moveChannelResponse),
        row(.moveChannelResponse, "Move Channel Response", L2CAP.MoveChannelResponse.self),
        row(
            .moveChannelConfirmation, "Move Channel Confirmation", L2CAP.MoveChannelConfirmation.self,
            .moveChannelConfirmationResponse),
        row(
            .moveChannelConfirmationResponse, "Move Channel Confirmation Response",
            L2CAP.MoveChannelConfirmationResponse.self),
        row(
            .connectionParameterUpdateRequest, "Connection Parameter Update Request",
            L2CAP.ConnectionParameterUpdateRequest.self, .connectionParameterUpdateResponse),
        row(
            .connectionParameterUpdateResponse, "Connection Parameter Update Response",
            L2CAP.ConnectionParameterUpdateResponse.self),
        row(
            .leCreditBasedConnectionRequest, "LE Credit Based Connection Request",
            L2CAP.LECreditBasedConnectionRequest.self, .leCreditBasedConnectionResponse),
        row(
            .leCreditBasedConnectionResponse, "LE Credit Based Connection Response",
            L2CAP.LECreditBasedConnectionResponse.self),
        row(.flowControlCredit, "LE Flow Control Credit", L2CAP.FlowControlCredit.self),
        row(
            .creditBasedConnectionRequest, "Credit Based Connection Request", L2CAP.CreditBasedConnectionRequest.self,
            .creditBasedConnectionResponse),
        row(
            .creditBasedConnectionResponse, "Credit Based Connection Response",
            L2CAP.CreditBasedConnectionResponse.self),
        row(
            .creditBasedReconfigureRequest, "Credit Based Reconfigure Request",
            L2CAP.CreditBasedReconfigureRequest.self, .creditBasedReconfigureResponse),
        row(
            .creditBasedReconfigureResponse, "Credit Based Reconfigure Response",
            L2CAP.CreditBasedReconfigureResponse.self),
    ])

    private static func row(
        _ code: Self, _ name: String, _ command: any L2CAP.Command.Type, _ response: Self? = nil
    ) -> L2CAP.CommandRow {
        L2CAP.CommandRow(code: code, name: name, command: command, response: response)
    }

    /// The rows, indexed by code.
    public struct Table: Sendable {
        public let rows: [L2CAP.CommandRow]
        private let byCode: [UInt8: L2CAP.CommandRow]

        fileprivate init(_ rows: [L2CAP.CommandRow]) {
            self.rows = rows
            byCode = Dictionary(uniqueKeysWithValues: rows.map { ($0.code.rawValue, $0) })
        }

        public subscript(code: L2CAP.CommandCode) -> L2CAP.CommandRow? { byCode[code.rawValue] }
    }

    /// The command's name, e.g. "Connection Request".
    public var name: String? { Self.table[self]?.name }
}
