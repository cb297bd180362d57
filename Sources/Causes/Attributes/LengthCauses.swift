import Bluetooth
import PluginKit

extension Session {
    /// The value that was cut, if that is the failure.
    fileprivate func cut(_ failure: Failure) -> ValueLengths.Cut? {
        guard failure.kind == .valueTruncated, let frame = failure.frames.last?.frame else { return nil }
        return attributes.servers.values.lazy.compactMap { $0.lengths.cut[frame] }.first
    }
}

extension Refusal {
    /// The room that ATT_MTU leaves for the value of a Write Request; nil if it is not known, and for other requests.
    var room: Int? { opcode == .writeRequest ? request?.mtu.map { $0 - 3 } : nil }

    /// Whether the value may have been cut to fit into the PDU: it fills it, and the profile has no value as short.
    var mayBeCut: Bool {
        guard error == .invalidAttributeValueLength, let length = request?.valueLength, length == room else {
            return false
        }
        return shortestWrite.map { $0 > length } ?? true
    }
}

extension ValueLengths.Cut {
    /// How the value is known to be longer.
    fileprivate var text: String {
        if let whole { return "; frame \(whole.frame.frame) completes a value of \(whole.count) bytes" }
        if full.isTooShortForProfile, let shortest = full.lengths.map(\.lowerBound).min() {
            return "; by the profile it has \(shortest) bytes at least"
        }
        return ""
    }

    /// Whether another value or the profile shows that bytes are missing.
    fileprivate var isShown: Bool { isPrefix || full.isTooShortForProfile }
}

/// The ATT_MTU has no room for the value.
enum MTUTooSmall: Cause {
    static let info = CauseInfo(
        "mtu_too_small", "The value is longer than the ATT_MTU has room for.",
        explains: [.procedureFailed, .subscriptionFailed, .valueTruncated],
        evidence: """
            Certain: the value read or written fills its PDU, and the profile, or the same value read to its end, is \
            longer; or the server refused a request that is longer than ATT_MTU; nothing is missing. Likely: a Read \
            Response of ATT_MTU - 1 bytes, which no Read Blob Request continues; Invalid Attribute Value Length (0x0D) \
            for a write of ATT_MTU - 3 bytes; no response to a request that is longer than ATT_MTU.
            """,
        against: """
            The value is shorter than the PDU has room for; the profile has values of this length; a Read Blob Request \
            continues the read; the MTU exchange may be missing from the capture.
            """,
        advice: """
            Exchange a larger ATT_MTU before the first long value. Read what fills a Read Response on by Read Blob \
            Requests, and write long values by Prepare Write and Execute Write.
            """,
        source: "Vol 3, Part F, 3.2.8, 3.2.9 and 3.4.2")

    static func assess(_ failure: Failure, in session: Session) -> Assessment? {
        if let refusal = session.refusal(failure) { return assess(refusal, in: session) }
        if let unanswered = session.unanswered(failure) {
            guard let mtu = unanswered.request.mtu, unanswered.request.length > mtu else { return nil }
            return .found(
                .likely, frames: failure.frames,
                text: "\(unanswered.request.text) has \(unanswered.request.length) bytes, and ATT_MTU is \(mtu)")
        }
        guard let cut = session.cut(failure) else { return nil }
        let full = cut.full
        guard full.operation == .read || full.operation == .write else { return nil }
        let exchange = full.isMTUExchanged ? "" : ", which was not exchanged"
        let verb = full.operation == .read ? "read" : "written"
        return .found(
            cut.isShown && session.connection.isGapless ? .certain : .likely,
            frames: failure.frames + (cut.whole.map { [$0.frame] } ?? []),
            text: "the \(full.count) bytes of \(full.name) that were \(verb) in frame "
                + "\(failure.frames[failure.frames.count - 1].frame) are all that ATT_MTU \(full.mtu) has room "
                + "for\(exchange)\(cut.text)")
    }

    private static func assess(_ refusal: Refusal, in session: Session) -> Assessment? {
        guard let request = refusal.request, let mtu = request.mtu else { return nil }
        if request.length > mtu {
            return .found(
                refusal.confidence(in: session), frames: refusal.frames,
                text: "\(refusal.text); the request has \(request.length) bytes, and ATT_MTU is \(mtu)")
        }
        guard refusal.error == .invalidAttributeValueLength, let room = refusal.room, let length = request.valueLength
        else { return nil }
        guard length == room else {
            return .excluded("the value has \(length) bytes, and ATT_MTU \(mtu) has room for \(room)")
        }
        guard refusal.mayBeCut else { return .excluded("the profile has values of \(length) bytes") }
        let profile = refusal.shortestWrite.map { "; by the profile it has \($0) bytes at least" } ?? ""
        return .found(
            refusal.shortestWrite != nil ? refusal.confidence(in: session) : .likely, frames: refusal.frames,
            text: "\(refusal.text); the value has \(length) bytes, all that ATT_MTU \(mtu) has room for\(profile)")
    }
}

/// A notification has no room for the value.
enum NotificationTruncated: Cause {
    static let info = CauseInfo(
        "notification_truncated", "A notification or an indication carries only the beginning of its value.",
        explains: [.valueTruncated],
        evidence: """
            Certain: it has ATT_MTU - 3 bytes, and the profile has only longer values, or the value that was read to \
            its end begins with these bytes and has more; nothing is missing. Likely: the same with gaps.
            """,
        against: "The profile has values of this length; no longer value is known.",
        advice: """
            Exchange a larger ATT_MTU before the configuration is written, or read the rest by Read Blob Requests when \
            the notification comes. A server sends long values in several notifications.
            """,
        source: "Vol 3, Part F, 3.4.7.1")

    static func assess(_ failure: Failure, in session: Session) -> Assessment? {
        guard let cut = session.cut(failure) else { return nil }
        let full = cut.full
        guard full.operation == .notify || full.operation == .indicate else {
            return .excluded("the value was \(full.operation == .read ? "read" : "written")")
        }
        let exchange = full.isMTUExchanged ? "" : ", which was not exchanged"
        return .found(
            cut.isShown && session.connection.isGapless ? .certain : .likely,
            frames: failure.frames + (cut.whole.map { [$0.frame] } ?? []),
            text: "frame \(failure.frames[0].frame) carries \(full.count) bytes of \(full.name), all that ATT_MTU "
                + "\(full.mtu) has room for\(exchange)\(cut.text)")
    }
}
