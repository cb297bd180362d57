import Bluetooth
import Bytes
import Captures
import Conversation
import PluginKit

/// How a connection was set up, kept and ended, for the causes of lost and refused connections.
package final class LinkHistory {
    /// The log or the medium that shows the connection.
    enum View: Hashable {
        /// The log of a host: its adapter and the connection handle.
        case host(adapter: UInt16, ConnectionHandle)
        case air
    }

    /// Nil before the first event of the connection, and where the handle is not known.
    private(set) var view: View?
    /// The addresses of the central and of the peripheral on the air; of the peer in a host's log.
    private(set) var central: DeviceAddress?
    private(set) var peripheral: DeviceAddress?
    /// What was known of the peripheral's advertising when the connection began.
    private(set) var advertiser: AdvertiserHistory?
    /// The frame that ended the connection, and the reason in it; nil while it is open, and where none was captured.
    private(set) var end: (frame: FrameReference, reason: HCI.ErrorCode)?
    /// On the air: the side that sent LL_TERMINATE_IND.
    private(set) var terminator = FrameReference.Sender.unknown
    /// The last PDU that each side sent, empty ones excepted.
    private(set) var lastPDU: [FrameReference.Sender: FrameReference] = [:]
    /// In a host's log: the last PDU that the peer sent.
    private(set) var lastReceived: FrameReference?
    /// The last start of encryption.
    private(set) var encrypted: FrameReference?
    /// On the air: the silence with which the connection ended, without LL_TERMINATE_IND.
    private(set) var silence: AirSilence?
    /// The work that was not done when the connection ended.
    private(set) var left: UnfinishedWork.Item?
    private(set) var parameters = ParameterHistory()
    private(set) var instants = InstantHistory()
    private(set) var credits = CreditHistory()
    private var work = UnfinishedWork()

    func handle(_ event: Event, on session: Session) {
        guard session.connection.number > 0 else { return }
        switch event.content {
        case .opened: open(event, session)
        case .closed(let closing):
            if case .reason(let reason) = closing.cause { end = (event.moment, HCI.ErrorCode(rawValue: reason)) }
        case .encryption(let isOn): if isOn { encrypted = event.moment }
        case .att, .smp, .signal, .channel, .control: record(event)
        default: break
        }
        work.handle(event)
        parameters.handle(event)
        instants.handle(event, opened: session.connection.opened)
        credits.handle(event)
    }

    private func open(_ event: Event, _ session: Session) {
        let batch = event.frame.view.batch
        switch batch.connections[event.frame.metadata.connection]?.key {
        case .handle(let adapter, let handle): view = .host(adapter: adapter, handle)
        case .accessAddress: view = .air
        case nil: if event.frame.metadata.hci == nil { view = .air }
        }
        let (sender, receiver) = (session.connection.sender, session.connection.receiver)
        let isSentByCentral = session.connection.central != .received
        central = batch.devices[isSentByCentral ? sender : receiver]?.address
        peripheral = batch.devices[isSentByCentral ? receiver : sender]?.address
        advertiser = peripheral.flatMap { session.capture.advertising.history(of: $0) }
    }

    private func record(_ event: Event) {
        if case .control(.terminateInd) = event.content {
            terminator = event.moment.sender
            return
        }
        lastPDU[event.moment.sender] = event.moment
        if event.direction == .received { lastReceived = event.moment }
    }
}

// MARK: - The end

extension LinkHistory {
    /// Whether a sniffer captured the connection on the air.
    var isOnAir: Bool { view == .air }

    /// The host's Disconnect that ended the connection; nil if it was not captured.
    func disconnect(_ session: Session) -> CommandHistory.Disconnect? {
        guard case .host(let adapter, let handle) = view else { return nil }
        return session.capture.advertising.commands.disconnect(adapter, handle, after: session.connection.opened)
    }

    /// Adds the failures of a connection that has ended, after those of pairing, encryption and attributes.
    func finish(_ session: Session, at time: Timestamp) {
        let capture = session.capture.advertising
        guard session.connection.number > 0 else { return capture.finish(session) }
        let activity = capture.air.take(session.connection.number)
        parameters.finish(session)
        credits.finish(session, at: time)
        if case .host(let adapter, let handle) = view {
            capture.buffers.finish(session, adapter, handle, at: time)
        }
        if let end {
            finish(session, end.frame, end.reason)
        } else if isOnAir {
            finish(session, activity ?? AirActivity.Link(), at: time)
        }
    }

    private func finish(_ session: Session, _ frame: FrameReference, _ reason: HCI.ErrorCode) {
        switch reason {
        case .remoteUserTerminatedConnection, .connectionTerminatedByLocalHost:
            let isOrderly = disconnect(session).map { Self.orderly.contains($0.reason) } ?? true
            guard session.failures.isEmpty else { return }
            let isSecondView = session.capture.advertising.air.isSecondView(session.connection.number)
            left = isSecondView ? nil : work.item(at: frame, of: session.connection)
            if isOrderly, left == nil { return }
            add(.disconnected, [left?.frame, frame], reason, session)
        case .connectionFailedToBeEstablished:
            add(.notConnected, [session.connection.opened, frame], reason, session)
        case _ where Self.ofSecurity.contains(reason) && session.hasSecurityFailure: return
        case .micFailure where session.failures.contains { $0.frames.last?.frame == frame.frame }: return
        default: add(.disconnected, [lastReceived ?? lastPDU.values.max(), frame], reason, session)
        }
    }

    /// Looks for the end of a connection on the air that no LL_TERMINATE_IND ended.
    private func finish(_ session: Session, _ activity: AirActivity.Link, at time: Timestamp) {
        guard let silence = AirSilence(activity, session, at: time) else { return }
        self.silence = silence
        switch silence.kind {
        case .neverAnswered:
            add(.notConnected, [session.connection.opened, silence.last], nil, session)
        case .vanished:
            add(.disconnected, [silence.lastOfPeripheral, silence.last], nil, session)
        }
    }

    private func add(
        _ kind: Failure.Kind, _ frames: [FrameReference?], _ reason: HCI.ErrorCode?, _ session: Session
    ) {
        let frames = Set(frames.compactMap { $0 }).sorted()
        session.add(Failure(kind, frames, .reason(reason)))
    }

    /// Reasons of a Disconnect that report no fault: 0x13, 0x15 and 0x16.
    private static let orderly: Set<HCI.ErrorCode> = [
        .remoteUserTerminatedConnection, .remoteDevicePowerOff, .connectionTerminatedByLocalHost,
    ]
    /// Reasons that follow from a failure of pairing or encryption: authentication, keys, pairing, security.
    private static let ofSecurity: Set<HCI.ErrorCode> = Set(
        [0x05, 0x06, 0x0E, 0x18, 0x25, 0x26, 0x29, 0x2F].map { HCI.ErrorCode(rawValue: $0) })
}

extension Session {
    /// Whether pairing or encryption failed on the connection.
    fileprivate var hasSecurityFailure: Bool {
        failures.contains { $0.kind == .pairingFailed || $0.kind == .encryptionFailed }
    }
}
