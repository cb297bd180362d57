import BluetoothTypes
import Bytes
import HCI

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

    /// Queues a command that a row of the table describes; the values are the host's own and fit.
    mutating func command(_ opcode: UInt16, _ values: [String: HCI.Value] = [:], for purpose: Purpose = .nothing) {
        do throws(HCI.EncodeError) {
            commands.add(packet: try HCI.encode(command: HCI.Opcode(rawValue: opcode), values), for: purpose)
        } catch {
            assertionFailure("command \(opcode): \(error)")
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

    /// The values of a command's return parameters by field name; nil unless it succeeded and they could be read.
    func returned(_ opcode: UInt16, _ answer: CommandQueue<Purpose>.Answer) -> [String: HCI.Value]? {
        guard case .complete(let parameters) = answer, answer.status == .success,
            let layout = HCI.CommandRow.table[HCI.Opcode(rawValue: opcode)]?.returnParameters
        else { return nil }
        var reader = ByteReader(parameters.span)
        return try? HCI.readValues(layout, .event, from: &reader)
    }
}

extension [String: HCI.Value] {
    /// The number under a field name without its `bthci_evt.`; 0 where there is none.
    func number(_ name: String) -> UInt64 {
        if case .number(let value) = self["bthci_evt." + name] { value } else { 0 }
    }

    /// The bytes under a field name without its `bthci_evt.`.
    func bytes(_ name: String) -> [UInt8] {
        if case .bytes(let value) = self["bthci_evt." + name] { value } else { [] }
    }
}
