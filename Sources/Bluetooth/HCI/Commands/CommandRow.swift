public import Bytes

extension HCI {
    /// The specification's definition of a command.
    public struct CommandRow: Sendable {
        public let opcode: Opcode
        /// The specification's name without its HCI prefix.
        public let name: String
        public let parameters: [Parameter]
        public let answer: Answer

        /// The controller's immediate response to a command.
        public enum Answer: Sendable {
            /// Command Status; a later event reports the result.
            case status
            /// Command Complete with these return parameters.
            case returns([Parameter])
            /// No event, unless the command is invalid.
            case none

            /// Command Complete with only a status.
            static let complete = Answer.returns([.status])
        }

        /// Return parameters in the Command Complete; nil for commands with another response.
        public var returnParameters: [Parameter]? { if case .returns(let layout) = answer { layout } else { nil } }
    }
}

extension HCI.CommandRow {
    /// All commands of the specification, and commands of earlier versions that occur in old captures.
    public static let table = Table([
        linkControl, linkControlReplies, linkPolicy, basebandBasics, basebandSettings, basebandFeatures,
        informational, status, testing, leBasics, leSecurity, leExtendedAdvertising, leScanning, lePeriodic,
        leDirection, leIsochronous, lePower, leChannelSounding, leAdvertiserFilters, leExtendedFeatures, highSpeed,
    ])

    static func command(
        _ opcode: UInt16, _ name: String, _ parameters: [HCI.Parameter], _ answer: Answer
    ) -> Self {
        Self(opcode: HCI.Opcode(opcode), name: name, parameters: parameters, answer: answer)
    }

    static func command(_ opcode: UInt16, _ name: String, _ answer: Answer) -> Self {
        command(opcode, name, [], answer)
    }

    /// The rows, indexed by opcode.
    public struct Table: Sendable {
        public let rows: [HCI.CommandRow]
        private let index: [HCI.Opcode: Int]

        fileprivate init(_ groups: [[HCI.CommandRow]]) {
            let rows = Array(groups.joined())
            self.rows = rows
            index = Dictionary(rows.indices.map { (rows[$0].opcode, $0) }) { first, _ in first }
        }

        public subscript(opcode: HCI.Opcode) -> HCI.CommandRow? {
            index[opcode].map { rows[$0] }
        }
    }
}

extension HCI {
    /// Reads and records a command packet without its packet indicator: header and parameters. Bytes after the length
    /// in the header stay unread.
    @discardableResult
    public static func readCommand(
        _ reader: inout ByteReader, hooks: Hooks = .none
    ) throws(DecodeError) -> Opcode {
        let opcode = try reader.read(Fields.commandOpcode, as: Opcode.self)
        reader.recordBits(opcode.rawValue, Fields.commandOpcodeBits)
        let length: UInt8 = try reader.read(Fields.commandLength)
        guard let row = CommandRow.table[opcode] else {
            try reader.readParameters(Int(length), Fields.commandLength) { body throws(DecodeError) in
                body.skipRest(Fields.commandParameter)
            }
            return opcode
        }
        try reader.readParameters(Int(length), Fields.commandLength) { body throws(DecodeError) in
            try body.read(row.parameters, .command, hooks, unexpected: Fields.unexpectedCommandParameter)
        }
        return opcode
    }
}

extension ByteReader {
    /// Reads parameters whose length the header states. If the packet ends early, reads the available bytes; the error
    /// states how many are missing.
    @_lifetime(self: copy self)
    mutating func readParameters(
        _ length: Int, _ field: Field, _ body: (inout ByteReader) throws(DecodeError) -> Void
    ) throws(DecodeError) {
        let shortage = remaining < length && !isCut ? truncated(field, needed: length) : nil
        var parameters = try slice(count: isCut ? length : min(length, remaining), lengthSetBy: field)
        try body(&parameters)
        if let shortage { throw shortage }
    }

    /// Reads parameters in the layout of a row; records further bytes as `unexpected`.
    @_lifetime(self: copy self)
    mutating func read(
        _ layout: [HCI.Parameter], _ side: HCI.Side, _ hooks: HCI.Hooks, unexpected: @autoclosure () -> Field
    ) throws(DecodeError) {
        var layoutReader = HCI.LayoutReader(side, hooks: hooks)
        try layoutReader.read(layout, from: &self)
        skipRest(unexpected())
        if let fault = layoutReader.fault { throw fault }
    }
}

extension HCI.CommandRow {
    /// The return parameters of a refused command: the status, the connection handle if the command has one, and
    /// otherwise zeros, so that the length is the same as for a successful command.
    public func refusal(_ status: HCI.ErrorCode, command: [UInt8]) -> [UInt8] {
        guard let layout = returnParameters else { return [status.rawValue] }
        var bytes = layout.flatMap(\.emptyBytes)
        if bytes.isEmpty { bytes = [0] }
        bytes[0] = status.rawValue
        if layout.dropFirst().first?.isConnectionHandle == true, command.count >= 2, bytes.count >= 3 {
            bytes[1] = command[0]
            bytes[2] = command[1]
        }
        return bytes
    }
}

extension HCI.Parameter {
    /// The shortest encoding of the parameter, in zero bytes.
    fileprivate var emptyBytes: [UInt8] {
        switch self {
        case .integer(_, let size), .bits(_, let size, _): zeros(size)
        case .bytes(_, let count), .text(_, let count), .advertisingData(_, let count): zeros(count)
        case .sized(_, let size, _, _, let capacity): zeros(size + (capacity ?? 0))
        case .group(_, let layout): layout.flatMap(\.emptyBytes)
        case .list, .perBit, .choice: zeros(1)
        case .rest, .repeated: []
        case .parameters: zeros(1)
        }
    }

    fileprivate var isConnectionHandle: Bool {
        if case .integer(let name, 2) = self { name.event.name == Self.connectionHandle.name.event.name } else { false }
    }

    private func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
}
