import Bluetooth
import PluginKit
import Profile

/// A value with the frame that carried it.
struct Timestamped<Content: Sendable>: Sendable {
    var content: Content
    var moment: FrameReference
}

/// What is known of a puck on one connection. The rule set changes it after all rules have seen an event.
final class PuckLink {
    let opened: FrameReference
    /// What the client has written to the configuration of each characteristic last, by the characteristic's place; nil
    /// where nothing was.
    private var subscriptions: [SubscriptionState?] = Array(
        repeating: nil, count: DeviceProfile.CharacteristicName.allCases.count)
    private(set) var states = StateHistory()
    private(set) var total = DayTotal()
    /// The time of the last evaluation that was notified since the clock was set: what the clock shows when.
    private(set) var clock: Timestamped<Int>?
    /// Unsynced records as Current State or Sync Control reported last.
    private(set) var unsynced: Timestamped<Int>?
    /// The notification that no record is unsynced any more; nil once the client has read that.
    private(set) var emptied: FrameReference?
    /// The history was cleared since, which no notification reports.
    private var isCleared = false
    private(set) var phase = TransferPhase.unknown
    /// A START or an acknowledgement whose chunk had not come when the transfer ended: it may come yet.
    private(set) var straggler: FrameReference?
    /// An acknowledgement while it is not known whether a transfer is under way.
    private(set) var blindAcknowledgement: FrameReference?
    private(set) var completion: Completion?
    /// From START_CALIBRATION or 0x03 on, until CAL_SET_DATA; and since when that is so.
    private(set) var isInCalibrationMode = false
    private(set) var modeChanged: FrameReference?
    /// The last data activity, and the last that no SET_TIME can have withdrawn (section 5.1).
    private(set) var lastActivity: FrameReference?
    private(set) var certainActivity: FrameReference?
    private(set) var timeSet: FrameReference?
    /// The last 0x03 whose result holds: until CAL_SET_DATA.
    private(set) var measured: FrameReference?
    /// The Bottle Config read last.
    private(set) var config: Timestamped<BottleConfig>?
    /// The calibration state notified last.
    private(set) var calibration: Timestamped<Int>?
    private(set) var summary: ActivitySummary?
    /// Seconds by which one notification may be later than another by the link's timing: two connection intervals, and at
    /// least 0.1 s.
    private(set) var jitter = 0.1
    /// When the client's last discovery request was answered.
    private(set) var discovered: FrameReference?
    /// The client's MTU; nil before it was exchanged.
    private(set) var clientMTU: Int?
    /// The last response to the client.
    private var answered: FrameReference?

    private enum SubscriptionState {
        case on
        case off
        /// The puck has refused the subscription: nothing is due, and the client has tried.
        case refused
    }

    init(opened: FrameReference, _ parameters: ConnectionParameters?) {
        self.opened = opened
        if let parameters { apply(parameters) }
    }
}

// MARK: - Queries

extension PuckLink {
    /// Seconds that a notification may be on its way.
    static let crossingTime = 2.0
    private static let stragglerTime = 5.0

    /// Whether a characteristic is subscribed to; nil where the capture does not show it, or the puck has refused it.
    func isSubscribed(_ characteristic: CharacteristicIndex, _ link: LinkState) -> Bool? {
        switch subscriptions[characteristic.rawValue] {
        case .on: true
        case .refused: nil
        case .off where link.isGapless: false
        case .off, nil: link.isComplete ? false : nil
        }
    }

    /// Whether the puck has refused the client's subscription to a characteristic, and that was the last of it.
    func hasRefused(_ characteristic: CharacteristicIndex, _ link: LinkState) -> Bool {
        subscriptions[characteristic.rawValue] == .refused && link.isComplete
    }

    /// Whether a calibration that the bottle leads is in one of its states 1 to 7.
    var isCalibrating: Bool { calibration.map { (1...7).contains($0.content) } ?? false }

    /// Whether the puck may evaluate every 500 ms: in calibration mode, and as long after it as an evaluation may be on its
    /// way.
    func mayEvaluateFast(at moment: FrameReference) -> Bool {
        isInCalibrationMode || isCalibrating
            || modeChanged.map { moment.seconds(since: $0) < Self.crossingTime } == true
    }

    /// Whether the client has received a notification when it writes: a response that came after it on the same bearer has
    /// not overtaken it.
    func hasReceived(_ notification: FrameReference, at moment: FrameReference) -> Bool {
        if let answered, answered > notification, answered.bearer == notification.bearer { return true }
        return moment.seconds(since: notification) >= Self.crossingTime
    }

    /// The last Current State, read or notified, and the last notified one.
    var state: Timestamped<CurrentState>? { states.last }
    var notifiedState: Timestamped<CurrentState>? { states.notified }

    /// Unsynced records that the puck has stored; nil where that is not known.
    var storedCount: Int? { isCleared ? nil : unsynced?.content }

    /// Whether a chunk may be of a transfer that has ended: it does not fit the one that is under way, or has no head.
    func isStraggler(_ chunk: DrinkChunk?, at moment: FrameReference) -> Bool {
        guard let straggler, moment.seconds(since: straggler) <= Self.stragglerTime else { return false }
        return chunk.flatMap { phase.transfer?.awaits($0) } != true
    }
}

// MARK: - Events

