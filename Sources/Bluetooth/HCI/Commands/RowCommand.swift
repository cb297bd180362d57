import Bytes

extension HCI {
    /// A command as a struct whose layout comes from its table row: for lists and conditional parameters.
    public protocol RowCommand: Hashable, Sendable {
        static var opcode: Opcode { get }

        /// The parameters by field name.
        var values: [String: Value] { get }
    }

    /// The bytes of a command packet.
    ///
    /// - Throws: `EncodeError` if a value is too long for the command.
    public static func encode(_ command: some RowCommand) throws(EncodeError) -> [UInt8] {
        try encode(command: type(of: command).opcode, command.values)
    }
}

extension HCI.RowCommand {
    /// Return parameters by field name; nil if they are unreadable or report a failure.
    static func returned(_ parameters: [UInt8]) -> ReturnedValues? {
        guard let layout = HCI.CommandRow.table[opcode]?.returnParameters else { return nil }
        var reader = ByteReader(parameters.span)
        guard let values = try? HCI.readValues(layout, .event, from: &reader) else { return nil }
        let returned = ReturnedValues(values: values)
        return returned.number("status") == 0 ? returned : nil
    }
}

/// Return parameters by field name.
struct ReturnedValues {
    let values: [String: HCI.Value]

    /// The number under a field name without its `bthci_evt.` prefix; 0 if absent.
    func number<Number: FixedWidthInteger>(_ name: String) -> Number {
        if case .number(let value) = values["bthci_evt." + name] { Number(truncatingIfNeeded: value) } else { 0 }
    }

    /// The bytes under a field name without its `bthci_evt.` prefix; empty if absent.
    func bytes(_ name: String) -> [UInt8] {
        if case .bytes(let value) = values["bthci_evt." + name] { value } else { [] }
    }
}
