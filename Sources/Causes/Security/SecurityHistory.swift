import Bluetooth
import Bytes
import Captures
import Conversation
import PluginKit
import Profile

/// Pairing and encryption of a connection, for the causes of their failures.
package final class SecurityHistory {
    /// Pairings, in order.
    private(set) var pairings: [PairingAttempt] = []
    /// Starts of encryption, in order.
    private(set) var encryptions: [EncryptionAttempt] = []
    private(set) var errors = SecurityErrors()
    /// The last sign of the bond: whether both devices have shown that they have a key, or that one has none.
    private(set) var bondChange: (isBonded: Bool, frame: FrameReference)?
    /// The frame that closed the connection, and the reason; nil while it is open, or where it was not captured.
    private(set) var closing: (frame: FrameReference, reason: HCI.ErrorCode?)?
    /// The last ATT PDU that used the connection without a security error.
    private(set) var lastUse: FrameReference?
    /// The last time at which the sides could communicate.
    private(set) var end = Timestamp.earliest

    /// Pairings and starts of encryption that are kept: beyond it, the oldest is dropped.
    private static let limit = 32
    /// The Security Manager timeout (Vol 3, Part H, 3.4).
    static let timeout = TimeSpan(seconds: 30)

    /// Whether a pairing is in progress.
    package var isPairing: Bool { pairings.last.map { $0.isOpen && !$0.isOnlyRequested } ?? false }

    func handle(_ event: Event, on session: Session) {
        guard session.connection.number > 0 else { return }
        switch event.content {
        case .smp(let opcode): handle(opcode, event)
        case .att(let att): handle(att, event)
        case .command(let opcode): handle(opcode, event)
        case .event(let code, let subevent): handle(code, subevent, event, session)
        case .control(let opcode): handle(opcode, event)
        case .encryption(isOn: true): encryptionBegan(event)
        // Ciphertext, without a captured start of encryption.
        case .gap(let gap) where gap.reason == .encrypted: encryptionBegan(event)
        case .closed(let closing):
            if case .reason(let reason) = closing.cause {
                self.closing = (event.moment, HCI.ErrorCode(rawValue: reason))
            } else {
                self.closing = (event.moment, nil)
            }
        default: break
        }
    }

    /// Settles the pairings, starts of encryption and refusals that did not end well.
    func finish(_ session: Session, at time: Timestamp) {
        guard session.connection.number > 0 else { return }
        end = time
        for place in pairings.indices where pairings[place].isOpen {
            pairings[place].hasGap = session.connection.lastGap >= pairings[place].first.frame
        }
        let failures = SecurityFailures(self, on: session)
        for failure in failures.all { session.add(failure) }
    }
}

// MARK: - Pairing

extension SecurityHistory {
    private func handle(_ opcode: SMP.Opcode, _ event: Event) {
        let isKey = SMP.Opcode.distributesKey(opcode)
        guard let place = pairings.indices.last, pairings[place].isOpen else {
            // Keys follow the pairing; a second Pairing Failed crosses the first.
            let isAfterwards = isKey || opcode == .pairingFailed && !pairings.isEmpty
            if !isAfterwards { begin(PairingAttempt(event, opcode), opcode, event) }
            return
        }
        // The peripheral may ask again while the central pairs.
        if opcode == .securityRequest, !pairings[place].isOnlyRequested { return }
        let isNew = opcode == .pairingRequest && !pairings[place].isOnlyRequested
        if isNew {
            pairings[place].replace()
            return begin(PairingAttempt(event, opcode), opcode, event)
        }
        if isKey, pairings[place].isAuthenticated { return succeed(place, event) }
        noteGap(place, event)
        pairings[place].record(opcode, event)
    }

    private func begin(_ pairing: PairingAttempt, _ opcode: SMP.Opcode, _ event: Event) {
        if pairings.count >= Self.limit { pairings.removeFirst() }
        pairings.append(pairing)
        noteGap(pairings.count - 1, event)
        pairings[pairings.count - 1].record(opcode, event)
    }

    private func noteGap(_ place: Int, _ event: Event) {
        if event.connection.lastGap >= pairings[place].first.frame { pairings[place].hasGap = true }
    }

    private func succeed(_ place: Int, _ event: Event) {
        noteGap(place, event)
        if pairings[place].isBonding || pairings[place].isOnlyRequested { bondChange = (true, event.moment) }
        pairings[place].succeed(at: event.moment)
    }

    /// Whether the key with which encryption starts comes from a pairing on this connection.
    private var hasFreshKey: Bool {
        pairings.contains { pairing in
            if case .encrypted = pairing.outcome { return !pairing.isOnlyRequested }
            return pairing.isOpen && pairing.isAuthenticated
        }
    }
}

// MARK: - Encryption

extension SecurityHistory {
    private func start(_ origin: EncryptionAttempt.Origin, _ event: Event) {
        if let last = encryptions.indices.last, encryptions[last].isOpen { encryptions[last].outcome = .dropped }
        if encryptions.count >= Self.limit { encryptions.removeFirst() }
        encryptions.append(EncryptionAttempt(origin, at: event.moment, isFresh: hasFreshKey))
    }