extension PuckLink {
    func handle(_ event: PuckEvent) {
        if let attribute = event.attribute { return handle(attribute, event) }
        if let response = event.response { return handle(response, at: event.moment) }
        if event.request != nil { return }
        switch event.content {
        case .subscription(let subscription):
            subscriptions[subscription.characteristic.rawValue] = subscription.notifies ? .on : .off
        case .configuration(let access) where access.operation == .write && access.notifies == true:
            // Notifications may come before the response to the subscription.
            let place = access.characteristic.rawValue
            if access.isEffectiveWrite {
                subscriptions[place] = .on
            } else if subscriptions[place] != .on {
                subscriptions[place] = .refused
            }
        case .parameters(let parameters): apply(parameters)
        case .mtu(let exchange): clientMTU = Int(exchange.client)
        case .gap: phase = .unknown
        default: break
        }
    }

    private func apply(_ parameters: ConnectionParameters) {
        jitter = max(0.1, 2 * 0.00125 * Double(parameters.interval))
    }

    private func handle(_ response: AttributeResponse, at moment: FrameReference) {
        answered = moment
        if response.request.opcode.hasHandleRange { discovered = moment }
    }

    private func handle(_ attribute: AttributeValue, _ event: PuckEvent) {
        let moment = event.moment
        // A refused write may keep the puck awake all the same.
        if event.isDataActivity {
            lastActivity = moment
            certainActivity = moment
        }
        if event.isRefused { return }
        switch event.value {
        case .state(let state): if let meaning = event.meaning { handle(state, meaning, event) }
        case .status(let status):
            record(unsynced: status.count, at: moment, isRead: true)
            isCleared = false
            if status.status == .idle { phase = .idle }
        case .config(let config) where event.isRead: self.config = Timestamped(content: config, moment: moment)
        case .request(let request): handle(request, at: moment)
        case .chunk(let chunk) where event.isNotified:
            guard case .running(var transfer) = phase else { return }
            // One of the transfer before.
            if isStraggler(chunk, at: moment), !transfer.asked.isEmpty { return }
            transfer.take(chunk, at: moment)
            phase = .running(transfer)
        case .command(let command): handle(command, at: moment)
        case .calibration(let state) where event.isNotified:
            calibration = Timestamped(content: state, moment: moment)
        case .activity(.summary(let summary)) where event.isNotified: self.summary = summary
        default:
            guard event.isMalformedChunk, case .running(var transfer) = phase else { return }
            transfer.recordMalformedChunk()
            phase = .running(transfer)
        }
    }

    private func handle(_ state: CurrentState, _ meaning: StateMeaning, _ event: PuckEvent) {
        states.take(state, meaning, at: event.moment)
        if meaning != .push, meaning != .overtaken { total.take(state, isEvaluation: meaning == .evaluation) }
        if meaning == .evaluation, !state.isOfBoot { record(clock: state.timestamp, at: event.moment) }
        if !state.isBoot, meaning != .overtaken {
            record(unsynced: state.unsynced, at: event.moment, isRead: event.isRead)
        }
    }

    private func handle(_ request: SyncRequest, at moment: FrameReference) {
        switch (request.command, phase) {
        case (.query, let before), (.start, let before):
            straggler = before.transfer?.asked.last ?? straggler
            completion = request.isStart ? nil : completion
            phase = request.isStart ? .running(Transfer(request, at: moment, former: storedCount)) : .idle
        case (.ack, .running(var transfer)):
            let isLast = transfer.acknowledge(at: moment)
            phase = isLast ? .idle : .running(transfer)
            if isLast { completion = Completion(transfer: transfer, moment: moment) }
            if isLast || transfer.isDisturbed { states.expectPush(at: moment) }
        case (.ack, .unknown):
            // The transfer of an earlier connection goes on, if the puck has not slept since (section 6.1).
            blindAcknowledgement = moment
            states.expectPush(at: moment)
        default: return
        }
    }

    private func handle(_ command: PuckCommand, at moment: FrameReference) {
        switch command.kind {
        case .deleteDrink: states.expectPush(at: moment)
        case .calMeasurePoint:
            // Before the measurement and after it.
            states.expectPush(at: moment, times: 2)
            enterCalibrationMode(true, at: moment)
            measured = moment
        case .startCalibration: enterCalibrationMode(true, at: moment)
        // Of the first firmware, it may lead a calibration.
        case nil where command.isHeeded: enterCalibrationMode(true, at: moment)
        case .calSetData where command.isStoredCalibration:
            states.expectPush(at: moment)
            measured = nil
            enterCalibrationMode(false, at: moment)
        case .clearHistory:
            isCleared = true
            if case .running(var transfer) = phase {
                transfer.former = nil
                phase = .running(transfer)
            }
        case .setTime:
            // A mark that the loop has not yet seen is withdrawn with it.
            if let lastActivity, moment.seconds(since: lastActivity) < 3 { certainActivity = nil }
            timeSet = moment
            clock = nil
        default: break
        }
    }

    private func enterCalibrationMode(_ isOn: Bool, at moment: FrameReference) {
        if isInCalibrationMode != isOn { modeChanged = moment }
        isInCalibrationMode = isOn
    }

    /// Records the number of unsynced records, which the client knows at once if it has read it.
    private func record(unsynced count: Int, at moment: FrameReference, isRead: Bool) {
        if count > 0 || isRead {
            emptied = nil
        } else if let unsynced, unsynced.content > 0 {
            emptied = moment
        }
        unsynced = Timestamped(content: count, moment: moment)
    }

    /// Records what the clock shows in an evaluation that was not on its way when it was set.
    private func record(clock time: Int, at moment: FrameReference) {
        if let timeSet, moment.seconds(since: timeSet) <= Self.crossingTime { return }
        clock = Timestamped(content: time, moment: moment)
    }
}
