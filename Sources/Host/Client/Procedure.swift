package import Bluetooth
import Bytes

extension AttributeClient {
    /// A procedure of the client (Vol 3, Part G, 4).
    package enum Operation: Hashable, Sendable {
        /// Exchange MTU: each device sends its maximum receive MTU.
        case exchangeMTU(UInt16)
        /// Discovers all services, included services, characteristics and descriptors. If the server's Database Hash
        /// matches the known table, only the hash is read.
        case discover
        /// Discovers a server under test: continues after a response that violates the specification and records it in
        /// `discoveryFaults`.
        case survey
        /// Reads a complete value, with as many requests as needed.
        case read(Handle)
        /// Reads the values of one type in a range of handles.
        case readByType(UUID, ClosedRange<Handle>)
        /// Writes a value; a long one in parts.
        case write(Handle, [UInt8])
        /// Writes a value without response, truncated to ATT_MTU − 3.
        case writeCommand(Handle, [UInt8])
        /// Writes several values at once, comparing each part with the server's echo.
        case reliableWrite([ValueToWrite])
        /// Subscribes to the value at a handle.
        case subscribe(Handle, AttributeServer.Subscription)
        /// Sends a raw PDU and waits for any response.
        case raw([UInt8])

        var procedure: any Procedure {
            switch self {
            case .exchangeMTU(let mtu): MTUExchange(mtu: mtu)
            case .discover: Discovery()
            case .survey: Discovery(isTolerant: true)
            case .read(let handle): Reading(handle: handle)
            case .readByType(let type, let range): ReadingByType(type: type, range: range)
            case .write(let handle, let value): Writing(values: [ValueToWrite(handle, value)], isReliable: false)
            case .writeCommand(let handle, let value):
                RawExchange(pdu: ATT.encode(ATT.WriteCommand(handle: handle, value: value)))
            case .reliableWrite(let values): Writing(values: values, isReliable: true)
            case .subscribe(let handle, let subscription):
                Subscribing(handle: handle, subscription: subscription)
            case .raw(let pdu): RawExchange(pdu: pdu)
            }
        }
    }

    /// A value with its handle.
    package struct ValueToWrite: Hashable, Sendable {
        package var handle: Handle
        package var value: [UInt8]

        package init(_ handle: Handle, _ value: [UInt8]) {
            self.handle = handle
            self.value = value
        }
    }
}

/// Next step of a procedure.
enum ProcedureStep {
    case request([UInt8])
    case finish(Result<AttributeClient.Outcome, AttributeClient.Failure>)

    static func request(_ pdu: some ATT.PDU) -> ProcedureStep { .request(ATT.encode(pdu)) }
    static func fail(_ failure: AttributeClient.Failure) -> ProcedureStep { .finish(.failure(failure)) }
    static func succeed(_ outcome: AttributeClient.Outcome) -> ProcedureStep { .finish(.success(outcome)) }
}

/// A procedure of the client: sends requests in sequence until it finishes.
protocol Procedure: Sendable {
    mutating func begin(with client: inout AttributeClient) -> ProcedureStep
    /// Handles the response to the last request.
    mutating func proceed(with answer: [UInt8], of client: inout AttributeClient) -> ProcedureStep
}

/// The answer to a request: the expected response or the server's error.
enum Reply<Response: ATT.PDU> {
    case response(Response)
    case refused(ATT.ErrorCode, Handle)
    case invalid(AttributeClient.Failure)

    init(_ answer: [UInt8], to request: ATT.Opcode) {
        var reader = ByteReader(answer.span)
        do throws(DecodeError) {
            switch try ATT.read(&reader) {
            case let response as Response: self = .response(response)
            case let error as ATT.ErrorResponse where error.requestOpcode == request:
                self = .refused(error.errorCode, error.handle)
            case let other?:
                let name = type(of: other).opcode.name ?? "PDU"
                self = .invalid(.invalidResponse("\(Response.opcode.name ?? "a response") expected, not \(name)"))
            case nil: self = .invalid(.invalidResponse("unknown opcode"))
            }
        } catch {
            self = .invalid(.invalidResponse(error.description))
        }
    }
}

/// Exchange MTU (Vol 3, Part G, 4.3.1).
private struct MTUExchange: Procedure {
    var mtu: UInt16

    mutating func begin(with client: inout AttributeClient) -> ProcedureStep {
        .request(ATT.ExchangeMTURequest(clientRxMTU: mtu))
    }

    mutating func proceed(with answer: [UInt8], of client: inout AttributeClient) -> ProcedureStep {
        switch Reply<ATT.ExchangeMTUResponse>(answer, to: .exchangeMTURequest) {
        case .response(let response):
            client.changeMTU(max(ATT.defaultMTU, Int(min(mtu, response.serverRxMTU))))
            return .succeed(.mtu(client.mtu))
        case .refused(let code, let handle): return .fail(.refused(code, handle))
        case .invalid(let failure): return .fail(failure)
        }
    }
}

/// Sends a raw PDU.
private struct RawExchange: Procedure {
    var pdu: [UInt8]

    mutating func begin(with client: inout AttributeClient) -> ProcedureStep { .request(pdu) }

    mutating func proceed(with answer: [UInt8], of client: inout AttributeClient) -> ProcedureStep {
        .succeed(.response(answer))
    }
}

/// Writes the Client Characteristic Configuration (Vol 3, Part G, 4.12.3).
private struct Subscribing: Procedure {
    var handle: Handle
    var subscription: AttributeServer.Subscription

    mutating func begin(with client: inout AttributeClient) -> ProcedureStep {
        guard let characteristic = client.table.attribute(at: handle)?.characteristic,
            let descriptor = client.table.descriptors.first(where: {
                $0.type == .clientCharacteristicConfiguration
                    && client.table.attribute(at: $0.handle)?.characteristic == characteristic
            })
        else { return .fail(.notConfigurable(handle)) }
        let value = ByteWriter.bytes { $0.write(subscription.rawValue) }
        return .request(ATT.WriteRequest(handle: descriptor.handle, value: value))
    }

    mutating func proceed(with answer: [UInt8], of client: inout AttributeClient) -> ProcedureStep {
        switch Reply<ATT.WriteResponse>(answer, to: .writeRequest) {
        case .response: .succeed(.written)
        case .refused(let code, let handle): .fail(.refused(code, handle))
        case .invalid(let failure): .fail(failure)
        }
    }
}
