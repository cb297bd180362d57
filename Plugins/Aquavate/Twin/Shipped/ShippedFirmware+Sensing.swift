import Bytes
import PluginKit

/// Gestures, drinks and the evaluations of Current State (sections 10.4 to 10.8).
extension ShippedFirmware {
    static let evaluationPause = Duration.seconds(5)
    private static let calibrationPause = Duration.milliseconds(500)
    private static let messageTime = Duration.seconds(3)
    /// Change of the level, in ml, from which it is notified or drawn.
    private static let levelStep = 10

    // MARK: Gestures

    mutating func feel(_ board: inout Board) {
        let level = calibration?.level(reading) ?? 0
        let before = gesture
        gesture = gestures.pass(
            board.surroundings.feel(), level: level.isNaN ? 0 : level, heedsLevel: !procedure.isActive, at: board.now)
        if gesture != before { lastActivity = board.now }
        switch gesture {
        case .uprightStable:
            hasStoodStill = true
            lastStable = board.now
            if isEmptied { showEmptied(&board) }
        case .shakeWhileInverted where before != gesture && isShakeHeeded(board):
            isEmptied = true
            lastStable = board.now
        case .invertedHold where before != gesture: holdInverted(&board)
        default: break
        }
        if before == .uprightStable, gesture != before, !board.quirks.shows(.stickyStable), !isInCalibrationMode {
            var cleared = state
            cleared.flags.stable = false
            publish(cleared, level: evaluatedLevel, &board)
        }
    }

    private func isShakeHeeded(_ board: Board) -> Bool {
        board.memory.shakeToEmpty ?? !board.quirks.shows(.shakeOffAtFirst)
    }

    /// Water that was shaken out is not a drink.
    private mutating func showEmptied(_ board: inout Board) {
        isEmptied = false
        board.rebase(reading, isKept: true)
        board.emit("shaken_empty", ["level": .number(levelShown)])
        draw(&board, .emptied, for: Self.messageTime)
    }

    // MARK: Evaluation

    /// Evaluates if due; returns the sleep that a low battery forces, if any.
    mutating func evaluateIfDue(_ board: inout Board) -> Sleep? {
        let now = board.now
        let isDue = now >= nextEvaluation && gesture == .uprightStable || isDisplayBlank
        if calibration != nil, procedure.state == .idle, isDue {
            nextEvaluation = now + Self.evaluationPause
            return evaluate(&board)
        }
        if isInCalibrationMode, now >= nextCalibrationEvaluation {
            nextCalibrationEvaluation = now + Self.calibrationPause
            publishEvaluation(&board)
        }
        return nil
    }

    /// An evaluation outside calibration.
    private mutating func evaluate(_ board: inout Board) -> Sleep? {
        board.powerUse.measure(readings: 1)
        if !board.quirks.shows(.totalOverMidnight) { total = board.total }
        lookForDrinks(&board)
        publishEvaluation(&board)
        publishBattery(&board)
        if battery < board.memory.lockout { return .lockout }
        if isDisplayBlank || !isShown(on: board.display, within: Self.levelStep) { draw(&board) }
        return nil
    }

    /// Level on the display and in Current State: whole ml, 0 to 830.
    private var levelShown: Int { min(max(weight, 0), CellScale.capacity) }

    /// Grams of water, truncated.
    private var weight: Int { calibration.map { Int(Int16(clampingReal: $0.level(reading))) } ?? 0 }

    mutating func publishEvaluation(_ board: inout Board) {
        var next = CurrentState()
        next.timestamp = Board.field(board.time)
        if pointMeasurement == nil, let pointResult {
            next.weight = nil
            next.level = nil
            next.rawAdc = pointResult
        } else {
            next.weight = weight
            next.level = levelShown
        }
        next.dailyTotal = total & 0xFFFF
        next.battery = board.surroundings.battery.percent
        let isSticky = !isInCalibrationMode && board.quirks.shows(.stickyStable) && state.flags.stable
        next.flags = CurrentState.Flags(
            timeValid: board.memory.isTimeValid, calibrated: calibration != nil,
            stable: gesture == .uprightStable || isSticky, calMeasuring: pointMeasurement != nil,
            calResult: next.rawAdc != nil,
            lowBattery: next.battery < Self.lowBattery(board))
        next.unsynced = board.unsynced
        publish(next, level: levelShown, &board)
    }

    /// Sets Current State, and notifies it if it differs enough (section 10.6).
    private mutating func publish(_ next: CurrentState, level: Int, _ board: inout Board) {
        let isNews =
            next.dailyTotal != state.dailyTotal || abs(level - evaluatedLevel) >= Self.levelStep
            || next.flags.stable != state.flags.stable || next.flags.calMeasuring != state.flags.calMeasuring
            || next.flags.calResult != state.flags.calResult || next.flags.lowBattery != state.flags.lowBattery
        state = next
        evaluatedLevel = level
        let bytes = board.wire.bytes(next, as: .currentState)
        if isNews, client != nil { board.notify(.currentState, bytes) } else { board.set(.currentState, bytes) }
    }

    /// Notifies the last evaluation again, with the current number of records.
    mutating func pushState(_ board: inout Board) {
        state.unsynced = board.unsynced
        let bytes = board.wire.bytes(state, as: .currentState)
        if client != nil { board.notify(.currentState, bytes) } else { board.set(.currentState, bytes) }
    }

    mutating func publishBattery(_ board: inout Board) {
        let percent = board.surroundings.battery.percent
        guard percent != battery else { return }
        battery = percent
        let bytes = board.wire.bytes(percent, as: .batteryLevel)
        if client != nil { board.notify(.batteryLevel, bytes) } else { board.set(.batteryLevel, bytes) }
    }

    // MARK: Drinks

    private mutating func lookForDrinks(_ board: inout Board) {
        guard board.memory.isTimeValid, let calibration, calibration.level(reading) >= -50 else { return }
        switch DrinkDetector.judge(reading, from: board.baseline, .shipped, level: calibration.level) {
        case .drink(let amount, let level): store(amount: amount, level: level, &board)
        case .refill(let amount, let level):
            board.rebase(reading, isKept: true)
            board.emit(
                "refill",
                ["amount": .number(Int(clampingReal: amount)), "level": .number(Int(clampingReal: level))])
            board.saveTime()
        case .rebase: board.rebase(reading, isKept: false)
        case .nothing: break
        }
    }

    private mutating func store(amount: Double, level: Double, _ board: inout Board) {
        let isClamped = !board.quirks.shows(.unclampedLevel)
        let drink = board.memory.drinks.store(
            timestamp: Board.field(board.time), amount: Int(Int16(clampingReal: amount)),
            level: Int(Int16(clampingReal: isClamped ? max(level, 0) : level)))
        total += drink.amount
        hasStoredDrink = true
        lastStable = board.now
        board.rebase(reading, isKept: true)
        board.emit(
            "drink_stored",
            ["id": .number(drink.id), "amount": .number(drink.amount), "level": .number(drink.level)])
        board.saveTime()
    }
}
