import Bytes
import PluginKit

/// A model of the shipped firmware that follows a real puck: its answers to a client, without its sensors.
///
/// It adopts weight, battery, drinks, records from before the connection, and the progress of a calibration at the
/// bottle from the values that the puck shows.
struct ShippedOracle: DeviceOracle {
    var board: Board
    var firmware: ShippedFirmware
    var known = Knowledge()

    /// The known part of the puck's state: shown by the puck, or caused by the client.
    struct Knowledge: Sendable {
        /// Subscribed characteristics.
        var subscriptions: Set<PuckCharacteristic> = []
        /// Whether a Current State has been shown, and one that was evaluated.
        var hasState = false
        var isEvaluated = false
        /// An evaluation of this connection has been shown: earlier values no longer hold.
        var isEvaluatedAnew = false
        /// Until when an evaluation of calibration mode may be in flight.
        var calibrationModeEnd: Timestamp?
        var day = DayTotal()
        /// Daily totals that may be shown, in ml: those superseded by commands, then the current one. Nil for any.
        var totals: [Int]?
        /// Whether the number of unsynced records is known; a former number, and until when it may still be shown.
        var isUnsyncedKnown = false
        var formerUnsynced: (count: Int, until: Timestamp)?
        /// A record was counted before the Current State that shows its drink.
        var isDrinkAwaited = false
        /// When the clock was set; the hours by which the puck's local time is ahead of it, if known.
        var timeSet: Timestamp?
        var hours: Int?
        var battery: Int?
        /// Whether scale, goal and the other fields of Bottle Config are known; whether its tare is.
        var isConfigKnown = false
        var isTareKnown = false
        /// TARE came since Bottle Config was read: the puck may carry it out after a write of another tare.
        var isTareDue = false
        var areSettingsKnown = false
        /// Whether it is known if a transfer is under way, and the size of its chunks.
        var isTransferKnown = false
        var isChunkSizeKnown = false
        /// Whether the number of records that can be sent is known: records deleted earlier are not sent.
        var isPendingKnown = false
        /// A chunk of the transfer has arrived.
        var hasChunk = false
        /// An ACK came since START.
        var isAcknowledged = false
        /// Number of records requested by START.
        var wantedRecords = 0
        /// IDs of the records whose content is known.
        var records: Set<Int> = []
        var activity = KnownActivity()
        /// Whether the state of a calibration is known; the last value shown.
        var isCalibrationKnown = false
        var calibrationValue: [UInt8]?
        /// The calibration was started at the bottle: notifications may still contain the readings of the previous one
        /// (AQ-098).
        var isBegunAtBottle = false
        /// Whether it may never show if the puck accepted the last START_CALIBRATION: a calibration may have been under
        /// way, or the puck may carry out a CANCEL_CALIBRATION after it. When START_CALIBRATION came.
        var isStartUncertain = false
        var started: Timestamp?
        /// When the last CANCEL_CALIBRATION came.
        var cancelled: Timestamp?
        /// The state at that time.
        var cancelledState = CalibrationProcedure.State.idle
    }

    /// Interval at which the timeouts of a calibration are checked.
    private static let pause = Duration.seconds(1)

    init(_ selection: QuirkSelection = QuirkSelection()) throws(TwinFault) {
        // Drawing takes no time here: `patience` covers a slow display.
        let quirks = PuckQuirks(selection, without: .blockedLoop)
        board = try Board(following: .shipped, quirks)
        firmware = ShippedFirmware(.motion, &board)
        _ = board.takeActions()
    }

    var answered: Set<String> { Set(ShippedFirmware.answered.map(\.rawValue)) }

    func patience(for characteristic: String) -> Duration {
        switch PuckCharacteristic(rawValue: characteristic) {
        case .activityStats: .seconds(DeviceProfile.Time.reply)
        case .drinkData: .seconds(DeviceProfile.Time.chunk)
        case .calibrationState: .seconds(DeviceProfile.Time.calibrationStep)
        default: .seconds(DeviceProfile.Time.push)
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

    /// How long values in flight may show the state before a command.
    private static let grace = Duration.seconds(DeviceProfile.Time.service)
    /// Maximum transit time of a notification.
    static let crossing = Duration.seconds(DeviceProfile.Time.crossing)

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

    /// Whether the client is subscribed to Current State, so that every notified evaluation is seen.
    var isWatching: Bool { known.subscriptions.contains(.currentState) }
}

// MARK: - Effects of a client's input

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
            // The order in which the puck carries out waiting commands is not known.
            if let cancelled = known.cancelled, board.now - cancelled < .seconds(5) { known.isCalibrationKnown = false }
            known.isStartUncertain = !known.isCalibrationKnown
            known.started = board.now
        case .cancelCalibration: (known.cancelled, known.cancelledState) = (board.now, firmware.procedure.state)
        case .getActivitySummary, .getMotionChunk, .getBackpackChunk: known.activity.ask(command, &board)
        case .ping, .calMeasurePoint, .setDailyTotal, .unnamed: break
        }
    }

    /// The amount and sync state of a deleted drink are known only if it was transferred.
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
