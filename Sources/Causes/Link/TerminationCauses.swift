import Bluetooth
import Bytes
import PluginKit

/// The remote user ended the connection before its work was done.
enum RemoteUserTerminated: Cause {
    static let info = CauseInfo(
        "remote_user_terminated", "The other side ended the connection while something was left to do.",
        explains: [.disconnected],
        evidence: """
            Certain: the connection ended with reason 0x13, Remote User Terminated Connection, or LL_TERMINATE_IND has \
            it, while a request was unanswered, or a pairing or a write of several parts was not complete. Likely: it \
            ended during the discovery of services, which a client may stop, or soon after the connection was opened, \
            before the hosts exchanged any data.
            """,
        against: "Another reason; a failure before it, from which the end follows.",
        advice: """
            Find out why the other side disconnects: look at its application's log at this time, and at the last \
            exchange before it.
            """, source: "Vol 1, Part F, 2.19")

    static func assess(_ failure: Failure, in session: Session) -> Assessment? {
        guard failure.reason == .remoteUserTerminatedConnection else {
            return EndReason.excluded(failure, in: session)
        }
        let side = session.link.isOnAir ? session.terminator : session.peer
        let rest = session.link.left.map { " " + $0.text } ?? ""
        return .found(
            session.link.left?.isEvident ?? false ? .certain : .likely, frames: failure.frames,
            text: "\(side) ended the connection in frame \(failure.frame.frame) with reason "
                + "\(HCI.ErrorCode.remoteUserTerminatedConnection.text)\(rest)")
    }
}

/// The captured host ended the connection before its work was done.
enum LocalHostTerminated: Cause {
    static let info = CauseInfo(
        "local_host_terminated", "The captured host ended the connection while something was left to do.",
        explains: [.disconnected],
        evidence: """
            Certain: the connection ended with reason 0x16, Connection Terminated By Local Host, after the host's \
            Disconnect, while a request was unanswered, or a pairing or a write of several parts was not complete, or \
            because the host states a fault as the reason. Likely: its Disconnect was not captured, the discovery of \
            services was not complete, or the hosts had not exchanged any data.
            """,
        against: "Another reason; a failure before it, from which the end follows.",
        advice: """
            Find out why this host disconnects: a time-out of its application, a cancelled operation, or a second user \
            of the connection. Wait for open procedures before Disconnect.
            """, source: "Vol 1, Part F, 2.22")

    static func assess(_ failure: Failure, in session: Session) -> Assessment? {
        guard failure.reason == .connectionTerminatedByLocalHost else {
            return EndReason.excluded(failure, in: session)
        }
        let rest = session.link.left.map { " " + $0.text } ?? ""
        guard let command = session.link.disconnect(session) else {
            return .found(
                .likely, frames: failure.frames,
                text: "\(session.host) ended the connection\(rest), as reason "
                    + "\(HCI.ErrorCode.connectionTerminatedByLocalHost.text) in frame \(failure.frame.frame) states")
        }
        let isEvident = session.link.left?.isEvident ?? true
        return .found(
            isEvident ? .certain : .likely, frames: failure.frames + [command.frame],
            text: "\(session.host) sent Disconnect in frame \(command.frame.frame) with reason "
                + "\(command.reason.text)\(rest)")
    }
}

/// The remote device lacked resources.
enum RemoteLowResources: Cause {
    static let info = CauseInfo(
        "remote_low_resources", "The other side ended the connection because it ran out of resources.",
        explains: [.disconnected],
        evidence: """
            Certain: the connection ended with reason 0x14, Remote Device Terminated Connection due to Low Resources, \
            or LL_TERMINATE_IND has it.
            """,
        against: "Another reason.",
        advice: """
            Free memory or connections of the other device: close its other connections, or lower their number, their \
            ATT_MTU and their buffers.
            """, source: "Vol 1, Part F, 2.20")

    static func assess(_ failure: Failure, in session: Session) -> Assessment? {
        EndReason.assess(.remoteDeviceLowResources, failure, in: session) { place in
            let side = session.link.isOnAir ? session.terminator : session.peer
            return "\(side) ended the connection in \(place) for want of resources"
        }
    }
}

/// The remote device was switched off.
enum RemotePowerOff: Cause {
    static let info = CauseInfo(
        "remote_power_off", "The other side was switched off.", explains: [.disconnected],
        evidence: """
            Certain: the connection ended with reason 0x15, Remote Device Terminated Connection due to Power Off, or \
            LL_TERMINATE_IND has it. Possible: on the air, the peripheral fell silent and did not advertise again.
            """,
        against: "Another reason: a device that loses its power cannot report it; the peripheral was heard again.",
        advice: "Check the other device's battery and what switches it off.", source: "Vol 1, Part F, 2.21")

    static func assess(_ failure: Failure, in session: Session) -> Assessment? {
        if let silence = session.link.silence, failure.reason == nil {
            guard silence.kind == .vanished else { return nil }
            if let advertised = silence.advertised {
                return .excluded("the peripheral advertised again in frame \(advertised.frame)")
            }
            return .found(
                .possible, frames: failure.frames,
                text: "the peripheral fell silent after frame \(silence.lastOfPeripheral?.frame ?? silence.last.frame)")
        }
        return EndReason.assess(.remoteDevicePowerOff, failure, in: session) { place in
            let side = session.link.isOnAir ? session.terminator : session.peer
            return "\(side) reported in \(place) that it is being switched off"
        }
    }
}
