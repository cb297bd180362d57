import Bluetooth
import PluginKit
import Profile

/// A value with the frame that carried it.
struct Timestamped<Content: Sendable>: Sendable {
    var content: Content
    var moment: FrameReference
}

/// What is known of a puck on one connection. The judge changes it after all rules have seen an event.
final class PuckLink {
    var opened: FrameReference
    /// Whether each characteristic, by its place, was subscribed to; nil where neither that nor the contrary was written.
    private var subscriptions: [SubscriptionState?] = Array(
        repeating: nil, count: DeviceProfile.CharacteristicName.allCases.count)
    /// The last write of a configuration, as long as the device may refuse it, and the subscription before it.
    private var configuration: (write: FrameReference, characteristic: CharacteristicIndex, former: SubscriptionState?)?
    /// Current States, and what was asked of the puck: all that a refused write has not brought about.
    private(set) var progress = Progress()
    /// The last write, as long as the device may refuse it, and the progress before it.
    private var write: FrameReference?
    private var former = Progress()
    /// The Bottle Config read last.
    var config: Timestamped<BottleConfig>?
    /// The calibration state notified last.
    var calibration: Timestamped<Int>?
    var summary: ActivitySummary?
    /// Seconds by which one notification may be later than another by the link's timing: two connection intervals, and at
    /// least 0.1 s.
    private(set) var jitter = 0.1
    /// When the client's last discovery request was answered.
    var discovered: FrameReference?
    /// The client's MTU; nil before it was told.
    var clientMTU: Int?
    /// The last response to the client.
    private var answered: FrameReference?

    /// What the client has written to a configuration last.
    private enum SubscriptionState {
        case on
        case off
        /// The puck has refused the subscription: nothing is due, and the client has tried.
        case refused
    }

    /// What follows from the client's writes and the puck's states.
    struct Progress: Sendable {
        var states = StateHistory()
        var total = DayTotal()
        /// The time of the last evaluation that was notified since the clock was set: what the clock shows when.
        var clock: Timestamped<Int>?
        /// Unsynced records as Current State or Sync Control told last.
        private(set) var unsynced: Timestamped<Int>?
        /// The notification that no record is unsynced any more; nil once the client has read that.
        private(set) var emptied: FrameReference?
        /// The history was cleared since, which nothing tells.
        var isCleared = false
        var phase = TransferPhase.unknown
        /// A START or an acknowledgement whose chunk had not come when the transfer ended: it may come yet.
        var straggler: FrameReference?
        /// An acknowledgement while it is not known whether a transfer is under way.
        var blindAcknowledgement: FrameReference?
        var completion: Completion?
        /// From START_CALIBRATION or 0x03 on, until CAL_SET_DATA; and since when that is so.
        var isInCalibrationMode = false
        var modeChanged: FrameReference?
        /// The last data activity, and the last that no SET_TIME can have withdrawn (section 5.1).
        var lastActivity: FrameReference?
        var certainActivity: FrameReference?
        var timeSet: FrameReference?
        /// The last 0x03 whose result holds: until CAL_SET_DATA.
        var measured: FrameReference?

        /// Whether a chunk may be of a transfer that has ended: it does not fit the one that is under way, or has no head.
        func isStraggler(_ chunk: DrinkChunk?, at moment: FrameReference) -> Bool {
            guard let straggler, moment.seconds(since: straggler) <= Self.stragglerTime else { return false }
            return chunk.flatMap { phase.transfer?.awaits($0) } != true
        }

        private static let stragglerTime = 5.0

        /// Unsynced records that the puck has stored; nil where that is not known.
        var storedCount: Int? { isCleared ? nil : unsynced?.content }

        /// Records the number of unsynced records, which the client knows at once if it has read it.
        mutating func record(unsynced count: Int, at moment: FrameReference, isRead: Bool) {
            if count > 0 || isRead {
                emptied = nil
            } else if let unsynced, unsynced.content > 0 {
                emptied = moment
            }
            unsynced = Timestamped(content: count, moment: moment)
        }

        /// Records what the clock shows in an evaluation that was not on its way when it was set.
        mutating func record(clock time: Int, at moment: FrameReference) {
            if let timeSet, moment.seconds(since: timeSet) <= PuckLink.crossingTime { return }
            clock = Timestamped(content: time, moment: moment)
        }
    }

    init(opened: FrameReference, _ parameters: ConnectionParameters?) {
        self.opened = opened
        if let parameters { take(parameters) }
    }

    /// Whether a characteristic is subscribed to; nil where the capture does not tell, or the puck has refused it.
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

    /// Seconds that a notification may be on its way.
    static let crossingTime = 2.0

    /// Whether the client has received a notification when it writes: a response that came after it on the same bearer has
    /// not overtaken it.
    func hasReceived(_ notification: FrameReference, at moment: FrameReference) -> Bool {
        if let answered, answered > notification, answered.bearer == notification.bearer { return true }
        return moment.seconds(since: notification) >= Self.crossingTime
    }

