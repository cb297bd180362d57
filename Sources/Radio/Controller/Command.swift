import Bluetooth
import Bytes

/// A command of the host, and how to read its parameters.
struct Command: Sendable {
    let row: HCI.CommandRow
    let parameters: [UInt8]

    /// The parameters as the struct that stands for them.
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

    /// The parameters by name.
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

/// The values of a command's parameters by the names of its row, without the prefix of the layer.
struct CommandValues {
    let values: [String: HCI.Value]

    /// A number; of a signed parameter its two's complement.
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

/// Why a command was not carried out.
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

/// What a command that was carried out returns, after its status.
enum Returned {
    /// Nothing but the status; of a command that is answered by Command Status, the outcome comes later.
    case success
    /// Values by the names of the row, without the prefix of the layer.
    case values([String: HCI.Value])
    /// All return parameters, the status too.
    case parameters(any HCI.Parameters)

    /// The handle that the command named.
    static func handle(_ handle: ConnectionHandle) -> Returned {
        .values(["connection_handle": .number(UInt64(handle.rawValue))])
    }
}

extension VirtualController {
    /// Takes a packet of the host: a command or ACL data; all else means nothing to an LE controller.
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
        // The answer comes before the events that carrying out the command brought about.
        actions.insert(.packet([HCI.PacketType.event.rawValue] + answer), at: firstAction)
    }

    /// The event that answers a command which was carried out.
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
