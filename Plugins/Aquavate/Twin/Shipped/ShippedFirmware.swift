import Bytes
import PluginKit

/// The shipped firmware (sections 2 to 10).
struct ShippedFirmware: Firmware {
    // MARK: This awake time
    let wake: Wake
    /// Its start, as a time and in seconds of the puck's epoch.
    let began: Timestamp
    let beganTime: Int
    let unsyncedAtWake: Int
    var hasStoredDrink = false
    let isRadioOn: Bool

    // MARK: The client
    var client: TwinClient?
    /// Longest value of a notification, in bytes.
    var capacity = 20
    /// Requests deferred until the end of a measurement in the Bluetooth task.
    var deferred = FIFO<TwinInput>()
    /// Data activity that the loop has not processed yet (section 10.3).
    var isActivityMarked = false
    /// Commands waiting for the loop.
    var latched: Set<LatchedCommand> = []

    // MARK: Values that clients read
    /// Bottle Config as last written or read.
    var config: [UInt8]
    var settings: DeviceSettings
    var sync = DrinkSync()
    /// The last evaluation.
    var state = CurrentState()
    /// Level of the last evaluation, in ml, even if `state` has a raw reading in its place.
    var evaluatedLevel = 0
    var battery = 0

    // MARK: The loop
    /// When the loop runs next.
    var nextPass: Timestamp
    /// Until when the loop draws.
    var drawnAt: Timestamp?
    /// Calibration states to notify when the screen is drawn.
    var pendingStates: [CalibrationProcedure.State] = []
    /// The display has to be drawn, even if it is up to date.
    var isRedrawWanted = false
    /// The display has not been drawn since power-up.
    var isDisplayBlank: Bool
    var nextEvaluation: Timestamp
    var nextCalibrationEvaluation: Timestamp
    /// The reading of this pass.
    var reading = 0

    // MARK: Sensing
    var gestures = GestureDetector()
    var gesture = Gesture.none
    var isDoubleTapped = false
    var hasStoodStill = false
    var isEmptied = false
    /// In force; nil for none.
    var calibration: CellScale?
    /// ml; truncated to 16 bits in values.
    var total: Int

    // MARK: Calibration
    var procedure: CalibrationProcedure
    /// The measurement of `procedure`.
    var measurement: Measurement?
    /// A client has started a calibration; the puck does not sleep.
    var isInCalibrationMode = false
    var pointMeasurement: PointMeasurement?
    /// Result of a client's measurement, in counts.
    var pointResult: Int?

    // MARK: Sleep
    var lastActivity: Timestamp
    var lastStable: Timestamp

    static let answered: Set<PuckCharacteristic> = [.bottleConfig, .command, .syncControl, .deviceSettings]
    static let lockoutPause = Duration.seconds(900)
    static let rolloverDelay = Duration.seconds(60)
    /// Maximum number of deferred requests.
    static let deferredLimit = 64
    private static let pause = Duration.milliseconds(200)

    static func leastCharge(after wake: Wake, _ memory: PuckMemory) -> Int {
        memory.lockout + (wake == .lockoutCheck ? Board.recovery : 0)
    }

    /// Starts at the end of a boot.
    init(_ wake: Wake, _ board: inout Board) {
        let now = board.now
        self.wake = wake
        began = now
        beganTime = Board.field(board.time)
        unsyncedAtWake = board.unsynced
        isRadioOn = !wake.isTimer || !board.quirks.shows(.silentTimerWakes)
        calibration = board.memory.loadedCalibration
        procedure = CalibrationProcedure(limits: board.quirks.shows(.wideScaleLimits) ? .shipped : .meant)
        total = board.total
        config = board.wire.bytes(BottleConfig.uncalibrated, as: .bottleConfig)
        settings = DeviceSettings(flags: .init(shakeToEmpty: false))
        nextPass = now
        isDisplayBlank = wake == .powerOn
        nextEvaluation = now + Self.evaluationPause
        nextCalibrationEvaluation = now
        lastActivity = now
        lastStable = now
        publishInitialValues(&board)
        if isRadioOn { board.act(.advertise(board.identity.advertising)) }
        // The level is unknown before the bottle stands.
        if wake == .doubleTap { board.show(.status(status(board, level: board.shownLevel ?? 0))) }
    }

    /// When the firmware acts next.
    var deadline: Timestamp {
        let waiting = isBlocked ? [] : [nextPass]
        return (waiting + [measurement?.next, pointMeasurement?.measurement.next].compactMap(\.self)).min() ?? nextPass
    }

    var radio: PowerState { client != nil ? .connected : isRadioOn ? .advertising : .wake }

    /// Whether the loop waits for the end of a measurement.
    private var isBlocked: Bool { measurement?.blocksLoop == true }

    /// Does pending work; returns the sleep that it requests, if any.
    mutating func proceed(_ board: inout Board) -> Sleep? {
        if let due = pointMeasurement?.measurement.next, due <= board.now { measurePoint(&board) }
        if let due = measurement?.next, due <= board.now { measure(&board) }
        guard !isBlocked, nextPass <= board.now else { return nil }
        nextPass = board.now + Self.pause
        return pass(&board)
    }

