import PluginKit

/// Something with the moment when it was told.
struct Told<Content: Sendable>: Sendable {
    var content: Content
    var moment: Moment
}

/// What is known of a puck on one connection. The judge changes it after all rules have seen an event.
final class PuckLink {
    var opened: Moment
    /// Characteristics that were subscribed to or unsubscribed from.
    var subscriptions: [String: Bool] = [:]
    /// The Current State told last, by a read or a notification, and that notified last.
    var state: Told<CurrentState>?
    var notifiedState: Told<CurrentState>?
    /// What a Current State is to be pushed for, without an evaluation: DELETE, 0x03, 0x04, the last acknowledgement.
    var pushCause: Moment?
    /// Pushes that are still to come.
    var pushes = 0
    /// Unsynced records as Current State or Sync Control told last.
    var unsynced: Told<Int>?
    var phase = TransferPhase.unknown
    var completion: Completion?
    /// The Bottle Config read last.
    var config: Told<BottleConfig>?
    /// The calibration state notified last.
    var calibration: Told<Int>?
    /// From START_CALIBRATION or 0x03 on, until CAL_SET_DATA.
    var isInCalibrationMode = false
    /// What keeps the puck awake.
    var lastActivity: Moment?
    /// The last request to Activity Stats.
    var activityRequest: Told<PuckCommand>?
    var summary: ActivitySummary?
    /// When the client's last discovery request was answered.
    var discovered: Moment?
    /// The client's MTU; nil before it was told.
    var clientMTU: Int?

    init(opened: Moment) {
        self.opened = opened
    }

    /// Whether a characteristic is subscribed to; nil where the capture does not tell.
    func isSubscribed(_ characteristic: String, _ link: LinkState) -> Bool? {
        if let isOn = subscriptions[characteristic], isOn || link.isGapless { return isOn }
        return link.isComplete ? false : nil
    }

    /// Whether a calibration that the bottle leads is in one of its states 1 to 7.
    var isCalibrating: Bool { calibration.map { (1...7).contains($0.content) } ?? false }

    /// Whether a Current State is the last one again, for a reason that asks for that.
    func isPush(_ state: CurrentState, at moment: Moment) -> Bool {
        guard pushes > 0, let cause = pushCause, moment.seconds(since: cause) <= Self.pushTime else { return false }
        return self.state.map { state.isPush(of: $0.content) } ?? true
    }

    /// Seconds within which a push comes.
    static let pushTime = 10.0
}

// MARK: - Following

extension PuckLink {
    /// Takes in what an event tells.
    func take(_ sight: Sight) {
        switch sight.event.content {
        case .subscription(let subscription):
            subscriptions[subscription.characteristic] = subscription.notifies
        case .configuration(let access) where access.operation == .write:
            // What the write sets off may come before its response.
            if access.bytes.u16(0).map({ $0 & 1 != 0 }) == true { subscriptions[access.characteristic] = true }
        case .mtu(let exchange): clientMTU = Int(exchange.client)
        case .response(let response):
            switch response.request.kind {
            case .readByGroupType, .readByType, .findInformation, .findByTypeValue: discovered = sight.moment
            default: break
            }
        case .value(let told): take(told, sight)
        case .gap: phase = .unknown
        default: break
        }
    }

    private func take(_ told: AttributeValue, _ sight: Sight) {
        let moment = sight.moment
        if sight.isDataActivity { lastActivity = moment }
        switch sight.value {
        case .state(let state):
            if sight.isNotified, isPush(state, at: moment) { pushes -= 1 }
            self.state = Told(content: state, moment: moment)
            if sight.isNotified { notifiedState = self.state }
            if !state.isBoot { unsynced = Told(content: state.unsynced, moment: moment) }
        case .status(let status):
            unsynced = Told(content: status.count, moment: moment)
            if status.status == 0 { phase = .idle }
        case .config(let config) where sight.isRead: self.config = Told(content: config, moment: moment)
        case .request(let request): take(request, at: moment)
        case .chunk(let chunk) where sight.isNotified:
            guard case .running(var transfer) = phase else { return }
            transfer.take(chunk, at: moment)
            phase = .running(transfer)
        case .command(let command): take(command, at: moment)
        case .calibration(let state) where sight.isNotified:
            calibration = Told(content: state, moment: moment)
        case .activity(.summary(let summary)): self.summary = summary
        default: break
        }
    }

    private func take(_ request: SyncRequest, at moment: Moment) {
        if request.isStart {
            phase = .running(Transfer(request, at: moment, former: unsynced?.content))
            completion = nil
        } else if request.isQuery {
            phase = .idle
        } else if request.isAcknowledgement, case .running(var transfer) = phase {
            if transfer.acknowledge(at: moment) {
                completion = Completion(transfer: transfer, moment: moment)
                expectPush(at: moment)
                phase = .idle
            } else {
                phase = .running(transfer)
            }
        }
    }

    private func take(_ command: PuckCommand, at moment: Moment) {
        if command.asksForActivity { activityRequest = Told(content: command, moment: moment) }
        switch command.kind {
        case .deleteDrink: expectPush(at: moment)
        case .measure:
            // Before the measurement and after it.
            expectPush(at: moment, times: 2)
            isInCalibrationMode = true
        case .startCalibration: isInCalibrationMode = true
        case .setCalibration where command.isStoredCalibration:
            expectPush(at: moment)
            isInCalibrationMode = false
        default: break
        }
    }
}

extension PuckLink {
    /// Current State is to be pushed; what came before and has not been pushed may come late.
    private func expectPush(at moment: Moment, times: Int = 1) {
        if pushCause.map({ moment.seconds(since: $0) > Self.pushTime }) != false { pushes = 0 }
        pushes += times
        pushCause = moment
    }
}
