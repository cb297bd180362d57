import Bluetooth
import PluginKit

extension Session {
    /// The request that was refused, if that is the failure.
    func refusal(_ failure: Failure) -> Refusal? {
        guard case .error = failure.detail, let frame = failure.frames.last?.frame else { return nil }
        return attributes.refusals.failed[frame]
    }
}

extension Failure.Kind {
    /// The kinds of failures of requests that are refused or not answered.
    static let ofRequests: Set<Self> = [.procedureFailed, .discoveryFailed, .subscriptionFailed]
}

/// The server has no room for a prepared write.
enum PrepareQueueFull: Cause {
    static let info = CauseInfo(
        "prepare_queue_full", "The server's queue of prepared writes is full.", explains: Failure.Kind.ofRequests,
        evidence: """
            Certain: Prepare Queue Full (0x09), with its request captured, and nothing of the connection missing. \
            Likely: the same on a connection with gaps, or Insufficient Resources (0x11) for a Prepare Write Request.
            """,
        against: "The same request succeeded when it was repeated.",
        advice: """
            Write less at once, or exchange a larger ATT_MTU so that the value needs fewer parts; execute or cancel \
            the queued writes before the next ones; enlarge the server's queue.
            """,
        source: "Vol 3, Part F, 3.4.6.1")

    static func assess(_ failure: Failure, in session: Session) -> Assessment? {
        guard let refusal = session.refusal(failure) else { return nil }
        let isNamed = refusal.error == .prepareQueueFull
        guard isNamed || refusal.error == .insufficientResources && refusal.opcode == .prepareWriteRequest else {
            return nil
        }
        return .found(
            isNamed ? refusal.confidence(in: session) : .likely, frames: refusal.frames, text: refusal.text)
    }
}

/// The server does not permit the access.
enum WriteNotPermitted: Cause {
    static let info = CauseInfo(
        "write_not_permitted", "The server does not permit the write, or another access that was requested.",
        explains: Failure.Kind.ofRequests,
        evidence: """
            Certain: Write Not Permitted (0x03), Read Not Permitted (0x02) or Request Not Supported (0x06), with its \
            request captured, and nothing of the connection missing. Likely: the same on a connection with gaps.
            """,
        against: "The same request succeeded when it was repeated, or as a Write Command.",
        advice: """
            Compare the access with the characteristic's properties. Where they lack it, change the client; where they \
            have it, make the server's permissions agree with its properties.
            """,
        source: "Vol 3, Part F, 3.4.1.1; Vol 3, Part G, 3.3.1.1")

    static func assess(_ failure: Failure, in session: Session) -> Assessment? {
        guard let refusal = session.refusal(failure),
            [.writeNotPermitted, .readNotPermitted, .requestNotSupported].contains(refusal.error)
        else { return nil }
        if let reason = session.reasonAgainstError(failure, refusal) { return .excluded(reason) }
        var text = refusal.text
        if let properties = refusal.properties {
            text += "; the characteristic's properties are \(properties.names.joined(separator: ", "))"
        }
        return .found(refusal.confidence(in: session), frames: refusal.frames, text: text)
    }
}

/// The server does not accept the value.
enum ValueRejected: Cause {
    static let info = CauseInfo(
        "value_rejected", "The server does not accept the value that was written.", explains: Failure.Kind.ofRequests,
        evidence: """
            Certain: Invalid Attribute Value Length (0x0D), Value Not Allowed (0x13) or Out of Range (0xFF), with its \
            request captured, and nothing of the connection missing. Likely: the same on a connection with gaps; \
            Invalid Offset (0x07) for a write; Invalid PDU (0x04) for a write.
            """,
        against: "The same value was accepted when it was written again.",
        advice: "Compare the value's length and content with the profile, and with a write that works.",
        source: "Vol 3, Part F, 3.4.1.1; CSS, Part B, 1.2")

