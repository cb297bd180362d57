import Bluetooth
import PluginKit
import Profile

/// A value with the frame that carried it.
struct Timestamped<Content: Sendable>: Sendable {
    var content: Content
    var moment: FrameReference
}

/// State of a puck on one connection. `PuckTracker` updates it after all other rules have handled an event.
final class PuckState {
    private(set) var states = StateHistory()
    private(set) var total = DayTotal()
    /// Timestamp of the last evaluation notified since SET_TIME, which gives the puck's clock at that frame.
    private(set) var clock: Timestamped<Int>?
    /// Unsynced records, as last reported by Current State or Sync Control.
    private(set) var unsynced: Timestamped<Int>?
    /// The notification that the number of unsynced records fell to 0; nil once the client has read the number.
    private(set) var emptied: FrameReference?
    /// Whether CLEAR_HISTORY was written since, which no notification reports.
    private var isCleared = false
    private(set) var phase = TransferPhase.unknown
    /// A START or an acknowledgement whose chunk had not arrived when the transfer ended; the chunk may still arrive.
    private(set) var straggler: FrameReference?
    /// An acknowledgement sent while it was unknown whether a transfer was in progress.
    private(set) var blindAcknowledgement: FrameReference?
    private(set) var completion: Completion?
    /// True from START_CALIBRATION or 0x03 until CAL_SET_DATA.
    private(set) var isInCalibrationMode = false
    /// The last change of `isInCalibrationMode`.
    private(set) var modeChanged: FrameReference?
    /// The last data activity.
    private(set) var lastActivity: FrameReference?
    /// The last data activity that no SET_TIME can have withdrawn (section 5.1).
    private(set) var certainActivity: FrameReference?
    private(set) var timeSet: FrameReference?
    /// The last 0x03, whose result is valid until CAL_SET_DATA; nil after it.
    private(set) var measured: FrameReference?
    /// The last Bottle Config read.
    private(set) var config: Timestamped<BottleConfig>?
    /// The last notified calibration state.
    private(set) var calibration: Timestamped<Int>?
    private(set) var summary: ActivitySummary?
    /// The response to the client's last discovery request.
    private(set) var discovered: FrameReference?
    /// The last response to the client.
    private var answered: FrameReference?
}

// MARK: - Queries

extension PuckState {
    /// Whether a bottle-driven calibration is in one of its states 1 to 7.
    var isCalibrating: Bool { calibration.map { (1...7).contains($0.content) } ?? false }

    /// Whether the puck may evaluate every 500 ms: in calibration mode, and for as long after a change of mode as an
    /// evaluation may be in flight.
    func mayEvaluateFast(at moment: FrameReference) -> Bool {
        isInCalibrationMode || isCalibrating
            || modeChanged.map { moment.seconds(since: $0) < DeviceProfile.Time.crossing } == true
    }

    /// Whether the client has received a notification by the time of a frame: a later response on the same bearer
    /// cannot have overtaken it.
    func hasReceived(_ notification: FrameReference, at moment: FrameReference) -> Bool {
        if let answered, answered > notification, answered.bearer == notification.bearer { return true }
        return moment.seconds(since: notification) >= DeviceProfile.Time.crossing
    }

    /// The meaning of the Current State in an event, given the earlier ones; nil for other events.
    func meaning(of event: Event) -> StateMeaning? { event.meaning(after: states) }

    /// The last Current State, read or notified.
    var state: Timestamped<CurrentState>? { states.last }
    var notifiedState: Timestamped<CurrentState>? { states.notified }

    /// Unsynced records that the puck has stored; nil if unknown.
    var storedCount: Int? { isCleared ? nil : unsynced?.content }

    /// Whether a chunk may belong to a transfer that has ended: it does not fit the transfer in progress, or its header
    /// is incomplete (nil).
    func isStraggler(_ chunk: DrinkChunk?, at moment: FrameReference) -> Bool {
        guard let straggler, moment.seconds(since: straggler) <= DeviceProfile.Time.chunk else { return false }
        return chunk.flatMap { phase.transfer?.awaits($0) } != true
    }
}

// MARK: - Events

extension PuckState {
    func handle(_ event: Event) {
        if let attribute = event.value { return handle(attribute, event) }
        if let response = event.response { return handle(response, at: event.moment) }
        if event.request != nil { return }
        if event.isGap { phase = .unknown }
    }

    private func handle(_ response: AttributeResponse, at moment: FrameReference) {
        answered = moment
        if response.request.opcode.hasHandleRange { discovered = moment }
    }

    private func handle(_ attribute: AttributeValue, _ event: Event) {
        let moment = event.moment
        // Even a refused write may keep the puck awake.
        if event.isDataActivity {
            lastActivity = moment
            certainActivity = moment
        }
        if event.isRefused { return }
        switch event.puckValue {
        case .state(let state): if let meaning = meaning(of: event) { handle(state, meaning, event) }
        case .status(let status):
            record(unsynced: status.count, at: moment, isRead: true)
            isCleared = false
            if status.status == .idle { phase = .idle }
        case .config(let config) where event.isRead: self.config = Timestamped(content: config, moment: moment)
        case .request(let request): handle(request, at: moment)
        case .chunk(let chunk) where event.isNotified:
            guard case .running(var transfer) = phase else { return }
            // A chunk of the previous transfer.
            if isStraggler(chunk, at: moment), !transfer.asked.isEmpty { return }
            transfer.handle(chunk, at: moment)
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

    private func handle(_ state: CurrentState, _ meaning: StateMeaning, _ event: Event) {
        states.handle(state, meaning, at: event.moment)
        if meaning != .push, meaning != .overtaken { total.handle(state, isEvaluation: meaning == .evaluation) }
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
            // A transfer of an earlier connection continues if the puck has not slept since (section 6.1).
            blindAcknowledgement = moment
            states.expectPush(at: moment)
        default: return
        }
    }

    private func handle(_ command: PuckCommand, at moment: FrameReference) {
        switch command.kind {
        case .deleteDrink: states.expectPush(at: moment)
        case .calMeasurePoint:
            // One push before the measurement and one after it.
            states.expectPush(at: moment, times: 2)
            enterCalibrationMode(true, at: moment)
            measured = moment
        case .startCalibration: enterCalibrationMode(true, at: moment)
        // A command of the first firmware may start a calibration.
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
            // SET_TIME also withdraws an activity mark that the main loop has not handled yet.
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

    /// Records the number of unsynced records. A client that has read it knows it at once.
    private func record(unsynced count: Int, at moment: FrameReference, isRead: Bool) {
        if count > 0 || isRead {
            emptied = nil
        } else if let unsynced, unsynced.content > 0 {
            emptied = moment
        }
        unsynced = Timestamped(content: count, moment: moment)
    }

    /// Records the clock of an evaluation, unless the evaluation may have been in flight when the clock was set.
    private func record(clock time: Int, at moment: FrameReference) {
        if let timeSet, moment.seconds(since: timeSet) <= DeviceProfile.Time.crossing { return }
        clock = Timestamped(content: time, moment: moment)
    }
}
