import Bluetooth
import Captures
import Conversation
import PluginKit
import Profile

struct ErrorFitsRequest: SpecificationRule {
    static let info = RuleInfo(
        "CORE-ATT-19", "An Error Response has an error code that is defined and that the request can have.",
        role: .peripheral, source: "Vol 3, Part F, 3.4.1.1 and 3.4.9",
        hint: "Errors of the application are 0x80 to 0x9f; those of profiles 0xe0 to 0xff.")
    static let basis = RuleBasis.pdu
    var interests: Set<RuleInterest> { [.att(.errorResponse)] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard let error = event.att(ATT.ErrorResponse.self),
            ATT.Opcode.table.shape(of: error.requestOpcode)?.kind == .request
        else { return }
        report.expect(
            Self.allows(error.errorCode, for: error.requestOpcode),
            expected: "an error that \(error.requestOpcode.name ?? "the request") can have",
            observed: "\(hex(error.errorCode.rawValue)) \(error.errorCode.name ?? "reserved")")
    }

    private static let reads: [ATT.Opcode] = [
        .readRequest, .readBlobRequest, .readMultipleRequest, .readMultipleVariableRequest, .readByTypeRequest,
        .readByGroupTypeRequest,
    ]
    private static let writes: [ATT.Opcode] = [.writeRequest, .prepareWriteRequest, .executeWriteRequest]

    private static func allows(_ code: ATT.ErrorCode, for request: ATT.Opcode) -> Bool {
        switch code {
        case .invalidPDU, .requestNotSupported, .unlikelyError, .insufficientResources: true
        case .databaseOutOfSync:
            reads.contains(request) && request != .readByGroupTypeRequest || writes.contains(request)
        case .invalidHandle: request != .exchangeMTURequest && request != .executeWriteRequest
        case .readNotPermitted: reads.contains(request)
        case .writeNotPermitted, .invalidAttributeValueLength, .valueNotAllowed: writes.contains(request)
        case .insufficientAuthentication, .insufficientAuthorization, .insufficientEncryption,
            .encryptionKeySizeTooShort:
            reads.contains(request) || writes.contains(request) && request != .executeWriteRequest
        case .invalidOffset: [.readBlobRequest, .prepareWriteRequest, .executeWriteRequest].contains(request)
        case .prepareQueueFull: request == .prepareWriteRequest
        case .attributeNotFound: request.hasHandleRange
        case .attributeNotLong: request == .readBlobRequest
        case .unsupportedGroupType: request == .readByGroupTypeRequest
        default:
            (reads.contains(request) || writes.contains(request))
                && (code.rawValue >= 0xE0 || (0x80...0x9F).contains(code.rawValue))
        }
    }
}

struct ErrorNamesHandle: SpecificationRule {
    static let info = RuleInfo(
        "CORE-ATT-20",
        "An Error Response names the handle of the request; of a range in which nothing was found, its start.",
        role: .peripheral, source: "Vol 3, Part F, 3.4.1.1, 3.4.3.1, 3.4.4.1, 3.4.4.9",
        hint: "Copy the handle from the request to Attribute Handle In Error.")
    static let basis = RuleBasis.response
    var interests: Set<RuleInterest> { [.att(.errorResponse)] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard case .att = event.content, let request = event.request,
            let error = event.att(ATT.ErrorResponse.self),
            // A server that cannot parse a request does not know its handle.
            error.errorCode != .requestNotSupported, error.errorCode != .invalidPDU
        else { return }
        var handle = request.handle.rawValue
        if request.opcode.hasHandleRange {
            guard let range = RequestedRange(request), range.isLegal, error.errorCode == .attributeNotFound
            else { return }
            handle = range.start
        } else if !request.opcode.hasHandle {
            return
        }
        report.expect(
            error.handle.rawValue == handle, expected: "handle \(event.name(of: Handle(handle)))",
            observed: "handle \(event.name(of: error.handle))")
    }
}

struct UnknownRequestIsRefused: SpecificationRule {
    static let info = RuleInfo(
        "CORE-ATT-21", "A server refuses a request that it does not know with Request Not Supported.",
        role: .peripheral, source: "Vol 3, Part F, 3.3.1 and 3.4.1.1",
        hint: "Answer every opcode whose command bit is not set.")
    static let basis = RuleBasis.response
    var interests: Set<RuleInterest> { [.att(.errorResponse)] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard case .att = event.content, let request = event.request,
            ATT.Opcode.table.shape(of: request.opcode) == nil,
            let code = event.att(ATT.ErrorResponse.self)?.errorCode
        else { return }
        report.expect(
            code == .requestNotSupported, expected: "Request Not Supported",
            observed: code.name ?? hex(code.rawValue))
    }
}

struct CommandIsNotAnswered: SpecificationRule {
    static let info = RuleInfo(
        "CORE-ATT-22", "A server sends no Error Response to a command.", role: .peripheral,
        source: "Vol 3, Part F, 3.3.1, 3.4.5.3 and 3.4.5.4",
        hint: "Ignore a command that cannot be obeyed: the client takes the error for the answer to a request.")
    static let basis = RuleBasis.pdu
    var interests: Set<RuleInterest> { .att(.command).union([.att(.errorResponse)]) }

    private var commands = 0
    private var isBroken = false

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard case .att(let att) = event.content else { return }
        if att.kind == .command {
            commands += 1
        } else if let opcode = event.att(ATT.ErrorResponse.self)?.requestOpcode, opcode.isCommand {
            isBroken = true
            report.fail(expected: "no response", observed: "an error for \(opcode.name ?? hex(opcode.rawValue))")
        }
    }

    mutating func finish(_ end: CaptureEnd, _ report: inout RuleReport) {
        if commands > 0, !isBroken { report.pass() }
    }
}
