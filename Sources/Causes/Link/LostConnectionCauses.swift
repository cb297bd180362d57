import Bluetooth
import Bytes
import PluginKit

/// The peer was not heard for the supervision timeout.
enum SupervisionTimeout: Cause {
    static let info = CauseInfo(
        "supervision_timeout", "Nothing was received from the other side for the supervision timeout.",
        explains: [.disconnected],
        evidence: """
            Certain: the connection ended with reason 0x08, Connection Timeout; or on the air, in a capture without \
            gaps, the central went on alone for the supervision timeout. Likely: on the air, packets of the \
            connection are missing, or both sides fell silent for longer than the timeout.
            """,
        against: "Another reason; LL_TERMINATE_IND on the air; the peripheral advertised before the timeout was over.",
        advice: """
            Check distance, interference and the power supply of the device that fell silent. Compare the timeout with \
            (1 + latency) × interval: it should allow six events or more. Look for code that blocks the device's radio.
            """, source: "Vol 6, Part B, 4.5.2")

    static func assess(_ failure: Failure, in session: Session) -> Assessment? {
        if failure.reason == .connectionTimeout { return reported(failure, in: session) }
        guard failure.reason == nil, let silence = session.link.silence, silence.kind == .vanished else {
            return EndReason.excluded(failure, in: session)
        }
        let timeout = silence.timeout.secondsText
        var frames = failure.frames
        if silence.hasTimedOut, let heard = silence.lastOfPeripheral {
            return .found(
                session.connection.isComplete && silence.overdue == nil ? .certain : .likely, frames: frames,
                text: "the peripheral was last heard in frame \(heard.frame); the central went on alone for "
                    + "\(silence.centralAlone.secondsText), until frame \(silence.last.frame); the supervision timeout "
                    + "is \(timeout)")
        }
        var text = "neither side was heard after frame \(silence.last.frame), for \(silence.lasted.secondsText)"
        if let advertised = silence.advertised {
            frames.append(advertised)
            let pause = advertised.seconds(since: silence.last).secondsText
            text =
                "neither side was heard after frame \(silence.last.frame), until the peripheral advertised in frame "
                + "\(advertised.frame), \(pause) later"
        }
        return .found(.likely, frames: frames, text: text + "; the supervision timeout is \(timeout)")
    }

    private static func reported(_ failure: Failure, in session: Session) -> Assessment {
        var text = "the connection ended in frame \(failure.frame.frame), as nothing was received"
        if let timeout = session.connection.parameters?.timeout {
            text += " for the supervision timeout, \((Double(timeout) / 100).secondsText)"
        }
        if let last = session.link.lastReceived {
            text += "; the last data of \(session.peer) is in frame \(last.frame), "
            text += "\(failure.frame.seconds(since: last).secondsText) before"
        }
        return .found(.certain, frames: failure.frames, text: text)
    }
}

/// The peripheral did not answer on the new connection.
enum ConnectionNotEstablished: Cause {
    static let info = CauseInfo(
        "connection_not_established", "The other side did not send on the new connection.",
        explains: [.notConnected],
        evidence: """
            Certain: the attempt or the new connection ended with 0x3E, Connection Failed to be Established; or on the \
            air, in a capture without gaps, the central sent on the connection six times and the peripheral never did. \
            Likely: on the air, fewer packets were heard, or the peripheral goes on advertising after CONNECT_IND.
            """,
        against: "Another reason or status; a packet of the peripheral on the connection.",
        advice: """
            Try again: a single CONNECT_IND may be lost. If it repeats, check signal strength, the peripheral's clock \
            accuracy and channel map, and whether it accepts this central.
            """, source: "Vol 6, Part B, 4.5 and Vol 1, Part F, 2.61")

    static func assess(_ failure: Failure, in session: Session) -> Assessment? {
        if let code = failure.reason ?? failure.status {
            guard code == .connectionFailedToBeEstablished else {
                return .excluded("the controller states \(code.text) in frame \(failure.frame.frame)")
            }
            return .found(
                .certain, frames: failure.frames,
                text: "the controller connected and received no packet of the other side, as \(code.text) in frame "
                    + "\(failure.frame.frame) states")
        }
        guard let silence = session.link.silence, silence.kind == .neverAnswered else { return nil }
        if case .found = DirectedElsewhere.assess(failure, in: session) {
            return .excluded("the peripheral advertised to another device, and so ignores CONNECT_IND")
        }
        let isCertain = session.connection.isComplete && Double(silence.countOfCentral) >= AirSilence.attempts
        let count = silence.countOfCentral
        var text = "the peripheral did not answer CONNECT_IND in frame \(session.connection.opened.frame)"
        if count > 0 { text += "; the central sent \(count) packet\(count == 1 ? "" : "s")" }
        var frames = failure.frames
        if let advertised = silence.advertised {
            text += "; the peripheral advertised again in frame \(advertised.frame)"
            frames.append(advertised)
        }
        return .found(isCertain ? .certain : .likely, frames: frames, text: text)
    }
}

