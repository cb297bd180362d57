import Bluetooth
import Bytes

/// Queue of commands to the controller, one outstanding at a time, each with its purpose (Vol 4, Part E, 4.4).
struct CommandQueue<Purpose: Sendable>: Sendable {
    /// Outcome of a command.
    enum Answer: Hashable, Sendable {
        /// Command Complete: the return parameters, status first.
        case complete([UInt8])
        /// Command Status: another event reports the outcome.
        case status(HCI.ErrorCode)
        /// No answer in time, as with commands unknown to some controllers.
        case none

        /// The status; unspecified if the controller sent none.
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
        /// The packet without its packet indicator.
        var bytes: [UInt8]
        var purpose: Purpose
    }

    /// Time allowed for an answer (Vol 4, Part E, 4.4 requires one second).
    static var timeout: Duration { .seconds(2) }

    private var waiting = FIFO<Command>()
    /// The outstanding command.
    private var current: Command?
    private(set) var deadline: Timestamp?
    /// Number of commands that the controller accepts.
    private var credits = 1
    /// Number of consecutive commands that the controller did not answer or accept.
    private(set) var silence = 0

    /// Whether no command is queued or outstanding.
    var isIdle: Bool { current == nil && waiting.isEmpty }

    mutating func add(_ command: some HCI.Command, for purpose: Purpose) {
        waiting.append(Command(opcode: type(of: command).opcode, bytes: HCI.encode(command), purpose: purpose))
    }

    /// Adds a raw command packet without its packet indicator; ignores one without an opcode.
    mutating func add(packet bytes: [UInt8], for purpose: Purpose) {
        guard bytes.count >= 3 else { return }
        let opcode = HCI.Opcode(rawValue: UInt16(bytes[0]) | UInt16(bytes[1]) << 8)
        waiting.append(Command(opcode: opcode, bytes: bytes, purpose: purpose))
    }

    /// Removes and returns the packet that may be sent now.
    mutating func takeSendable(at now: Timestamp) -> [UInt8]? {
        guard current == nil, !waiting.isEmpty else { return nil }
        guard credits > 0, let command = waiting.popFirst() else {
            // Wait a limited time for the controller to accept commands again.
            if deadline == nil { deadline = now + Self.timeout }
            return nil
        }
        current = command
        deadline = now + Self.timeout
        return [HCI.PacketType.command.rawValue] + command.bytes
    }

    /// Handles an answer; returns the command's purpose. An answer to another command only updates the number of
    /// commands accepted.
    mutating func answered(_ opcode: HCI.Opcode, allowed: UInt8) -> Purpose? {
        credits = Int(allowed)
        if credits > 0, current == nil { deadline = nil }
        guard let command = current, command.opcode == opcode else { return nil }
        current = nil
        deadline = nil
        silence = 0
        return command.purpose
    }

    /// Removes a command that timed out, so that others can proceed; returns its purpose.
    mutating func expire(at now: Timestamp) -> Purpose? {
        guard let deadline, deadline <= now else { return nil }
        let purpose = current?.purpose
        current = nil
        self.deadline = nil
        credits = max(credits, 1)
        silence += 1
        return purpose
    }

    /// Clears the queue, as before a reset.
    mutating func clear() {
        self = CommandQueue()
    }
}
