import Bluetooth
import Bytes

/// A command of the host, with access to its parameters.
struct Command: Sendable {
    let row: HCI.CommandRow
    let parameters: [UInt8]

    /// Decodes the parameters as a struct.
    func decode<Parameters: HCI.Command>(_ type: Parameters.Type = Parameters.self) throws(Refusal) -> Parameters {
        do throws(DecodeError) {
            var reader = ByteReader(parameters.span)
            let result = try Parameters(reading: &reader)
            if reader.isAtEnd { return result }
        } catch {
            throw .invalidParameters
        }
        throw .invalidParameters
    }

    /// Decodes the parameters by name.
    func values() throws(Refusal) -> CommandValues {
        do throws(DecodeError) {
            var reader = ByteReader(parameters.span)
            let values = try HCI.readValues(row.parameters, .command, from: &reader)
            if reader.isAtEnd { return CommandValues(values: values) }
        } catch {
            throw .invalidParameters
        }
        throw .invalidParameters
    }
}

/// Parameter values by the names in the command's table row, without the layer prefix.
struct CommandValues {
    let values: [String: HCI.Value]

    /// A number; for a signed parameter in two's complement.
    func number(_ name: String) -> UInt64 {
        if case .number(let value)? = values["bthci_cmd." + name] { value } else { 0 }
    }

    func integer<T: FixedWidthInteger>(_ name: String, as type: T.Type = T.self) -> T {
        T(truncatingIfNeeded: number(name))
    }

    func bytes(_ name: String) -> [UInt8] {
        if case .bytes(let bytes)? = values["bthci_cmd." + name] { bytes } else { [] }
    }

    func list(_ name: String) -> [CommandValues] {
        guard case .list(let list)? = values["bthci_cmd." + name] else { return [] }
        return list.map { CommandValues(values: $0) }
    }

    var address: Address { Address(value: number("bd_addr")) }
    var handle: ConnectionHandle { ConnectionHandle(rawValue: integer("connection_handle")) }
}

/// Error of a rejected command.
struct Refusal: Error, Hashable {
    let code: HCI.ErrorCode

    init(_ code: HCI.ErrorCode) {
        self.code = code
    }

    static let invalidParameters = Refusal(.invalidCommandParameters)
    static let disallowed = Refusal(.commandDisallowed)
    static let unsupported = Refusal(.unsupportedFeatureOrParameterValue)
    static let unknownConnection = Refusal(.unknownConnectionIdentifier)
}

/// Return parameters of a successful command, after its status.
enum Returned {
    /// Only the status. For a command answered by Command Status, the outcome follows later.
    case success
    /// Values by the names in the table row, without the layer prefix.
    case values([String: HCI.Value])
    /// All return parameters, including the status.
    case parameters(any HCI.Parameters)

    /// Returns only the connection handle.
    static func handle(_ handle: ConnectionHandle) -> Returned {
        .values(["connection_handle": .number(UInt64(handle.rawValue))])
    }
}

extension VirtualController {
    /// Handles a packet from the host: a command or ACL data. Other packets do not apply to an LE controller.
    mutating func receiveFromHost(_ packet: [UInt8]) {
        switch packet.first.map(HCI.PacketType.init(rawValue:)) {
        case .command: receiveCommand(packet)
        case .aclData: receiveData(packet)
        default: break
        }
    }

    private mutating func receiveCommand(_ packet: [UInt8]) {
        guard packet.count >= 4 else { return }
        let opcode = HCI.Opcode(rawValue: UInt16(packet[1]) | UInt16(packet[2]) << 8)
        let parameters = Array(packet[4...])
        guard let entry = commands[opcode] else {
            return send(HCI.CommandStatus(status: .unknownCommand, opcode: opcode))
        }
        let row = entry.row
        let firstAction = actions.count
        let answer: [UInt8]
        do throws(Refusal) {
            if parameters.count != Int(packet[3]) { throw .invalidParameters }
            answer = Self.answer(row, try entry.handler(&self, Command(row: row, parameters: parameters)))
        } catch {
            answer = Self.answer(row, refusal: error, parameters)
        }
        // The answer precedes the events caused by the command.
        actions.insert(.packet([HCI.PacketType.event.rawValue] + answer), at: firstAction)
    }

    /// The event that answers a successful command.
    private static func answer(_ row: HCI.CommandRow, _ returned: Returned) -> [UInt8] {
        guard case .returns = row.answer else {
            return HCI.encode(HCI.CommandStatus(status: .success, opcode: row.opcode))
        }
        switch returned {
        case .parameters(let parameters):
            return HCI.encode(HCI.CommandComplete(opcode: row.opcode, returnParameters: parameters.encoded))
        case .success:
            return HCI.encode(
                HCI.CommandComplete(opcode: row.opcode, returnParameters: row.refusal(.success, command: [])))
        case .values(let values):
            var named: [String: HCI.Value] = ["bthci_evt.status": 0]
            for (name, value) in values { named["bthci_evt." + name] = value }
            do throws(HCI.EncodeError) {
                return try HCI.encode(returnParametersOf: row.opcode, named)
            } catch {
                return answer(row, refusal: Refusal(.unspecified), [])
            }
        }
    }

    private static func answer(_ row: HCI.CommandRow, refusal: Refusal, _ parameters: [UInt8]) -> [UInt8] {
        guard case .returns = row.answer else {
            return HCI.encode(HCI.CommandStatus(status: refusal.code, opcode: row.opcode))
        }
        return HCI.encode(
            HCI.CommandComplete(
                opcode: row.opcode, returnParameters: row.refusal(refusal.code, command: parameters)))
    }
}
