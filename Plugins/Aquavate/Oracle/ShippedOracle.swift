import Bytes
import PluginKit

/// A puck of the shipped firmware that follows a real one: the firmware's answers to a client, without its sensors.
///
/// Weight, battery, drinks, what was stored before the connection and where a calibration stands by the bottle are taken
/// over from what the puck shows.
struct ShippedOracle: DeviceOracle {
    var board: Board
    var firmware: ShippedFirmware
    var known = Knowledge()

    /// What of the puck is known, as it has shown it or as the client has brought it about.
    struct Knowledge: Sendable {
        /// Characteristics that are subscribed to.
        var subscriptions: Set<PuckCharacteristic> = []
        /// A Current State has been shown, and one that was evaluated.
        var hasState = false
        var isEvaluated = false
        /// An evaluation of this connection has been shown: what was before it holds no more.
        var isEvaluatedAnew = false
        /// Until when an evaluation of calibration mode may be on its way.
        var calibrationModeEnd: Timestamp?
        var day = DayTotal()
        /// What the daily total may be shown as, in ml: those that commands have overtaken, then the one that holds. Nil
        /// for any.
        var totals: [Int]?
        /// The number of unsynced records, and one that may still be shown, until then.
        var isUnsyncedKnown = false
        var formerUnsynced: (count: Int, until: Timestamp)?
        /// A record was counted before the Current State that tells of its drink.
        var isDrinkAwaited = false
        /// When the clock was set; the hours that the puck's local time is ahead of it, where they are known.
        var timeSet: Timestamp?
        var hours: Int?
        var battery: Int?
        /// Scale, goal and the rest of Bottle Config; its tare.
        var isConfigKnown = false
        var isTareKnown = false
        /// TARE came since Bottle Config was read: it may be served after a write of another tare.
        var isTareDue = false
        var areSettingsKnown = false
        /// Whether a transfer is under way, and the size of its chunks.
        var isTransferKnown = false
        var isChunkSizeKnown = false
        /// How many records can be sent: not those that were deleted before.
        var isPendingKnown = false
        /// A chunk of the transfer has come.
        var hasChunk = false
        /// An ACK came since START.
        var isAcknowledged = false
        /// Records wanted by START, and what could be sent then.
        var wantedRecords = 0
        /// IDs of the records whose content is known.
        var records: Set<Int> = []
        var activity = KnownActivity()
        /// The state of a calibration, and the value told last.
        var isCalibrationKnown = false
        var calibrationValue: [UInt8]?
        /// The calibration was begun at the bottle: readings of the one before may still be told (AQ-098).
        var isBegunAtBottle = false
        /// Whether the last START_CALIBRATION was taken may never be told: a calibration may have been under way, or a
        /// CANCEL_CALIBRATION been served after it. When it came.
        var isStartUncertain = false
        var started: Timestamp?
        /// When CANCEL_CALIBRATION came last.
        var cancelled: Timestamp?
        /// The state that it came in.
        var cancelledState = CalibrationProcedure.State.idle
    }

    /// Readings in the Bluetooth task and time-outs of a calibration are looked after so often.
    private static let pause = Duration.seconds(1)

    init(_ selection: QuirkSelection = QuirkSelection()) throws(TwinFault) {
        // It draws in no time: a display can be as slow as a prediction may wait.
        let quirks = PuckQuirks(selection, without: .blockedLoop)
        board = try Board(following: .shipped, quirks)
        firmware = ShippedFirmware(.motion, &board)
        _ = board.takeActions()
    }

    var answered: Set<String> { Set(ShippedFirmware.answered.map(\.rawValue)) }

    func patience(for characteristic: String) -> Duration {
        switch PuckCharacteristic(rawValue: characteristic) {
        case .activityStats: .seconds(2)
        case .drinkData: .seconds(5)
        case .calibrationState: .seconds(15)
        default: .seconds(10)
        }
    }

    var deadline: Timestamp? {
        let isTimed = firmware.procedure.state != .idle && firmware.measurement == nil
        return [isTimed ? board.now + Self.pause : nil, firmware.pointMeasurement?.measurement.next].compactMap(\.self)
            .min()
    }

    mutating func handle(_ input: TwinInput, at now: Timestamp) -> [TwinAction] {
        board.begin(at: now)
        if let due = firmware.pointMeasurement?.measurement.next, due <= now { firmware.measurePoint(&board) }
        prepare(input)
        let unsynced = board.unsynced
        let wasInCalibrationMode = firmware.isInCalibrationMode
        firmware.take(input, &board)
        firmware.serveCommands(&board)
        firmware.serveCalibration(&board)
        if wasInCalibrationMode, !firmware.isInCalibrationMode { known.calibrationModeEnd = now + Self.crossing }
        if board.unsynced != unsynced { known.formerUnsynced = (unsynced, now + Self.grace) }
        return board.takeActions()
    }

