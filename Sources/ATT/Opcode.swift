public import Bytes

extension ATT {
    /// Attribute PDU opcode (Vol 3, Part F, 3.3.1 and 3.4.8).
    public struct Opcode: WireInteger {
        public var rawValue: UInt8

        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        init(_ rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// Whether the PDU is a command: no response follows, unknown ones are ignored.
        public var isCommand: Bool { rawValue & 0x40 != 0 }
    }

    /// What a PDU is for (Vol 3, Part F, 3.3).
    public enum PDUKind: Sendable, Hashable {
        case request, response, command, notification, indication, confirmation
    }

    /// How a PDU begins and what it is for: enough to follow a conversation without reading whole PDUs.
    public struct PDUShape: Sendable {
        public let kind: PDUKind
        /// The response that ends the transaction; nil where there is none. Error Response may always end it too.
        public let response: Opcode?
        /// Whether an attribute handle follows the opcode.
        public let startsWithHandle: Bool
        private let storedValueOffset: UInt8

        /// Offset of the attribute's value from the opcode; nil where the PDU carries no single value.
        public var valueOffset: Int? { storedValueOffset == 0 ? nil : Int(storedValueOffset) }

        init(kind: PDUKind, response: Opcode?, startsWithHandle: Bool, valueOffset: UInt8?) {
            self.kind = kind
            self.response = response
            self.startsWithHandle = startsWithHandle
            storedValueOffset = valueOffset ?? 0
        }
    }

    /// What every part of the program needs to know about an opcode.
    public struct OpcodeRow: Sendable {
        public let opcode: Opcode
        public let name: String
        public let shape: PDUShape
        public let pdu: any PDU.Type
    }
}

extension ATT.Opcode {
    public static let errorResponse = Self(0x01)
    public static let exchangeMTURequest = Self(0x02)
    public static let exchangeMTUResponse = Self(0x03)
    public static let findInformationRequest = Self(0x04)
    public static let findInformationResponse = Self(0x05)
    public static let findByTypeValueRequest = Self(0x06)
    public static let findByTypeValueResponse = Self(0x07)
    public static let readByTypeRequest = Self(0x08)
    public static let readByTypeResponse = Self(0x09)
    public static let readRequest = Self(0x0A)
    public static let readResponse = Self(0x0B)
    public static let readBlobRequest = Self(0x0C)
    public static let readBlobResponse = Self(0x0D)
    public static let readMultipleRequest = Self(0x0E)
    public static let readMultipleResponse = Self(0x0F)
    public static let readByGroupTypeRequest = Self(0x10)
    public static let readByGroupTypeResponse = Self(0x11)
    public static let writeRequest = Self(0x12)
    public static let writeResponse = Self(0x13)
    public static let prepareWriteRequest = Self(0x16)
    public static let prepareWriteResponse = Self(0x17)
    public static let executeWriteRequest = Self(0x18)
    public static let executeWriteResponse = Self(0x19)
    public static let handleValueNotification = Self(0x1B)
    public static let handleValueIndication = Self(0x1D)
    public static let handleValueConfirmation = Self(0x1E)
    public static let readMultipleVariableRequest = Self(0x20)
    public static let readMultipleVariableResponse = Self(0x21)
    public static let multipleHandleValueNotification = Self(0x23)
    public static let writeCommand = Self(0x52)
    public static let signedWriteCommand = Self(0xD2)
}

extension ATT.Opcode {
    /// Whether a starting and an ending handle follow the opcode.
    public var hasHandleRange: Bool {
        switch self {
        case .findInformationRequest, .findByTypeValueRequest, .readByTypeRequest, .readByGroupTypeRequest: true
        default: false
        }
    }

