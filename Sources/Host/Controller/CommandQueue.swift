import Bluetooth
import Bytes

/// Commands on their way to the controller, one at a time, each with what it is for (Vol 4, Part E, 4.4).
struct CommandQueue<Purpose: Sendable>: Sendable {
    /// How a command was answered.
    enum Answer: Hashable, Sendable {
        /// Command Complete: the return parameters, the status first.
        case complete([UInt8])
        /// Command Status: another event reports the outcome.
        case status(HCI.ErrorCode)
        /// No answer in time, as some controllers do with commands that they do not know.
        case none

        /// The status; unspecified where the controller sent none.
        var status: HCI.ErrorCode {
            switch self {
            case .complete(let parameters): parameters.first.map(HCI.ErrorCode.init(rawValue:)) ?? .unspecified
            case .status(let status): status
            case .none: .responseTimeout
            }
        }
    }

    private struct Command: Sendable {
        var opcode: HCI.Opcode
        /// The packet behind its packet indicator.
        var bytes: [UInt8]
        var purpose: Purpose
    }

    /// A controller answers in less (Vol 4, Part E, 4.4 asks for one second).
    static var timeout: Duration { .seconds(2) }

    private var waiting = FIFO<Command>()
    /// The command whose answer has not come.
    private var current: Command?
    private(set) var deadline: Timestamp?
    /// Commands that the controller takes.
    private var credits = 1
    /// Times in a row that the controller has not answered, or taken, a command.
    private(set) var silence = 0

    /// Whether nothing waits and nothing is out.
    var isIdle: Bool { current == nil && waiting.isEmpty }

    mutating func add(_ command: some HCI.Command, for purpose: Purpose) {
        waiting.append(Command(opcode: type(of: command).opcode, bytes: HCI.encode(command), purpose: purpose))
    }

    /// Adds a command packet as it stands, without its packet indicator; one without opcode is left out.
    mutating func add(packet bytes: [UInt8], for purpose: Purpose) {
        guard bytes.count >= 3 else { return }
        let opcode = HCI.Opcode(rawValue: UInt16(bytes[0]) | UInt16(bytes[1]) << 8)
        waiting.append(Command(opcode: opcode, bytes: bytes, purpose: purpose))
    }

    /// The packet that may be sent now.
    mutating func takeSendable(at now: Timestamp) -> [UInt8]? {
        guard current == nil, !waiting.isEmpty else { return nil }
        guard credits > 0, let command = waiting.popFirst() else {
            // A controller that takes no commands has to say when it does again.
            if deadline == nil { deadline = now + Self.timeout }
            return nil
        }
        current = command
        deadline = now + Self.timeout
        return [HCI.PacketType.command.rawValue] + command.bytes
    }

    /// The controller has answered; returns what the command was for. An answer to another command only says how many
    /// commands it takes.
    mutating func answered(_ opcode: HCI.Opcode, allowed: UInt8) -> Purpose? {
        credits = Int(allowed)
        if credits > 0, current == nil { deadline = nil }
        guard let command = current, command.opcode == opcode else { return nil }
        current = nil
        deadline = nil
        silence = 0
        return command.purpose
    }

    /// The purpose of a command that was not answered in time. It counts as done, so that others get their turn.
    mutating func expire(at now: Timestamp) -> Purpose? {
        guard let deadline, deadline <= now else { return nil }
        let purpose = current?.purpose
        current = nil
        self.deadline = nil
        credits = max(credits, 1)
        silence += 1
        return purpose
    }

    /// Forgets everything, as before a reset.
    mutating func clear() {
        self = CommandQueue()
    }
}