    /// The Current State told last, by a read or a notification, and that notified last.
    var state: Timestamped<CurrentState>? { progress.states.last }
    var notifiedState: Timestamped<CurrentState>? { progress.states.notified }
    var total: DayTotal { progress.total }
    var unsynced: Timestamped<Int>? { progress.unsynced }
    var phase: TransferPhase { progress.phase }
    var completion: Completion? { progress.completion }
    var isInCalibrationMode: Bool { progress.isInCalibrationMode }
    var modeChanged: FrameReference? { progress.modeChanged }
    var lastActivity: FrameReference? { progress.lastActivity }
    var certainActivity: FrameReference? { progress.certainActivity }
    var timeSet: FrameReference? { progress.timeSet }
}

// MARK: - Following

extension PuckLink {
    /// Takes in what an event tells.
    func take(_ event: PuckEvent) {
        if let attribute = event.attribute { return take(attribute, event) }
        if let response = event.response { return take(response, at: event.moment) }
        if event.request != nil { return }
        switch event.content {
        case .subscription(let subscription):
            subscriptions[subscription.characteristic.rawValue] = subscription.notifies ? .on : .off
        case .configuration(let access) where access.operation == .write:
            // What the write sets off may come before its response.
            if access.notifies == true {
                let former = subscriptions[access.characteristic.rawValue]
                configuration = (event.moment, access.characteristic, former)
                subscriptions[access.characteristic.rawValue] = .on
            }
        case .parameters(let parameters): take(parameters)
        case .mtu(let exchange): clientMTU = Int(exchange.client)
        case .gap: progress.phase = .unknown
        default: break
        }
    }

    private func take(_ parameters: ConnectionParameters) {
        jitter = max(0.1, 2 * 0.00125 * Double(parameters.interval))
    }

    private func take(_ response: AttributeResponse, at moment: FrameReference) {
        answered = moment
        switch response.request.opcode {
        case let opcode where opcode.hasHandleRange: discovered = moment
        case .writeRequest:
            if let (write, characteristic, former) = configuration, write == response.requested {
                configuration = nil
                if response.refuses { subscriptions[characteristic.rawValue] = former == .on ? .on : .refused }
            }
            // What the device refuses has not been written. Data activity it may be all the same.
            guard write == response.requested else { return }
            write = nil
            guard response.refuses else { return }
            let activity = (progress.lastActivity, progress.certainActivity)
            progress = former
            (progress.lastActivity, progress.certainActivity) = activity
        default: break
        }
    }

    private func take(_ attribute: AttributeValue, _ event: PuckEvent) {
        let moment = event.moment
        if attribute.operation == .write { (former, write) = (progress, moment) }
        if event.isDataActivity {
            progress.lastActivity = moment
            progress.certainActivity = moment
        }
        switch event.value {
        case .state(let state):
            guard let meaning = event.meaning else { return }
            progress.states.take(state, meaning, at: moment)
            if meaning != .push, meaning != .overtaken {
                progress.total.take(state, isEvaluation: meaning == .evaluation)
            }
            if meaning == .evaluation, !state.isOfBoot { progress.record(clock: state.timestamp, at: moment) }
            if !state.isBoot, meaning != .overtaken {
                progress.record(unsynced: state.unsynced, at: moment, isRead: event.isRead)
            }
        case .status(let status):
            progress.record(unsynced: status.count, at: moment, isRead: true)
            progress.isCleared = false
            if status.status == .idle { progress.phase = .idle }
        case .config(let config) where event.isRead: self.config = Timestamped(content: config, moment: moment)
        case .request(let request): progress.take(request, at: moment)
        case .chunk(let chunk) where event.isNotified:
            guard case .running(var transfer) = progress.phase else { return }
            // One of the transfer before.
            if progress.isStraggler(chunk, at: moment), !transfer.asked.isEmpty { return }
            transfer.take(chunk, at: moment)
            progress.phase = .running(transfer)
        case .command(let command): progress.take(command, at: moment)
        case .calibration(let state) where event.isNotified:
            calibration = Timestamped(content: state, moment: moment)
        case .activity(.summary(let summary)) where event.isNotified: self.summary = summary
        default:
            guard event.isMalformedChunk, case .running(var transfer) = progress.phase else { return }
            transfer.recordMalformedChunk()
            progress.phase = .running(transfer)
        }
    }
}

extension PuckLink.Progress {
    fileprivate mutating func take(_ request: SyncRequest, at moment: FrameReference) {
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

    fileprivate mutating func take(_ command: PuckCommand, at moment: FrameReference) {
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

    private mutating func enterCalibrationMode(_ isOn: Bool, at moment: FrameReference) {
        if isInCalibrationMode != isOn { modeChanged = moment }
        isInCalibrationMode = isOn
    }
}

extension AttributeResponse {
    /// Whether it certainly refuses its request.
    var refuses: Bool { error != nil && !isAmbiguous }
}
