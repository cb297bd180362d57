import Bluetooth
import Bytes

extension Host {
    /// What a command is for: where its answer goes.
    enum Purpose: Hashable, Sendable {
        case startUp(StartUpStep)
        case advertise(AdvertisingStep)
        case scan(ScanStep)
        case connect
        case cancelConnecting
        case timing(ConnectionHandle)
        case encryption(ConnectionHandle)
        /// Nothing depends on the answer.
        case nothing
        /// The owner's.
        case owner(HCI.Opcode)
    }

    /// Queues a command that a struct holds.
    mutating func command(_ command: some HCI.Command, for purpose: Purpose = .nothing) {
        commands.add(command, for: purpose)
    }

    /// Queues a command whose layout a row of the table holds; its bytes are the host's own and fit.
    mutating func command(_ command: some HCI.RowCommand, for purpose: Purpose = .nothing) {
        do throws(HCI.EncodeError) {
            commands.add(packet: try HCI.encode(command), for: purpose)
        } catch {
            assertionFailure("\(command): \(error)")
        }
    }

    /// Takes the answer to a command.
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
