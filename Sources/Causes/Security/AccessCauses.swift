import Bluetooth
import Bytes
import PluginKit

/// A request that a server refused for lack of security, and that never succeeded.
struct RefusedRequest {
    private let failure: Failure
    private let session: Session

    init(_ failure: Failure, in session: Session) {
        self.failure = failure
        self.session = session
    }

    /// Time after which a client whose request was refused would have repeated it.
    private static let patience = TimeSpan(seconds: 5)

    /// Names the cause that the error code states.
    var assessment: Assessment? {
        guard case .error(let code, let request, let handle) = failure.detail, let frame = failure.frames.last else {
            return nil
        }
        let refusal = session.security.errors.all.first { $0.frames.last == frame }
        let wasOpen = session.security.closing == nil && session.security.end - frame.time < Self.patience
        let isSure = session.connection.lastGap <= frame.frame && !wasOpen && !(refusal?.isAmbiguous ?? false)
        var text =
            "the server refused \(request.name ?? "the request") of handle \(handle) in frame \(frame.frame) with "
            + "\(code.name ?? "an error")"
        if let refusal {
            text += refusal.wasEncrypted ? " on an encrypted connection" : " on a connection without encryption"
            if refusal.count > 1 { text += ", \(refusal.count) times" }
        }
        if let after = after(frame, refusal) { text += "; " + after }
        return .found(isSure ? .certain : .likely, frames: failure.frames, text: text)
    }

    /// What was done about the refusal; nil if it came in spite of the encryption.
    private func after(_ frame: FrameReference, _ refusal: SecurityErrors.Refusal?) -> String? {
        let security = session.security
        let didPair = security.pairings.contains { $0.first > frame }
        let didEncrypt = security.encryptions.contains { $0.first > frame }
        if didPair { return "a pairing after it did not help" }
        if didEncrypt { return "the start of encryption after it did not help" }
        return refusal?.wasEncrypted == true ? nil : "no pairing and no encryption followed"
    }
}

/// The server wants a key of an authenticated pairing.
enum InsufficientAuthentication: Cause {
    static let info = CauseInfo(
        "insufficient_authentication",
        "The server demands pairing, or pairing with MITM protection, for the attribute.",
        explains: [.procedureFailed, .subscriptionFailed, .discoveryFailed],
        evidence: """
            Certain: the request was refused with Insufficient Authentication (0x05) and never succeeded on the \
            connection. Likely: a part of the connection after it is missing, or the capture ends right after it.
            """,
        against: "The request succeeded after pairing or encryption, or was refused for another reason.",
        advice: """
            Let the client pair when it receives the error, or before it uses the attribute. If the connection was \
            encrypted, the pairing was Just Works: use a method with MITM protection, or lower the permission of the \
            attribute.
            """,
        source: "Vol 3, Part C, 10.3.1")

    static func assess(_ failure: Failure, in session: Session) -> Assessment? {
        guard case .error(.insufficientAuthentication, _, _) = failure.detail else { return nil }
        return RefusedRequest(failure, in: session).assessment
    }
}

/// The server's application or user does not permit the access.
enum InsufficientAuthorization: Cause {
    static let info = CauseInfo(
        "insufficient_authorization", "The server does not authorize the client to use the attribute.",
        explains: [.procedureFailed, .subscriptionFailed, .discoveryFailed],
        evidence: """
            Certain: the request was refused with Insufficient Authorization (0x08) and never succeeded on the \
            connection. Likely: a part of the connection after it is missing, or the capture ends right after it.
            """,
        against: "The request succeeded later, or was refused for another reason.",
        advice: """
            Authorize the client on the server: its application decides this for each device, whatever the encryption \
            is. Pairing again does not help.
            """,
        source: "Vol 3, Part C, 10.5")

    static func assess(_ failure: Failure, in session: Session) -> Assessment? {
        guard case .error(.insufficientAuthorization, _, _) = failure.detail else { return nil }
        return RefusedRequest(failure, in: session).assessment
    }
}

/// The server wants an encrypted connection.
enum InsufficientEncryption: Cause {
    static let info = CauseInfo(
        "insufficient_encryption", "The server demands an encrypted connection for the attribute.",
        explains: [.procedureFailed, .subscriptionFailed, .discoveryFailed],
        evidence: """
            Certain: the request was refused with Insufficient Encryption (0x0F) and never succeeded on the \
            connection. Likely: a part of the connection after it is missing, or the capture ends right after it.
            """,
        against: "The request succeeded after encryption, or was refused for another reason.",
        advice: """
            Let the client start encryption with the key of the bond when it receives the error, or before it uses the \
            attribute. Without a key it must pair.
            """,
        source: "Vol 3, Part C, 10.3.1")

    static func assess(_ failure: Failure, in session: Session) -> Assessment? {
        guard case .error(.insufficientEncryption, _, _) = failure.detail else { return nil }
        return RefusedRequest(failure, in: session).assessment
    }
}