    /// Every opcode that the specification defines (Vol 3, Part F, 3.4.8).
    public static let table = Table([
        row(.errorResponse, "Error Response", .response, ATT.ErrorResponse.self),
        row(.exchangeMTURequest, "Exchange MTU Request", .request, ATT.ExchangeMTURequest.self, .exchangeMTUResponse),
        row(.exchangeMTUResponse, "Exchange MTU Response", .response, ATT.ExchangeMTUResponse.self),
        row(
            .findInformationRequest, "Find Information Request", .request, ATT.FindInformationRequest.self,
            .findInformationResponse),
        row(.findInformationResponse, "Find Information Response", .response, ATT.FindInformationResponse.self),
        row(
            .findByTypeValueRequest, "Find By Type Value Request", .request, ATT.FindByTypeValueRequest.self,
            .findByTypeValueResponse),
        row(.findByTypeValueResponse, "Find By Type Value Response", .response, ATT.FindByTypeValueResponse.self),
        row(.readByTypeRequest, "Read By Type Request", .request, ATT.ReadByTypeRequest.self, .readByTypeResponse),
        row(.readByTypeResponse, "Read By Type Response", .response, ATT.ReadByTypeResponse.self),
        row(.readRequest, "Read Request", .request, ATT.ReadRequest.self, .readResponse, handle: true),
        row(.readResponse, "Read Response", .response, ATT.ReadResponse.self, value: 1),
        row(.readBlobRequest, "Read Blob Request", .request, ATT.ReadBlobRequest.self, .readBlobResponse, handle: true),
        row(.readBlobResponse, "Read Blob Response", .response, ATT.ReadBlobResponse.self, value: 1),
        row(
            .readMultipleRequest, "Read Multiple Request", .request, ATT.ReadMultipleRequest.self,
            .readMultipleResponse),
        row(.readMultipleResponse, "Read Multiple Response", .response, ATT.ReadMultipleResponse.self),
        row(
            .readByGroupTypeRequest, "Read By Group Type Request", .request, ATT.ReadByGroupTypeRequest.self,
            .readByGroupTypeResponse),
        row(.readByGroupTypeResponse, "Read By Group Type Response", .response, ATT.ReadByGroupTypeResponse.self),
        row(.writeRequest, "Write Request", .request, ATT.WriteRequest.self, .writeResponse, handle: true, value: 3),
        row(.writeResponse, "Write Response", .response, ATT.WriteResponse.self),
        row(
            .prepareWriteRequest, "Prepare Write Request", .request, ATT.PrepareWriteRequest.self,
            .prepareWriteResponse, handle: true, value: 5),
        row(
            .prepareWriteResponse, "Prepare Write Response", .response, ATT.PrepareWriteResponse.self, handle: true,
            value: 5),
        row(
            .executeWriteRequest, "Execute Write Request", .request, ATT.ExecuteWriteRequest.self,
            .executeWriteResponse),
        row(.executeWriteResponse, "Execute Write Response", .response, ATT.ExecuteWriteResponse.self),
        row(
            .handleValueNotification, "Handle Value Notification", .notification, ATT.HandleValueNotification.self,
            handle: true, value: 3),
        row(
            .handleValueIndication, "Handle Value Indication", .indication, ATT.HandleValueIndication.self,
            .handleValueConfirmation, handle: true, value: 3),
        row(
            .handleValueConfirmation, "Handle Value Confirmation", .confirmation, ATT.HandleValueConfirmation.self),
        row(
            .readMultipleVariableRequest, "Read Multiple Variable Request", .request,
            ATT.ReadMultipleVariableRequest.self, .readMultipleVariableResponse),
        row(
            .readMultipleVariableResponse, "Read Multiple Variable Response", .response,
            ATT.ReadMultipleVariableResponse.self),
        row(
            .multipleHandleValueNotification, "Multiple Handle Value Notification", .notification,
            ATT.MultipleHandleValueNotification.self),
        row(.writeCommand, "Write Command", .command, ATT.WriteCommand.self, handle: true, value: 3),
        row(.signedWriteCommand, "Signed Write Command", .command, ATT.SignedWriteCommand.self, handle: true, value: 3),
    ])

    private static func row(
        _ opcode: Self, _ name: String, _ kind: ATT.PDUKind, _ pdu: any ATT.PDU.Type, _ response: Self? = nil,
        handle: Bool = false, value: UInt8? = nil
    ) -> ATT.OpcodeRow {
        ATT.OpcodeRow(
            opcode: opcode, name: name,
            shape: ATT.PDUShape(kind: kind, response: response, startsWithHandle: handle, valueOffset: value),
            pdu: pdu)
    }

    /// The rows by opcode.
    public struct Table: Sendable {
        public let rows: [ATT.OpcodeRow]
        private let rowsByCode: ConstantTable<ATT.OpcodeRow?>
        private let shapes: ConstantTable<ATT.PDUShape?>

        fileprivate init(_ rows: [ATT.OpcodeRow]) {
            self.rows = rows
            let rowsByCode = (0...255).map { code in rows.first { $0.opcode.rawValue == code } }
            self.rowsByCode = ConstantTable(rowsByCode)
            shapes = ConstantTable(rowsByCode.map { $0?.shape })
        }

        public subscript(opcode: ATT.Opcode) -> ATT.OpcodeRow? {
            rowsByCode[Int(opcode.rawValue)]
        }

        /// The shape alone, which costs a table look-up.
        public func shape(of opcode: ATT.Opcode) -> ATT.PDUShape? { shapes[Int(opcode.rawValue)] }
    }

    /// The specification's name, e.g. "Read Request".
    public var name: String? { Self.table[self]?.name }
}
