package import Bluetooth
import Bytes

extension AttributeClient {
    /// A procedure that can be started (Vol 3, Part G, 4).
    package enum Operation: Hashable, Sendable {
        /// Exchange MTU: each end sends the longest PDU that it receives.
        case exchangeMTU(UInt16)
        /// All services, included services, characteristics and descriptors. Where the server's Database Hash is that
        /// of the known table, nothing needs to be asked but the hash.
        case discover
        /// The same of a server under test: it goes on after a response that breaks a rule, which `discoveryFaults` names.
        case survey
        /// A value, whole, by as many requests as it takes.
        case read(Handle)
        /// The values of one type in a range of handles.
        case readByType(UUID, ClosedRange<Handle>)
        /// A value; a long one part by part.
        case write(Handle, [UInt8])
        /// A value, without an answer; what the MTU does not hold is cut.
        case writeCommand(Handle, [UInt8])
        /// Several values at once, each part compared with what the server repeats.
        case reliableWrite([ValueToWrite])
        /// The server's updates of the value at a handle.
        case subscribe(Handle, AttributeServer.Subscription)
        /// A PDU as it stands, and whatever answers it.
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

    /// A value and where it goes.
    package struct ValueToWrite: Hashable, Sendable {
        package var handle: Handle
        package var value: [UInt8]

        package init(_ handle: Handle, _ value: [UInt8]) {
            self.handle = handle
            self.value = value
        }
    }
}

/// What a procedure does next.
enum ProcedureStep {
    case request([UInt8])
    case finish(Result<AttributeClient.Outcome, AttributeClient.Failure>)

    static func request(_ pdu: some ATT.PDU) -> ProcedureStep { .request(ATT.encode(pdu)) }
    static func fail(_ failure: AttributeClient.Failure) -> ProcedureStep { .finish(.failure(failure)) }
    static func succeed(_ outcome: AttributeClient.Outcome) -> ProcedureStep { .finish(.success(outcome)) }
}

/// One procedure of the client: requests one after the other until it finishes.
protocol Procedure: Sendable {
    mutating func begin(with client: inout AttributeClient) -> ProcedureStep
    /// Takes the answer to the last request.
    mutating func proceed(with answer: [UInt8], of client: inout AttributeClient) -> ProcedureStep
}

/// The answer to a request: the response that was expected, or the server's error.
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

/// A PDU of the owner's own making.
private struct RawExchange: Procedure {
    var pdu: [UInt8]

    mutating func begin(with client: inout AttributeClient) -> ProcedureStep { .request(pdu) }

    mutating func proceed(with answer: [UInt8], of client: inout AttributeClient) -> ProcedureStep {
        .succeed(.response(answer))
    }
}

/// Writes the configuration of a characteristic (Vol 3, Part G, 4.12.3).
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
