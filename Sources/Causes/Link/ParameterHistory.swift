import Bluetooth
import Bytes
import Conversation
import PluginKit

/// Requests for other connection parameters, and those that the other side rejected.
struct ParameterHistory {
    /// A request, in words, and what became of it.
    struct Request {
        var frame: FrameReference
        var text: String
        /// The frame that rejects it, and the reason on the air.
        var rejection: (frame: FrameReference, error: ControllerError?)?
    }

    /// The last request that was rejected and after which the parameters did not change.
    private(set) var rejected: Request?
    private var pending: Request?

    mutating func handle(_ event: Event) {
        switch event.content {
        case .signal: for signal in event.signals { handle(signal, event.moment) }
        case .parameters: (pending, rejected) = (nil, nil)
        case .control(.connectionParamReq):
            guard let request = event.control(LL.ConnectionParamReq.self)?.parameters else { return }
            pending = Request(
                frame: event.moment,
                text: Self.text(
                    request.intervalMinimum, request.intervalMaximum, request.latency, request.timeout))
        case .control(.connectionUpdateInd): (pending, rejected) = (nil, nil)
        case .control(.rejectExtInd):
            guard let rejection = event.control(LL.RejectExtInd.self), rejection.rejectOpcode == .connectionParamReq
            else { return }
            reject(event.moment, rejection.errorCode)
        default: break
        }
    }

    private mutating func handle(_ signal: L2CAP.Signal, _ frame: FrameReference) {
        switch signal.command {
        case let request as L2CAP.ConnectionParameterUpdateRequest:
            pending = Request(
                frame: frame,
                text: Self.text(
                    request.minimumInterval, request.maximumInterval, request.latency, request.timeout))
        case let response as L2CAP.ConnectionParameterUpdateResponse:
            if response.result == .accepted { (pending, rejected) = (nil, nil) } else { reject(frame, nil) }
        default: break
        }
    }

    private mutating func reject(_ frame: FrameReference, _ error: ControllerError?) {
        guard var request = pending, error.map({ Self.errors.contains($0) }) ?? true else { return }
        request.rejection = (frame, error)
        (pending, rejected) = (nil, request)
    }

    /// Adds the failure of a request that was rejected for good.
    func finish(_ session: Session) {
        guard let rejected, let rejection = rejected.rejection else { return }
        let status = rejection.error.map { HCI.ErrorCode(rawValue: $0.rawValue) }
        session.add(
            Failure(
                .procedureFailed, [rejected.frame, rejection.frame],
                .status(status ?? .unacceptableConnectionParameters, command: nil)))
    }

    /// Reasons that concern the parameters; others are collisions and missing support.
    private static let errors: Set<ControllerError> = [
        .unacceptableConnectionParameters, .unsupportedLinkLayerParameterValue, .invalidLinkLayerParameters,
    ]

    private static func text(_ shortest: UInt16, _ longest: UInt16, _ latency: UInt16, _ timeout: UInt16) -> String {
        "an interval of \(Double(shortest) * 1.25) to \(Double(longest) * 1.25) ms, a latency of \(latency) and a "
            + "timeout of \(Int(timeout) * 10) ms"
    }
}

/// Changes that take effect at an instant, a connection event by its number (Vol 6, Part B, 5.1 and 5.5).
struct InstantHistory {
    /// A control PDU with an instant.
    struct Change {
        var frame: FrameReference
        var opcode: LL.ControlOpcode
        var instant: UInt16
        /// The number of the connection event of the PDU, as far as the times show it, and how exact it is.
        var event: UInt16
        var tolerance: Int
        /// The connection's parameters before the change.
        var parameters: ConnectionParameters

        /// How many connection events the instant was over when the PDU was sent; 0 or less before it.
        var lateness: Int { -Int(Int16(truncatingIfNeeded: Int(instant) - Int(event))) }

        /// Whether the instant is over in a frame after the change.
        func isOverdue(at frame: FrameReference) -> Bool {
            frame.seconds(since: self.frame) > Double(tolerance - lateness) * interval
        }

        /// The time in which the peripheral sends before the change unless it has fallen silent: the last event that it
        /// may skip, and one more, in seconds.
        var answerTime: Double { Double(parameters.latency + 2) * interval }

        /// The connection interval in seconds.
        private var interval: Double { Double(parameters.interval) * 0.00125 }
    }

    private(set) var last: Change?
    /// Whether event numbers follow from the times: since the last change of the interval, they do not.
    private var isCounted = true

    mutating func handle(_ event: Event, opened: FrameReference) {
        guard case .control(let opcode) = event.content else { return }
        let instant: UInt16
        switch opcode {
        case .connectionUpdateInd:
            guard let update = event.control(LL.ConnectionUpdateInd.self) else { return }
            instant = update.instant
        case .channelMapInd:
            guard let update = event.control(LL.ChannelMapInd.self) else { return }
            instant = update.instant
        case .phyUpdateInd:
            guard let update = event.control(LL.PHYUpdateInd.self) else { return }
            instant = update.instant
        default: return
        }
        // The parameters of a connection update replace the old ones after this event; its instant counts by the old.
        guard isCounted, event.connection.isBeginningCaptured, let parameters = event.connection.parameters,
            parameters.interval > 0
        else {
            last = nil
            return
        }
        let elapsed = event.moment.seconds(since: opened) / (Double(parameters.interval) * 0.00125)
        guard elapsed >= 0, elapsed < 1e9 else { return }
        last = Change(
            frame: event.moment, opcode: opcode, instant: instant, event: UInt16(truncatingIfNeeded: Int(elapsed)),
            // The clocks of the central and of the sniffer may be off by 500 ppm each.
            tolerance: 2 + Int(elapsed / 1000), parameters: parameters)
        if opcode == .connectionUpdateInd { isCounted = false }
    }
}