    /// What was on its way when a command came may still show what was before.
    private static let grace = Duration.seconds(8)
    /// How long a notification may be on its way.
    static let crossing = Duration.seconds(2)

    mutating func adopt(_ shown: ShownValue, at now: Timestamp) -> Expectation {
        board.begin(at: now)
        switch PuckCharacteristic(rawValue: shown.characteristic) {
        case .currentState: return adoptState(shown)
        case .syncControl: return adoptSyncControl(shown)
        case .drinkData: return adoptChunk(shown)
        case .bottleConfig: return adoptConfig(shown)
        case .deviceSettings: return adoptSettings(shown)
        case .batteryLevel: return adoptBattery(shown)
        case .activityStats: return adoptActivity(shown)
        case .calibrationState: return adoptCalibration(shown)
        default: return .value(shown.bytes)
        }
    }

    mutating func miss(_ characteristic: String) -> String? {
        switch PuckCharacteristic(rawValue: characteristic) {
        case .drinkData where !known.hasChunk && !(known.isPendingKnown && board.memory.drinks.pendingCount > 0):
            "whether a stored record can be sent is not known"
        case .calibrationState where !known.isCalibrationKnown || known.isStartUncertain:
            "what the calibration was about before is not known"
        case .activityStats: known.activity.miss()
        default: nil
        }
    }

    /// Whether every evaluation that a client would be told of is shown.
    var isWatching: Bool { known.subscriptions.contains(.currentState) }
}

// MARK: - What a client's input makes unknown

extension ShippedOracle {
    private mutating func prepare(_ input: TwinInput) {
        switch input {
        case .subscribed(let name, let subscription, _):
            guard let characteristic = PuckCharacteristic(rawValue: name) else { return }
            if subscription.contains(.notifications) {
                known.subscriptions.insert(characteristic)
            } else {
                known.subscriptions.remove(characteristic)
                if characteristic == .currentState { known.totals = nil }
                if characteristic == .batteryLevel { known.battery = nil }
                if characteristic == .calibrationState { known.isCalibrationKnown = false }
            }
        case .write(let name, let bytes, _, _):
            switch PuckCharacteristic(rawValue: name) {
            case .command: prepare(board.wire.value(of: bytes, as: .command, PuckCommand.self))
            case .syncControl: prepare(board.wire.value(of: bytes, as: .syncRequest, SyncRequest.self))
            case .bottleConfig: prepareConfig(bytes)
            case .deviceSettings: if bytes.count == 4 { known.areSettingsKnown = true }
            default: break
            }
        default: break
        }
    }

    private mutating func prepare(_ command: PuckCommand?) {
        guard let command, let kind = command.kind else { return }
        switch kind {
        case .tareNow: (known.isTareKnown, known.isTareDue) = (false, true)
        case .setTime:
            known.timeSet = board.now
            known.hours = nil
            known.totals = nil
        case .resetDaily:
            known.totals?.append(0)
            known.isPendingKnown = false
        case .clearHistory:
            known.totals?.append(0)
            known.isUnsyncedKnown = true
            known.isPendingKnown = true
            known.records = []
        case .deleteDrink: forget(command.recordId ?? 0)
        case .calSetData: if command.isStoredCalibration { known.isConfigKnown = false }
        case .startCalibration:
            // Who is served first when both wait is not known.
            if let cancelled = known.cancelled, board.now - cancelled < .seconds(5) { known.isCalibrationKnown = false }
            known.isStartUncertain = !known.isCalibrationKnown
            known.started = board.now
        case .cancelCalibration: (known.cancelled, known.cancelledState) = (board.now, firmware.procedure.state)
        case .getActivitySummary, .getMotionChunk, .getBackpackChunk: known.activity.ask(command, &board)
        case .ping, .calMeasurePoint, .setDailyTotal, .unnamed: break
        }
    }

    /// What a deleted drink was of the day's total, and whether it waited to be sent, is known of those that were sent.
    private mutating func forget(_ id: Int) {
        let drink = known.records.contains(id) ? board.memory.drinks.drinks.first { $0.id == id } : nil
        guard let drink else {
            known.totals = nil
            known.isPendingKnown = false
            return
        }
        guard !drink.isDeleted, let total = known.totals?.last else { return }
        known.totals?.append(total - drink.amount)
    }
}
