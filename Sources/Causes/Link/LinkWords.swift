import Bluetooth
import Bytes
import Captures
import PluginKit

// Failures and sides of a connection in words.

extension Failure {
    /// The controller's reason for the end of the connection; nil for other failures, and where none was captured.
    var reason: HCI.ErrorCode? { if case .reason(let reason) = detail { reason } else { nil } }

    /// The status with which a command, an attempt to connect or a procedure ended; nil for other failures.
    var status: HCI.ErrorCode? { if case .status(let status, _) = detail { status } else { nil } }

    /// The frame that shows the failure.
    var frame: FrameReference { frames[frames.count - 1] }
}

extension Session {
    /// The remote side, as seen from the captured host.
    var peer: String {
        switch connection.central {
        case .sent: "the peripheral"
        case .received: "the central"
        default: "the peer"
        }
    }

    /// The captured host.
    var host: String {
        switch connection.central {
        case .sent: "the central's host"
        case .received: "the peripheral's host"
        default: "the host"
        }
    }

    /// The side that ended the connection on the air.
    var terminator: String { link.terminator.words }

    /// The frame that ended the connection and its reason, in words; nil where no reason was captured.
    var endText: String? {
        link.end.map { "the connection ended in frame \($0.frame.frame) with reason \($0.reason.text)" }
    }
}

extension FrameReference.Sender {
    var words: String {
        switch self {
        case .central: "the central"
        case .peripheral: "the peripheral"
        case .unknown: "one side"
        }
    }
}

/// Assesses causes that one reason of the controller names: certain if the connection ended with that reason.
enum EndReason {
    static func assess(
        _ reason: HCI.ErrorCode, _ failure: Failure, in session: Session, _ text: (String) -> String
    ) -> Assessment? {
        guard failure.kind == .disconnected || failure.kind == .notConnected else { return nil }
        if failure.reason == reason {
            return .found(.certain, frames: failure.frames, text: text("frame \(failure.frame.frame)"))
        }
        return excluded(failure, in: session)
    }

    /// What speaks against a cause that another reason would name; nil where there is no reason.
    static func excluded(_ failure: Failure, in session: Session) -> Assessment? {
        guard case .reason(.some) = failure.detail else { return nil }
        return session.endText.map { .excluded($0) }
    }
}
