public import Bytes

extension HCI {
    /// The value of a parameter, to write commands and events from their rows and to read them by name.
    public enum Value: Sendable, Hashable {
        /// A number; two's complement for a signed parameter.
        case number(UInt64)
        case bytes([UInt8])
        /// Structures or list elements, each by field name; a single group is a list of one.
        case list([[String: Value]])

        public init(_ number: some UnsignedInteger) { self = .number(UInt64(truncatingIfNeeded: number)) }
    }

    /// Reason why values cannot be encoded.
    public enum EncodeError: Error, Hashable, Sendable {
        /// The specification does not define the command or event.
        case unknown
        /// The parameter has no value.
        case missing(String)
        /// The row has no parameter with this name.
        case unexpected(String)
        /// The value has the wrong kind or is too large.
        case doesNotFit(String)
        /// A struct defines these parameters: encode the struct instead.
        case typed
    }

    /// The bytes of a command packet, from the values of its parameters by field name.
    public static func encode(command opcode: Opcode, _ values: [String: Value]) throws(EncodeError) -> [UInt8] {
        guard let row = CommandRow.table[opcode] else { throw .unknown }
        let parameters = try LayoutWriter(.command).bytes(of: row.parameters, values)
        guard let length = UInt8(exactly: parameters.count) else { throw .doesNotFit(Fields.commandLength.name) }
        return ByteWriter.bytes {
            $0.write(opcode)
            $0.write(length)
            $0.write(parameters)
        }
    }

    /// The bytes of an event packet, from the values of its parameters by field name.
    public static func encode(event code: EventCode, _ values: [String: Value]) throws(EncodeError) -> [UInt8] {
        guard let row = EventRow.table[code] else { throw .unknown }
        return try event(code, try LayoutWriter(.event).bytes(of: row.parameters, values))
    }

    /// The bytes of an LE Meta event packet, from the values of its parameters by field name.
    public static func encode(leEvent subevent: LESubevent, _ values: [String: Value]) throws(EncodeError) -> [UInt8] {
        guard let row = LEEventRow.table[subevent] else { throw .unknown }
        return try event(.leMeta, [subevent.rawValue] + LayoutWriter(.event).bytes(of: row.parameters, values))
    }

    /// The bytes of a Command Complete, from the values of the return parameters by field name.
    public static func encode(
        returnParametersOf opcode: Opcode, allowedCommands: UInt8 = 1, _ values: [String: Value]
    ) throws(EncodeError) -> [UInt8] {
        guard let layout = CommandRow.table[opcode]?.returnParameters else { throw .unknown }
        let parameters = try LayoutWriter(.event).bytes(of: layout, values)
        return try event(
            .commandComplete,
            CommandComplete(allowedCommands: allowedCommands, opcode: opcode, returnParameters: parameters).encoded)
    }

    /// The bytes of a command packet.
    public static func encode(_ command: some Command) -> [UInt8] {
        let parameters = command.encoded
        return ByteWriter.bytes {
            $0.write(type(of: command).opcode)
            $0.write(UInt8(truncatingIfNeeded: parameters.count))
            $0.write(parameters)
        }
    }

    /// The bytes of an event packet.
    public static func encode(_ event: some Event) -> [UInt8] {
        packet(type(of: event).code, event.encoded)
    }

    /// The bytes of an LE Meta event packet.
    public static func encode(_ event: some LEEvent) -> [UInt8] {
        packet(.leMeta, [type(of: event).subevent.rawValue] + event.encoded)
    }

    private static func event(_ code: EventCode, _ parameters: [UInt8]) throws(EncodeError) -> [UInt8] {
        guard parameters.count <= 255 else { throw .doesNotFit(Fields.eventLength.name) }
        return packet(code, parameters)
    }

    private static func packet(_ code: EventCode, _ parameters: [UInt8]) -> [UInt8] {
        [code.rawValue, UInt8(truncatingIfNeeded: parameters.count)] + parameters
    }
}

extension HCI.Value: ExpressibleByIntegerLiteral, ExpressibleByArrayLiteral {
    public init(integerLiteral value: UInt64) {
        self = .number(value)
    }

    public init(arrayLiteral bytes: UInt8...) {
        self = .bytes(bytes)
    }
}

extension HCI {
    /// The values of parameters by field name, read in the layout of a row; bytes after them stay unread.
    public static func readValues(
        _ layout: [Parameter], _ side: Side, from reader: inout ByteReader
    ) throws(DecodeError) -> [String: Value] {
        var layoutReader = LayoutReader(side, hooks: .none, collecting: true)
        try layoutReader.read(layout, from: &reader)
        return layoutReader.values ?? [:]
    }

    /// The bytes of parameters, from their values by field name.
    public static func bytes(
        of layout: [Parameter], _ side: Side, _ values: [String: Value]
    ) throws(EncodeError) -> [UInt8] {
        try LayoutWriter(side).bytes(of: layout, values)
    }
}