    /// Runs one pass of the loop (section 10.4).
    private mutating func pass(_ board: inout Board) -> Sleep? {
        finishDrawing(&board)
        takeActivity(board.now)
        serveCommands(&board)
        guard !isDrawing(at: board.now) else { return nil }
        reading = board.weigh()
        feel(&board)
        if isDrawing(at: board.now) { return nil }
        serveCalibration(&board)
        if let sleep = evaluateIfDue(&board) { return sleep }
        if isRedrawWanted { draw(&board) }
        if let saved = board.memory.savedTime, board.clock.seconds(at: board.now) - saved >= 3600 { board.saveTime() }
        return sleepIfDue(&board)
    }

    /// Includes past drinks in the daily total, as after a boot.
    mutating func recallDrinks(_ board: Board) { total = board.total }

    // MARK: The display

    /// Draws a message, the prompt of a calibration state or else the status, which blocks the loop. The state
    /// is notified afterwards.
    mutating func draw(
        _ board: inout Board, _ message: PuckScreen? = nil, reporting state: CalibrationProcedure.State? = nil,
        for time: Duration = .seconds(2)
    ) {
        if let state { pendingStates.append(state) }
        isRedrawWanted = false
        isDisplayBlank = false
        var screen = PuckScreen.status(status(board, level: evaluatedLevel))
        if let prompt = state.flatMap({ CalibrationPrompt($0, capacity: CellScale.capacity) }) {
            screen = .prompt(prompt)
        }
        board.show(message ?? screen)
        if board.quirks.shows(.blockedLoop) {
            let end = board.now + time
            drawnAt = end
            nextPass = max(nextPass, end)
        } else {
            finishDrawing(&board)
        }
    }

    private func status(_ board: Board, level: Int) -> PuckStatus {
        let percent = board.surroundings.battery.percent
        return PuckStatus(
            battery: percent, isBatteryLow: percent < Self.lowBattery(board), isRadioOn: radio != .wake,
            level: level, total: total, capacity: CellScale.capacity)
    }

    /// Battery percentage below which flag bit 5 and the display warn (section 10.8).
    static func lowBattery(_ board: Board) -> Int { board.memory.lockout + Board.recovery }

    /// Whether the display shows the last evaluation: the total, and the level within `step` ml.
    func isShown(on display: PuckScreen, within step: Int) -> Bool {
        guard case .status(let shown) = display else { return false }
        return shown.total == total && abs(shown.level - evaluatedLevel) < step
    }

    static func showNewDay(_ board: inout Board) {
        board.showNewDay(
            level: board.shownLevel ?? 0, capacity: CellScale.capacity, lowBattery: lowBattery(board))
    }

    func isDrawing(at now: Timestamp) -> Bool { drawnAt.map { now < $0 } ?? false }

    private mutating func finishDrawing(_ board: inout Board) {
        guard !isDrawing(at: board.now) else { return }
        drawnAt = nil
        let states = pendingStates
        pendingStates = []
        for state in states { emit(state, &board) }
    }
}

extension Board {
    /// A reading of the load cell; 0 if the converter had none in time.
    mutating func weigh() -> Int {
        if quirks.shows(.missedReadings), surroundings.chance.happens(0.02) { return 0 }
        return surroundings.weigh()
    }
}

/// Sleep timers (section 10.3).
extension ShippedFirmware {
    /// Seconds to stay awake with drinks from this awake time.
    private static let timeoutWithDrinks = 240
    /// Seconds that the firmware of plan 028 stays awake while any drinks are unsynced.
    private static let timeoutOfPlan028 = 120

    /// Applies activity marked by the Bluetooth task.
    mutating func takeActivity(_ now: Timestamp) {
        guard isActivityMarked else { return }
        isActivityMarked = false
        lastActivity = now
        lastStable = now
    }

    /// The sleep that is due, if any.
    mutating func sleepIfDue(_ board: inout Board) -> Sleep? {
        defer { isDoubleTapped = false }
        guard !isInCalibrationMode, !procedure.isActive else { return nil }
        if isDoubleTapped, hasStoodStill { return .backpack }
        let now = board.now
        if now - lastStable >= .seconds(board.memory.extendedThreshold) { return .backpack }
        guard board.memory.sleepTimeout > 0 else { return nil }
        let timeout = extendedTimeout(board) ?? board.memory.sleepTimeout
        guard now - lastActivity >= .seconds(timeout) else { return nil }
        if gesture == .uprightStable { return .normal }
        lastActivity = now
        return nil
    }

    /// Seconds to stay awake because of unsynced drinks; nil without any.
    private func extendedTimeout(_ board: Board) -> Int? {
        if board.quirks.shows(.twoMinuteWindow) { return board.unsynced > 0 ? Self.timeoutOfPlan028 : nil }
        return board.unsynced > unsyncedAtWake ? Self.timeoutWithDrinks : nil
    }

    /// The log entry of this awake time.
    func event(isExtended: Bool, _ board: Board) -> ActivityLog.Event {
        ActivityLog.Event(
            timestamp: beganTime, duration: Int((board.now - began).components.seconds), reason: wake.reason,
            isExtended: isExtended, hasDrink: hasStoredDrink)
    }
}
