public import Bytes

extension HCI {
    /// Reports that a command was completed or refused (Vol 4, Part E, 7.7.14).
    public struct CommandComplete: Event, Hashable {
        public static let code = EventCode.commandComplete

        /// Num_HCI_Command_Packets: commands that the host may now send.
        public var allowedCommands: UInt8
        public var opcode: Opcode
        /// The undecoded return parameters; the opcode's row defines their layout. The first one is the status, except
        /// in vendor commands.
        public var returnParameters: [UInt8]

        public init(allowedCommands: UInt8 = 1, opcode: Opcode, returnParameters: [UInt8]) {
            self.allowedCommands = allowedCommands
            self.opcode = opcode
            self.returnParameters = returnParameters
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            self = try Self(reading: &reader, hooks: .none)
        }

        public init(reading reader: inout ByteReader, hooks: Hooks) throws(DecodeError) {
            allowedCommands = try reader.read(Fields.allowedCommands)
            opcode = try readOpcode(&reader)
            returnParameters = reader.restBytes
            if reader.recorder != nil || hooks.advertisingData != nil {
                try HCI.readReturnParameters(of: opcode, &reader, hooks)
            } else {
                reader.skipRest(Fields.returnParameters)
            }
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(allowedCommands)
            writer.write(opcode)
            writer.write(returnParameters)
        }
    }

    /// Reports that a command is being executed or was refused (Vol 4, Part E, 7.7.15).
    public struct CommandStatus: Event, Hashable {
        public static let code = EventCode.commandStatus

        public var status: ErrorCode
        /// Num_HCI_Command_Packets: commands that the host may now send.
        public var allowedCommands: UInt8
        public var opcode: Opcode

        public init(status: ErrorCode, allowedCommands: UInt8 = 1, opcode: Opcode) {
            self.status = status
            self.allowedCommands = allowedCommands
            self.opcode = opcode
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            status = try reader.read(Parameter.status.inEvent)
            allowedCommands = try reader.read(Fields.allowedCommands)
            opcode = try readOpcode(&reader)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(status)
            writer.write(allowedCommands)
            writer.write(opcode)
        }
    }

    private static func readOpcode(_ reader: inout ByteReader) throws(DecodeError) -> Opcode {
        let opcode = try reader.read(Fields.eventOpcode, as: Opcode.self)
        reader.recordBits(opcode.rawValue, Fields.eventOpcodeBits)
        return opcode
    }

    /// Reads the return parameters of a command. A failed command may return only its status.
    private static func readReturnParameters(
        of opcode: Opcode, _ reader: inout ByteReader, _ hooks: Hooks
    ) throws(DecodeError) {
        guard let row = CommandRow.table[opcode] else { return reader.skipRest(Fields.returnParameters) }
        guard let layout = row.returnParameters else {
            if reader.isAtEnd { return }
            return try reader.read([.status], .event, hooks, unexpected: Fields.returnParameters)
        }
        let hasFailed = reader.remaining == 1 && reader.nextByte != 0
        try reader.read(hasFailed ? [.status] : layout, .event, hooks, unexpected: Fields.returnParameters)
    }
}
