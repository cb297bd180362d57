import Bluetooth
import Bytes
import PluginKit

extension Session {
    /// The write that went to a wrong handle, if that is the failure.
    func misdirected(_ failure: Failure) -> SubscriptionUse.Misdirected? {
        if let refusal = refusal(failure) {
            return refusal.request.flatMap {
                attributes.servers[refusal.server]?.subscriptions.misdirected(at: $0.sent.frame)
            }
        }
        guard case .attribute = failure.detail, let frame = failure.frames.last?.frame else { return nil }
        return attributes.servers.values.lazy.compactMap { $0.subscriptions.misdirected(at: frame) }.first
    }

    /// Why values did not come, if that is the failure.
    fileprivate func missing(_ failure: Failure) -> ServerUse.Missing? {
        switch failure.detail {
        case .none, .attribute: break
        default: return nil
        }
        guard failure.frames.count == 2, let frame = failure.frames.last?.frame else { return nil }
        return attributes.servers.values.lazy.compactMap { $0.missing[frame] }.first
    }
}

/// The client has not subscribed.
enum CCCDNeverWritten: Cause {
    static let info = CauseInfo(
        "cccd_never_written",
        "The client waited for notifications or indications, and never wrote the Client Characteristic Configuration.",
        explains: [.subscriptionFailed, .procedureFailed],
        evidence: """
            Certain: the client wrote no configuration on a complete connection of devices that are not bonded, and \
            the profile of the device answers its write by a notification or an indication that did not come, or the \
            server refused its request with Client Characteristic Configuration Descriptor Improperly Configured \
            (0xFD). Likely: it discovered the configuration of a characteristic that it did not read, wrote to the \
            same service, or neither read nor wrote, waited for 3 s or longer, and disconnected. Possible: the same \
            with gaps.
            """,
        against: """
            The client wrote a configuration, or read the value; values came; the devices may be bonded, so that the \
            server remembers what was configured; the characteristic is Service Changed or Battery Level, which many \
            clients leave alone.
            """,
        advice: """
            Write 0x0001 (notifications) or 0x0002 (indications) to the Client Characteristic Configuration of the \
            characteristic on each connection, before the request whose result is notified. Enabling notifications in \
            an API of the phone does not always write the descriptor.
            """,
        source: "Vol 3, Part G, 3.3.3.3 and 4.10.1")

    static func assess(_ failure: Failure, in session: Session) -> Assessment? {
        if let refusal = session.refusal(failure) { return assess(refusal, in: session) }
        switch session.missing(failure) {
        case .neverConfigured(let wanted)?:
            var text = "the client never wrote the configuration of \(wanted.name)"
            if let request = wanted.request {
                text += ", whose values answer \(request.text), and waited for \(wanted.wait.seconds.secondsText)"
            } else {
                text += ", and waited for \(wanted.wait.seconds.secondsText) before the connection ended"
            }
            let confidence: Confidence =
                session.connection.isComplete ? wanted.isOfProfile ? .certain : .likely : .possible
            return .found(confidence, frames: failure.frames, text: text)
        case .lost?: return .excluded("the client had written the configuration on an earlier connection")
        case nil: return nil
        }
    }

    private static func assess(_ refusal: Refusal, in session: Session) -> Assessment? {
        guard refusal.error == .cccdImproperlyConfigured else { return nil }
        let subscriptions = session.attributes.servers[refusal.server]?.subscriptions
        if subscriptions?.hasEnabled(refusal.handle) == true {
            return .excluded("the client had written the Client Characteristic Configuration of the characteristic")
        }
        let isCertain = session.connection.isComplete && !session.connection.mayBeBonded
        return .found(
            isCertain ? refusal.confidence(in: session) : .likely, frames: refusal.frames,
            text: "\(refusal.text), and the client never wrote its Client Characteristic Configuration")
    }
}

/// The client wrote the configuration to another attribute.
enum CCCDWrongHandle: Cause {
    static let info = CauseInfo(
        "cccd_wrong_handle", "The client wrote the configuration to a handle that is not the descriptor's.",
        explains: [.subscriptionFailed],
        evidence: """
            Certain: 0x0001 or 0x0002 in two bytes was written to a declaration, to another descriptor, or to a value \
            without a property for writing, as discovery on this connection showed before; a Client Characteristic \
            Configuration is at most four handles away and was not written; nothing is missing. Likely: the same with \
            gaps, by a table of an earlier connection, or at a handle that the server refuses with Invalid Handle.
            """,
        against: "The client wrote the right descriptor as well; the attribute may be written by its properties.",
        advice: """
            Take the handle of descriptor 0x2902 from descriptor discovery: it need not be the value's handle plus \
            one, as other descriptors may come first.
            """,
        source: "Vol 3, Part G, 3.3.3.3")

    static func assess(_ failure: Failure, in session: Session) -> Assessment? {
        guard let wrong = session.misdirected(failure) else { return nil }
        let isCertain = wrong.isDiscovered && session.connection.isGapless
        let outcome =
            switch wrong.outcome {
            case .accepted: "the server accepted it"
            case .refused(let code): "the server refused it with \(ATT.ErrorCode(rawValue: code).text)"
            case .unconfirmed, .unknown: "no response shows what the server did"
            }
        return .found(
            isCertain ? .certain : .likely, frames: [wrong.request.sent] + failure.frames,
            text: "\(wrong.request.text) is a configuration at a wrong handle, and \(outcome); "
                + "the nearest descriptor is \(wrong.intendedName)")
    }
}

/// A subscription of an earlier connection is gone.
enum SubscriptionLost: Cause {
    static let info = CauseInfo(
        "subscription_lost", "A subscription of an earlier connection was not made again, and no values come.",
        explains: [.subscriptionFailed],
        evidence: """
            Certain: on an earlier connection of two devices that are not bonded the client had subscribed, and more \
            than two values had come; on this complete connection it wrote no configuration, and none came for three \
            times their period and 3 s or longer. Likely: fewer values had come, or the devices may be bonded, so that \
            the server should have kept the configuration. Possible: the same with gaps.
            """,
        against: """
            The client wrote a configuration on this connection; values came; the connection was shorter than 3 s, or \
            than three periods of the values before; its beginning was not captured, or it is encrypted.
            """,
        advice: """
            Write the Client Characteristic Configuration after each reconnection: a server forgets it when a client \
            that is not bonded disconnects. A server keeps it for each bonded client.
            """,
        source: "Vol 3, Part G, 3.3.3.3 and Vol 3, Part C, 10.3")

    static func assess(_ failure: Failure, in session: Session) -> Assessment? {
        guard case .lost(let earlier)? = session.missing(failure) else { return nil }
        let connection = session.connection
        let isCertain = !connection.mayBeBonded && earlier.period != nil
        let confidence: Confidence = connection.isComplete ? isCertain ? .certain : .likely : .possible
        let bond = connection.mayBeBonded ? ", although the devices may be bonded" : ""
        return .found(
            confidence, frames: [earlier.written] + failure.frames,
            text: "the client subscribed to \(earlier.name) on connection \(earlier.written.connection) in frame "
                + "\(earlier.written.frame), and \(earlier.count) values came; on this connection it wrote no "
                + "configuration, and none came\(bond)")
    }
}