    /// Ends the open start of encryption, or one whose beginning was not captured.
    private func endEncryption(_ outcome: EncryptionAttempt.Outcome, _ event: Event) {
        if encryptions.last?.isOpen != true { start(.unknown, event) }
        let last = encryptions.count - 1
        encryptions[last].outcome = outcome
        encryptions[last].hasGap = event.connection.lastGap >= encryptions[last].first.frame
        if encryptions[last].failure?.code == .pinOrKeyMissing, !encryptions[last].isFresh {
            bondChange = (false, event.moment)
        }
    }

    private func encryptionBegan(_ event: Event) {
        if let last = encryptions.indices.last, encryptions[last].isOpen {
            encryptions[last].outcome = .started(event.moment)
        }
        if let place = pairings.indices.last, pairings[place].isOpen {
            noteGap(place, event)
            let pairing = pairings[place]
            if pairing.isOnlyRequested || pairing.isAuthenticated || pairing.hasGap || !pairing.isBeginningCaptured {
                succeed(place, event)
            }
        } else if !hasFreshKey {
            bondChange = (true, event.moment)
        }
        errors.recordEncryption(at: event.moment)
    }

    private func handle(_ opcode: HCI.Opcode, _ event: Event) {
        switch opcode {
        case .leEnableEncryption: start(.command, event)
        case .leLongTermKeyRequestReply:
            if let last = encryptions.indices.last, encryptions[last].isOpen {
                encryptions[last].provided = event.moment
            }
        case .leLongTermKeyRequestNegativeReply: endEncryption(.denied(event.moment), event)
        default: break
        }
    }

    private func handle(_ code: HCI.EventCode, _ subevent: HCI.LESubevent?, _ event: Event, _ session: Session) {
        let bytes = event.bytes
        guard let first = bytes.u8(0) else { return }
        let status = HCI.ErrorCode(rawValue: first)
        switch code {
        case .leMeta where subevent == .longTermKeyRequest: start(.keyRequest, event)
        case .encryptionChange, .encryptionChangeV2:
            if status != .success { return fail(status, event) }
            if bytes.u8(3) ?? 0 != 0 { encryptionBegan(event) }
        case .encryptionKeyRefreshComplete:
            if status == .success { encryptionBegan(event) } else { fail(status, event) }
        case .authenticationComplete where status != .success:
            start(.unknown, event)
            let peer = event.frame.view.batch.devices[session.connection.receiver]?.address?.address
            let reply = peer.flatMap { session.capture.linkKeys.lastReply(to: $0) }
            if case .refused(let frame)? = reply, frame > session.connection.opened {
                encryptions[encryptions.count - 1].refusedLinkKey = frame
            } else if case .provided(let frame)? = reply, frame > session.connection.opened {
                encryptions[encryptions.count - 1].provided = frame
            }
            fail(status, event)
        default: break
        }
    }

    /// Ends the open start of encryption with an error, unless that is the end of the connection.
    private func fail(_ status: HCI.ErrorCode, _ event: Event) {
        if case .denied? = encryptions.last?.outcome { return }
        if status.isAboutConnection {
            if let last = encryptions.indices.last, encryptions[last].isOpen { encryptions[last].outcome = .dropped }
        } else {
            endEncryption(.failed(status, event.moment), event)
        }
    }

    private func handle(_ opcode: LL.ControlOpcode, _ event: Event) {
        switch opcode {
        case .encReq: start(.linkLayer, event)
        case .startEncReq, .startEncRsp: encryptionBegan(event)
        case .rejectInd:
            guard let reject = event.control(LL.RejectInd.self) else { return }
            refuse(reject.errorCode, event)
        case .rejectExtInd:
            guard let reject = event.control(LL.RejectExtInd.self), reject.rejectOpcode == .encReq else { return }
            refuse(reject.errorCode, event)
        case .unknownRsp:
            guard event.bytes.u8(1) == LL.ControlOpcode.encReq.rawValue else { return }
            refuse(ControllerError(rawValue: HCI.ErrorCode.unsupportedRemoteFeature.rawValue), event)
        default: break
        }
    }

    private func refuse(_ error: ControllerError, _ event: Event) {
        guard encryptions.last?.isOpen == true, let last = encryptions.last, last.origin == .linkLayer else { return }
        endEncryption(
            .rejected(HCI.ErrorCode(rawValue: error.rawValue), event.moment, by: SecuritySide(event)), event)
    }
}

// MARK: - Use

extension SecurityHistory {
    private func handle(_ att: ATTTraffic, _ event: Event) {
        switch att.kind {
        case .response: errors.record(event, att)
        case .notification, .indication: break
        default: return
        }
        if att.opcode != .errorResponse { lastUse = event.moment }
    }
}

extension SMP.Opcode {
    /// Whether the command distributes a key after the pairing (Vol 3, Part H, 3.6).
    fileprivate static func distributesKey(_ opcode: Self) -> Bool {
        switch opcode {
        case .encryptionInformation, .centralIdentification, .identityInformation, .identityAddressInformation,
            .signingInformation:
            true
        default: false
        }
    }
}

extension HCI.EventCode {
    fileprivate static let authenticationComplete = Self(rawValue: 0x06)
}

extension HCI.ErrorCode {
    /// Whether the error states that the connection ended.
    fileprivate var isAboutConnection: Bool {
        switch self {
        case .unknownConnectionIdentifier, .connectionTimeout, .remoteUserTerminatedConnection,
            .remoteDeviceLowResources, .remoteDevicePowerOff, .connectionTerminatedByLocalHost, .instantPassed,
            .micFailure, .connectionFailedToBeEstablished:
            true
        default: false
        }
    }
}