/// A packet failed its integrity check.
enum MICFailure: Cause {
    static let info = CauseInfo(
        "mic_failure", "An encrypted packet failed its integrity check.", explains: [.disconnected, .encryptionFailed],
        evidence: """
            Certain: the connection ended with reason 0x3D, Connection Terminated due to MIC Failure; or on the air, a \
            sniffer with the key marked a packet as failing its check, and it was not acknowledged until the connection \
            fell silent. Possible: on the air, the connection fell silent within a second after its encryption was \
            started.
            """,
        against: "Another reason; the connection was not encrypted; encrypted packets were answered before.",
        advice: """
            Compare the keys of both sides: remove the bond on both and pair again. If it happens in the middle of a \
            connection, suspect a defect in a controller's packet counter.
            """, source: "Vol 6, Part B, 5.1.3.1 and Vol 1, Part F, 2.60")

    static func assess(_ failure: Failure, in session: Session) -> Assessment? {
        if failure.reason == .micFailure || failure.status == .micFailure {
            return .found(
                .certain, frames: failure.frames,
                text: "the integrity check of an encrypted packet failed, as \(HCI.ErrorCode.micFailure.text) in frame "
                    + "\(failure.frame.frame) states")
        }
        guard failure.kind == .disconnected else { return nil }
        guard failure.reason == nil, let silence = session.link.silence else {
            return EndReason.excluded(failure, in: session)
        }
        if let failed = silence.failed {
            return .found(
                .certain, frames: [failed] + failure.frames,
                text: "the packet in frame \(failed.frame) failed its integrity check and was not acknowledged; its "
                    + "receiver fell silent")
        }
        guard let encrypted = session.link.encrypted else { return .excluded("the connection was not encrypted") }
        let last = silence.lastOfPeripheral ?? silence.last
        guard last.seconds(since: encrypted) < 1 else {
            return .excluded("encrypted packets were exchanged from frame \(encrypted.frame) to frame \(last.frame)")
        }
        return .found(
            .possible, frames: [encrypted] + failure.frames,
            text: "the connection fell silent after its encryption was started in frame \(encrypted.frame)")
    }
}

/// An instant had passed when the peripheral received it.
enum InstantPassed: Cause {
    static let info = CauseInfo(
        "instant_passed", "A change was to take effect at a connection event that had passed.",
        explains: [.disconnected],
        evidence: """
            Certain: the connection ended with reason 0x28, Instant Passed. Likely: on the air, the last change of \
            parameters, channels or PHYs before the silence has an instant that is three connection events or more in \
            the past, or the peripheral fell silent with it and the central repeated it beyond its instant.
            """,
        against: "Another reason; no change with an instant before the end, or one whose instant was still to come.",
        advice: """
            Let the central set the instant six events or more ahead, plus the peripheral's latency, and have it \
            retransmit in time. Report the fault to the vendor of the central's controller.
            """, source: "Vol 6, Part B, 5.5 and Vol 1, Part F, 2.40")

    static func assess(_ failure: Failure, in session: Session) -> Assessment? {
        if failure.reason == .instantPassed {
            let change = session.link.instants.last.map {
                " after \($0.opcode.name ?? "a change") in frame \($0.frame.frame)"
            }
            return .found(
                .certain, frames: failure.frames + (session.link.instants.last.map { [$0.frame] } ?? []),
                text: "the connection ended in frame \(failure.frame.frame) with reason "
                    + "\(HCI.ErrorCode.instantPassed.text)\(change ?? "")")
        }
        guard failure.reason == nil, let silence = session.link.silence else {
            return EndReason.excluded(failure, in: session)
        }
        guard let change = session.link.instants.last else { return nil }
        if let overdue = silence.overdue {
            return .found(
                .likely, frames: [overdue.frame] + failure.frames,
                text: "\(overdue.opcode.name ?? "the change") in frame \(overdue.frame.frame) has instant "
                    + "\(overdue.instant) and was repeated beyond it without an acknowledgement")
        }
        let name = change.opcode.name ?? "the change"
        let heard = silence.lastOfPeripheral ?? silence.last
        guard change.lateness > change.tolerance, heard.seconds(since: change.frame) < silence.timeout else {
            return .excluded("\(name) in frame \(change.frame.frame) had an instant that was still to come")
        }
        return .found(
            .likely, frames: [change.frame] + failure.frames,
            text: "\(name) in frame \(change.frame.frame) has instant \(change.instant) in connection event "
                + "\(change.event), \(change.lateness) events too late; the peripheral fell silent")
    }
}
