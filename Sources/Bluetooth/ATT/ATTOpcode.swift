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

        /// Whether the PDU is a command: it has no response, and a server ignores an unknown one.
        public var isCommand: Bool { rawValue & 0x40 != 0 }
    }

    /// Type of an Attribute PDU (Vol 3, Part F, 3.3).
    public enum PDUKind: Sendable, Hashable {
        case request, response, command, notification, indication, confirmation
    }

    /// An operation on an attribute value that characteristic properties permit.
    public enum ValueOperation: String, Sendable, CaseIterable, Hashable {
        case read, write, notify, indicate
    }

    /// The handle parameters after the opcode.
    public enum HandleParameter: Sendable, Hashable {
        case none
        /// Attribute Handle.
        case one
        /// Starting Handle and Ending Handle.
        case range
    }

    /// The properties of an opcode that connection tracking reads for every frame.
    public struct PDUShape: Sendable {
        public let kind: PDUKind
        /// The response that completes the transaction; nil for none. An Error Response completes any request.
        public let response: Opcode?
        public let handle: HandleParameter
        /// The operation on the attribute values that the PDU carries or commits; nil for none.
        public let operation: ValueOperation?
        /// Whether the PDU can carry values of several attributes.
        public let listsValues: Bool
        private let storedValueOffset: UInt8

        /// Offset of the attribute value from the opcode; nil for a PDU without a single value.
        public var valueOffset: Int? { storedValueOffset == 0 ? nil : Int(storedValueOffset) }

        init(
            kind: PDUKind, response: Opcode?, handle: HandleParameter, valueOffset: UInt8?, operation: ValueOperation?,
            listsValues: Bool
        ) {
            self.kind = kind
            self.response = response
            self.handle = handle
            self.operation = operation
            self.listsValues = listsValues
            storedValueOffset = valueOffset ?? 0
        }
    }

    /// Length of a PDU including its opcode, in bytes.
    public struct PDULength: Sendable, Hashable {
        public let shortest: Int
        public let longest: Int
        /// Size of the list entries that follow the shortest PDU.
        public let step: Int

        static func exactly(_ count: Int) -> Self { Self(shortest: count, longest: count, step: 1) }
        static func atLeast(_ count: Int, step: Int = 1) -> Self { Self(shortest: count, longest: .max, step: step) }

        /// A UUID of 2 or 16 bytes after the handle range.
        static let typeInRange = Self(shortest: 7, longest: 21, step: 14)

        public func contains(_ count: Int) -> Bool {
            count >= shortest && count <= longest && (count - shortest) % step == 0
        }
    }

    /// Encoding of the entry size in the second byte of a response.
    public enum EntrySize: Sendable, Hashable {
        /// The Length parameter, at least this many bytes.
        case stated(atLeast: Int)
        /// The Format parameter: a handle with a 16-bit or a 128-bit UUID (Vol 3, Part F, 3.4.3.2).
        case format

        /// Size of an entry in bytes; 0 for an invalid parameter.
        public func bytes(_ parameter: UInt8) -> Int {
            switch (self, parameter) {
            case (.stated(let least), _): Int(parameter) >= least ? Int(parameter) : 0
            case (.format, 1): 4
            case (.format, 2): 18
            case (.format, _): 0
            }
        }
    }

    /// The properties of an opcode (Vol 3, Part F, 3.4).
    public struct OpcodeRow: Sendable {
        public let opcode: Opcode
        /// Name in the specification: `Read Request`.
        public let name: String
        public let shape: PDUShape
        /// Nil if the length depends on other parameters of the PDU.
        public let length: PDULength?
        /// Nil for PDUs without a list of equally sized entries.
        public let entries: EntrySize?
        /// Short description of the operation on the attribute: `read request`; nil for discovery and the MTU exchange.
        public let action: String?
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
    /// Every opcode that the specification defines (Vol 3, Part F, 3.4.8).
    public static let table = Table([
        row(.errorResponse, "Error Response", .response, ATT.ErrorResponse.self, .exactly(5), action: "error"),
        row(
            .exchangeMTURequest, "Exchange MTU Request", .request, ATT.ExchangeMTURequest.self, .exactly(3),
            answer: .exchangeMTUResponse),
        row(.exchangeMTUResponse, "Exchange MTU Response", .response, ATT.ExchangeMTUResponse.self, .exactly(3)),
        row(
            .findInformationRequest, "Find Information Request", .request, ATT.FindInformationRequest.self, .exactly(5),
            answer: .findInformationResponse, handle: .range),
        row(
            .findInformationResponse, "Find Information Response", .response, ATT.FindInformationResponse.self, nil,
            entries: .format),
        row(
            .findByTypeValueRequest, "Find By Type Value Request", .request, ATT.FindByTypeValueRequest.self,
            .atLeast(7), answer: .findByTypeValueResponse, handle: .range),
        row(
            .findByTypeValueResponse, "Find By Type Value Response", .response, ATT.FindByTypeValueResponse.self,
            .atLeast(5, step: 4)),
        row(
            .readByTypeRequest, "Read By Type Request", .request, ATT.ReadByTypeRequest.self, .typeInRange,
            answer: .readByTypeResponse, handle: .range),
        row(
            .readByTypeResponse, "Read By Type Response", .response, ATT.ReadByTypeResponse.self, nil,
            entries: .stated(atLeast: 2), operation: .read, listsValues: true, action: "read"),
        row(
            .readRequest, "Read Request", .request, ATT.ReadRequest.self, .exactly(3), answer: .readResponse,
            handle: .one, action: "read request"),
        row(
            .readResponse, "Read Response", .response, ATT.ReadResponse.self, .atLeast(1), value: 1, operation: .read,
            action: "read"),
        row(
            .readBlobRequest, "Read Blob Request", .request, ATT.ReadBlobRequest.self, .exactly(5),
            answer: .readBlobResponse, handle: .one, action: "read request"),
        row(
            .readBlobResponse, "Read Blob Response", .response, ATT.ReadBlobResponse.self, .atLeast(1), value: 1,
            operation: .read, action: "read"),
        row(
            .readMultipleRequest, "Read Multiple Request", .request, ATT.ReadMultipleRequest.self, .atLeast(5, step: 2),
            answer: .readMultipleResponse),
        row(
            .readMultipleResponse, "Read Multiple Response", .response, ATT.ReadMultipleResponse.self, .atLeast(1),
            operation: .read, listsValues: true, action: "read"),
        row(
            .readByGroupTypeRequest, "Read By Group Type Request", .request, ATT.ReadByGroupTypeRequest.self,
            .typeInRange, answer: .readByGroupTypeResponse, handle: .range),
        row(
            .readByGroupTypeResponse, "Read By Group Type Response", .response, ATT.ReadByGroupTypeResponse.self, nil,
            entries: .stated(atLeast: 4)),
        row(
            .writeRequest, "Write Request", .request, ATT.WriteRequest.self, .atLeast(3), answer: .writeResponse,
            handle: .one, value: 3, operation: .write, action: "write"),
        row(.writeResponse, "Write Response", .response, ATT.WriteResponse.self, .exactly(1), action: "write response"),
        row(
            .prepareWriteRequest, "Prepare Write Request", .request, ATT.PrepareWriteRequest.self, .atLeast(5),
            answer: .prepareWriteResponse, handle: .one, value: 5, action: "prepare write"),
        row(
            .prepareWriteResponse, "Prepare Write Response", .response, ATT.PrepareWriteResponse.self, .atLeast(5),
            handle: .one, value: 5, action: "prepare write response"),
        row(
            .executeWriteRequest, "Execute Write Request", .request, ATT.ExecuteWriteRequest.self, .exactly(2),
            answer: .executeWriteResponse, operation: .write, action: "execute write"),
        row(
            .executeWriteResponse, "Execute Write Response", .response, ATT.ExecuteWriteResponse.self, .exactly(1),
            operation: .write, action: "execute write response"),
        row(
            .handleValueNotification, "Handle Value Notification", .notification, ATT.HandleValueNotification.self,
            .atLeast(3), handle: .one, value: 3, operation: .notify, action: "notification"),
        row(
            .handleValueIndication, "Handle Value Indication", .indication, ATT.HandleValueIndication.self, .atLeast(3),
            answer: .handleValueConfirmation, handle: .one, value: 3, operation: .indicate, action: "indication"),
        row(
            .handleValueConfirmation, "Handle Value Confirmation", .confirmation, ATT.HandleValueConfirmation.self,
            .exactly(1), action: "confirmation"),
        row(
            .readMultipleVariableRequest, "Read Multiple Variable Request", .request,
            ATT.ReadMultipleVariableRequest.self, .atLeast(5, step: 2), answer: .readMultipleVariableResponse),
        row(
            .readMultipleVariableResponse, "Read Multiple Variable Response", .response,
            ATT.ReadMultipleVariableResponse.self, nil, operation: .read, listsValues: true, action: "read"),
        row(
            .multipleHandleValueNotification, "Multiple Handle Value Notification", .notification,
            ATT.MultipleHandleValueNotification.self, .atLeast(9), operation: .notify, listsValues: true,
            action: "notification"),
        row(
            .writeCommand, "Write Command", .command, ATT.WriteCommand.self, .atLeast(3), handle: .one, value: 3,
            operation: .write, action: "write command"),
        row(
            .signedWriteCommand, "Signed Write Command", .command, ATT.SignedWriteCommand.self, .atLeast(15),
            handle: .one, value: 3, operation: .write, action: "signed write"),
    ])

    private static func row(
        _ opcode: Self, _ name: String, _ kind: ATT.PDUKind, _ pdu: any ATT.PDU.Type, _ length: ATT.PDULength?,
        entries: ATT.EntrySize? = nil, answer: Self? = nil, handle: ATT.HandleParameter = .none, value: UInt8? = nil,
        operation: ATT.ValueOperation? = nil, listsValues: Bool = false, action: String? = nil
    ) -> ATT.OpcodeRow {
        ATT.OpcodeRow(
            opcode: opcode, name: name,
            shape: ATT.PDUShape(
                kind: kind, response: answer, handle: handle, valueOffset: value, operation: operation,
                listsValues: listsValues),
            length: length, entries: entries, action: action, pdu: pdu)
    }

    /// The rows, indexed by opcode.
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

        /// Only the shape of an opcode: a single table look-up.
        public func shape(of opcode: ATT.Opcode) -> ATT.PDUShape? { shapes[Int(opcode.rawValue)] }
    }

    /// The specification's name, e.g. "Read Request".
    public var name: String? { Self.table[self]?.name }
    /// The operation on the attribute values that the PDU carries or commits; nil for none.
    public var operation: ATT.ValueOperation? { Self.table.shape(of: self)?.operation }
    /// Whether the PDU can carry values of several attributes.
    public var listsValues: Bool { Self.table.shape(of: self)?.listsValues ?? false }
    /// Whether a starting and an ending handle follow the opcode.
    public var hasHandleRange: Bool { Self.table.shape(of: self)?.handle == .range }
    /// Whether the handle of one attribute follows the opcode.
    public var hasHandle: Bool { Self.table.shape(of: self)?.handle == .one }
}
