import Bluetooth
import Bytes
import PluginKit

/// The connection parameters did not suit the other side.
enum UnacceptableParameters: Cause {
    static let info = CauseInfo(
        "unacceptable_parameters", "One side did not accept the connection parameters.",
        explains: [.disconnected, .notConnected, .commandFailed, .procedureFailed],
        evidence: """
            Certain: the connection or an update of its parameters ended with 0x3B, Unacceptable Connection Parameters, \
            the host gave this reason to Disconnect, or a request for other parameters was rejected and they never \
            changed afterwards.
            """,
        against: "Another reason or status; parameters that changed after the rejection.",
        advice: """
            Ask for parameters that the other side accepts: an interval that its vendor's guidelines allow, a latency \
            of 30 at most, a timeout of more than three times (1 + latency) × interval. If they are rejected, go on \
            with those in force.
            """, source: "Vol 1, Part F, 2.58 and Vol 3, Part A, 4.21")

    private static let code = HCI.ErrorCode.unacceptableConnectionParameters

    static func assess(_ failure: Failure, in session: Session) -> Assessment? {
        if failure.kind == .procedureFailed { return rejected(failure, in: session) }
        if failure.reason == code || failure.status == code {
            let subject = failure.kind == .commandFailed ? "the update of the parameters" : "the connection"
            return .found(
                .certain, frames: failure.frames,
                text: "\(subject) ended in frame \(failure.frame.frame) with \(code.text)")
        }
        if failure.reason == .connectionTerminatedByLocalHost, let command = session.link.disconnect(session),
            command.reason == code
        {
            return .found(
                .certain, frames: failure.frames + [command.frame],
                text: "\(session.host) sent Disconnect in frame \(command.frame.frame) with reason \(code.text)")
        }
        return failure.kind == .disconnected ? EndReason.excluded(failure, in: session) : nil
    }

    private static func rejected(_ failure: Failure, in session: Session) -> Assessment? {
        guard let request = session.link.parameters.rejected, let rejection = request.rejection,
            rejection.frame == failure.frame
        else { return nil }
        let reason = rejection.error.map { " with " + HCI.ErrorCode(rawValue: $0.rawValue).text } ?? ""
        return .found(
            session.connection.isGapless ? .certain : .likely, frames: failure.frames,
            text: "the request in frame \(request.frame.frame) for \(request.text) was rejected in frame "
                + "\(rejection.frame.frame)\(reason)")
    }
}

/// A controller had no room for a further connection or entry.
enum ControllerLimit: Cause {
    static let info = CauseInfo(
        "controller_limit", "A limit of the controller was reached.",
        explains: [.notConnected, .disconnected, .commandFailed],
        evidence: """
            Certain: a status or a reason names the limit: 0x07 Memory Capacity Exceeded, 0x09 Connection Limit \
            Exceeded, 0x0A Synchronous Connection Limit Exceeded, 0x0D Connection Rejected due to Limited Resources, \
            0x43 Limit Reached.
            """,
        against: "Another status or reason.",
        advice: """
            Close connections, advertising sets or list entries that are not needed, or raise the limit in the \
            controller's configuration.
            """, source: "Vol 1, Part F, 2.7, 2.9 and 2.13")

    static let codes: Set<HCI.ErrorCode> = Set([0x07, 0x09, 0x0A, 0x0D, 0x43].map { HCI.ErrorCode(rawValue: $0) })

    static func assess(_ failure: Failure, in session: Session) -> Assessment? {
        guard let code = failure.reason ?? failure.status else { return nil }
        guard codes.contains(code) else {
            return failure.kind == .disconnected
                ? nil : .excluded("the status in frame \(failure.frame.frame) is \(code.text)")
        }
        return .found(
            .certain, frames: failure.frames,
            text: "the controller reached a limit, as \(code.text) in frame \(failure.frame.frame) states")
    }
}

/// A controller refused a command.
enum CommandRefused: Cause {
    static let info = CauseInfo(
        "command_refused", "The controller refused a command of its host.",
        explains: [.commandFailed, .notConnected],
        evidence: """
            Certain: Command Status or Command Complete has an error that concerns the command itself, such as 0x0C \
            Command Disallowed or 0x12 Invalid HCI Command Parameters, and the host did not repeat it with success. \
            Likely: another error.
            """,
        against: "The command was accepted, and what it started failed later; the error names another cause.",
        advice: """
            Look up the command's description: its conditions and the range of its parameters. 0x0C often means that \
            advertising, scanning or connecting must be stopped first.
            """, source: "Vol 4, Part E, 4.5 and Vol 1, Part F, 2.12")

    private static let ofCommands: Set<HCI.ErrorCode> = Set(
        [0x01, 0x03, 0x0B, 0x0C, 0x11, 0x12, 0x1E, 0x20, 0x21, 0x30, 0x3A, 0x42, 0x45, 0x46, 0x47].map {
            HCI.ErrorCode(rawValue: $0)
        })

    static func assess(_ failure: Failure, in session: Session) -> Assessment? {
        guard case .status(let status, let command?) = failure.detail else { return nil }
        if failure.kind == .notConnected {
            guard let attempt = session.capture.advertising.attempts.attempt(of: failure), attempt.isRefused else {
                return .excluded("the controller accepted the command")
            }
        }
        let other = ControllerLimit.codes.union([.unacceptableConnectionParameters])
        if other.contains(status) { return .excluded("the status \(status.text) names another cause") }
        let name = command.name ?? "the command"
        return .found(
            ofCommands.contains(status) ? .certain : .likely, frames: failure.frames,
            text: "the controller refused \(name) in frame \(failure.frames[0].frame) with \(status.text) in frame "
                + "\(failure.frame.frame)")
    }
}
