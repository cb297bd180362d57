import Bytes

extension HCI.CommandRow {
    /// The bytes that a Command Complete returns when the command was refused: the status, the connection's handle where
    /// the command named one, and zeros in place of all else, so that the length is as of one that was carried out.
    public func refusal(_ status: HCI.ErrorCode, command: [UInt8]) -> [UInt8] {
        guard case .returns(let layout) = answer else { return [status.rawValue] }
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
    /// The fewest bytes that the parameter takes, as zeros.
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