    static func assess(_ failure: Failure, in session: Session) -> Assessment? {
        guard let refusal = session.refusal(failure) else { return nil }
        let isNamed: Bool
        switch refusal.error {
        case .invalidAttributeValueLength where refusal.mayBeCut:
            return .found(.possible, frames: refusal.frames, text: refusal.text)
        case .invalidAttributeValueLength, .valueNotAllowed, .outOfRange: isNamed = true
        case .invalidOffset,
            .invalidPDU where refusal.request?.valueLength != nil:
            isNamed = false
        default: return nil
        }
        if let reason = session.reasonAgainstError(failure, refusal) { return .excluded(reason) }
        let length = refusal.request?.valueLength.map { "; the value has \($0 == 1 ? "1 byte" : "\($0) bytes")" } ?? ""
        return .found(
            isNamed ? refusal.confidence(in: session) : .likely, frames: refusal.frames, text: refusal.text + length)
    }
}

/// The server's application refuses the request.
enum ApplicationError: Cause {
    static let info = CauseInfo(
        "application_error", "The server's application refuses the request for a reason of its own.",
        explains: Failure.Kind.ofRequests,
        evidence: """
            Certain: an Application Error (0x80 to 0x9F), Write Request Rejected (0xFC), Client Characteristic \
            Configuration Descriptor Improperly Configured (0xFD) or Procedure Already in Progress (0xFE), with its \
            request captured, and nothing of the connection missing. Likely: the same on a connection with gaps; \
            another code that a profile defines (0xE0 to 0xFB); Unlikely Error (0x0E), with which many stacks answer \
            when a callback of the application fails.
            """,
        against: "The same request succeeded when it was repeated.",
        advice:
            "Look the code up in the specification of the service or in the server's source, and meet its condition.",
        source: "Vol 3, Part F, 3.4.1.1; CSS, Part B, 1.2")

    static func assess(_ failure: Failure, in session: Session) -> Assessment? {
        guard let refusal = session.refusal(failure) else { return nil }
        let server = session.attributes.servers[refusal.server]
        if refusal.error == .cccdImproperlyConfigured, server?.subscriptions.hasConfigured == false {
            return .excluded("the client never wrote the configuration that the error names")
        }
        switch refusal.error.rawValue {
        case 0x80...0x9F, 0xFC...0xFE:
            return .found(refusal.confidence(in: session), frames: refusal.frames, text: refusal.text)
        case 0x0E, 0xE0...0xFB: return .found(.likely, frames: refusal.frames, text: refusal.text)
        default: return nil
        }
    }
}

/// The server has no such attribute.
enum AttributeNotFound: Cause {
    static let info = CauseInfo(
        "attribute_not_found", "The server has no attribute or service such as the client asks for.",
        explains: Failure.Kind.ofRequests,
        evidence: """
            Certain: Attribute Not Found (0x0A) is the only response to a search for a service or an attribute type, \
            or Invalid Handle (0x01) refuses a handle that the discovery on this connection did not show; the request \
            was captured, and nothing of the connection is missing. Likely: the same on a connection with gaps. \
            Possible: Invalid Handle where the client has not discovered the table on this connection.
            """,
        against: """
            The search had found something before, so that the error only ends it; the service or the type is one that \
            many servers lack; the client found the service in another way, or went on without it.
            """,
        advice: """
            Check that this is the right device and firmware, that the server registers the service before it \
            advertises, and the byte order of the UUID. Discover the handles instead of assuming them.
            """,
        source: "Vol 3, Part F, 3.4.1.1; Vol 3, Part G, 4.4.2")

    static func assess(_ failure: Failure, in session: Session) -> Assessment? {
        guard let refusal = session.refusal(failure) else { return nil }
        switch refusal.error {
        case .attributeNotFound:
            return .found(refusal.confidence(in: session), frames: refusal.frames, text: refusal.text)
        case .invalidHandle:
            if let reason = session.reasonAgainstError(failure, refusal) { return .excluded(reason) }
            if let before = session.earlierAttribute(of: refusal) {
                return .excluded("connection \(before.connection) had \(before.name) at handle \(refusal.handle)")
            }
            if refusal.isDiscovered {
                return .excluded("the discovery on this connection showed an attribute at handle \(refusal.handle)")
            }
            guard refusal.followsDiscovery else {
                return .found(
                    .possible, frames: refusal.frames,
                    text: "\(refusal.text), without discovery on this connection")
            }
            return .found(
                refusal.confidence(in: session), frames: refusal.frames,
                text: "\(refusal.text), which discovery did not show")
        default: return nil
        }
    }
}
