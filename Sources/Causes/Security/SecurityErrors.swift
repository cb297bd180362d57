import Bluetooth
import Conversation
import PluginKit

/// ATT requests that a server refused for lack of security, until they succeed (Vol 3, Part C, 10.3).
struct SecurityErrors: Sendable {
    struct Refusal: Sendable {
        let code: ATT.ErrorCode
        let request: ATT.Opcode
        let handle: Handle
        /// The request, if captured, and the error.
        let frames: [FrameReference]
        /// Whether the connection was encrypted.
        let wasEncrypted: Bool
        /// Whether overlapping requests make it uncertain which request was refused.
        let isAmbiguous: Bool
        /// The frame in which encryption began after it; the client may have what it wants.
        var encrypted: FrameReference?
        /// How often the same attribute was refused.
        var count = 1
    }

    /// What was refused: an attribute, and whether it was written.
    private struct Key: Hashable {
        var handle: Handle
        var writes: Bool
    }

    private var refused: [Key: Refusal] = [:]
    private static let limit = 128

    /// Refusals that stand, in order.
    var all: [Refusal] { refused.values.sorted { $0.frames[0] < $1.frames[0] } }

    /// Records a response of a server.
    mutating func record(_ event: Event, _ att: ATTTraffic) {
        if let error = event.att(ATT.ErrorResponse.self) { return record(error, event) }
        guard !refused.isEmpty, let request = event.request else { return }
        let writes = request.opcode.writes
        if let range = request.range {
            for (key, refusal) in refused where refusal.request == request.opcode {
                if (range.start...max(range.start, range.end)).contains(key.handle.rawValue) { refused[key] = nil }
            }
        } else {
            refused[Key(handle: request.handle, writes: writes)] = nil
        }
    }

    private mutating func record(_ error: ATT.ErrorResponse, _ event: Event) {
        guard error.errorCode.isAboutSecurity else { return }
        let key = Key(handle: error.handle, writes: error.requestOpcode.writes)
        let earlier = refused[key]
        guard earlier != nil || refused.count < Self.limit else { return }
        let request = event.request.map {
            FrameReference(frame: $0.frame, time: $0.time, connection: event.moment.connection)
        }
        var refusal = Refusal(
            code: error.errorCode, request: error.requestOpcode, handle: error.handle,
            frames: (request.map { [$0] } ?? []) + [event.moment], wasEncrypted: event.connection.isEncrypted,
            isAmbiguous: event.request?.isAmbiguous ?? false)
        refusal.count += earlier?.count ?? 0
        refused[key] = refusal
    }

    /// Records that encryption has begun: what was refused before may be permitted from now on.
    mutating func recordEncryption(at moment: FrameReference) {
        for key in refused.keys { refused[key]?.encrypted = moment }
    }
}

extension ATT.ErrorCode {
    /// Whether the server wants a more secure connection.
    var isAboutSecurity: Bool {
        switch self {
        case .insufficientAuthentication, .insufficientAuthorization, .insufficientEncryption,
            .encryptionKeySizeTooShort:
            true
        default: false
        }
    }
}

extension ATT.Opcode {
    fileprivate var writes: Bool {
        switch self {
        case .writeRequest, .prepareWriteRequest, .executeWriteRequest: true
        default: false
        }
    }
}
