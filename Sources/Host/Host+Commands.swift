import Bluetooth
import Bytes

extension Host {
    /// Purpose of a command; determines the handler of its answer.
    enum Purpose: Hashable, Sendable {
        case startUp(StartUpStep)
        case advertise(AdvertisingStep)
        case scan(ScanStep)
        case connect
        case cancelConnecting
        case timing(ConnectionHandle)
        case encryption(ConnectionHandle)
        /// The answer is ignored.
        case nothing
        /// A command of the owner.
        case owner(HCI.Opcode)
    }

    /// Queues a command with its own struct.
    mutating func command(_ command: some HCI.Command, for purpose: Purpose = .nothing) {
        commands.add(command, for: purpose)
    }

    /// Queues a command whose layout is a table row; encoding cannot fail, because the host provides the parameters.
    mutating func command(_ command: some HCI.RowCommand, for purpose: Purpose = .nothing) {
        do throws(HCI.EncodeError) {
            commands.add(packet: try HCI.encode(command), for: purpose)
        } catch {
            assertionFailure("\(command): \(error)")
        }
    }

    /// Handles the answer to a command.
    mutating func answered(_ purpose: Purpose, _ answer: CommandQueue<Purpose>.Answer, at now: Timestamp) {
        switch purpose {
        case .startUp(let step): answered(step, answer, at: now)
        case .advertise(let step): answered(step, answer, at: now)
        case .scan(let step): answered(step, answer)
        case .connect: if answer.status != .success { connectionFailed(answer.status) }
        case .cancelConnecting: if answer.status != .success { connectionFailed(.operationCancelledByHost) }
        case .timing(let handle): if answer.status != .success { report(.timingRefused(handle)) }
        case .encryption(let handle):
            if answer.status != .success { encryptionFailed(handle, answer.status, at: now) }
        case .nothing: break
        case .owner(let opcode):
            switch answer {
            case .complete(let parameters): report(.commandAnswered(opcode, parameters))
            case .status(let status): report(.commandAnswered(opcode, [status.rawValue]))
            case .none: report(.commandAnswered(opcode, []))
            }
        }
    }
}
