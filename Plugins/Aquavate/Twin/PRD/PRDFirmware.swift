import Bytes
import PluginKit

/// Firmware as the requirements specify it, with this project's bindings HB-1 to HB-13 where they leave the bytes open.
struct PRDFirmware: Firmware {
    let began: Timestamp
    /// Start of its advertising period: the boot, or the last movement while it did not advertise.
    private var advertisingBegan: Timestamp
    let beganTime: Int
    private let wake: Wake
    var hasStoredDrink = false
    var client: TwinClient?
    /// A client has read drinks but not acknowledged the last of them.
    var isSyncing = false

    // MARK: Values that clients read
    /// Grams of water and bottle.
    var weight = 0
    var status: PRDStatus?
    private var nextWeight: Timestamp

    // MARK: The loop
    private var nextPass: Timestamp
    var reading = 0
    private var gestures = PRDGestureDetector()
    private(set) var gesture = Gesture.none
    private var attempt: MeasurementAttempt
    var isDoubleTapped = false
    private var hasStoodStill = false
    private var isEmptied = false

    // MARK: The display
    /// The bottle has been picked up since the display was drawn.
    private var isPickedUp: Bool
    /// Until when a message is shown.
    var messageEnd: Timestamp?
    // MARK: Calibration
    var calibration = CalibrationProcedure(limits: .meant)
    /// The measurement of `calibration`.
    var measurement: Measurement?
    /// State of the calibration in Device Status; nil before the first one.
    var reportedCalibration: CalibrationProcedure.State?

    // MARK: Sleep
    var isAdvertising = false
    var lastActivity: Timestamp
    private var lastStable: Timestamp

    static let answered: Set<PuckCharacteristic> = [.prdBottleConfig, .drinkHistory, .syncStatus]
    /// An empty battery is found charged by the next health check.
    static let lockoutPause = Sleep.limit
    static let rolloverDelay = Duration.zero
    /// Battery percentage below which bit 4 of Device Status is set (HB-5).
    static let lowBattery = 20
    private static let pause = Duration.milliseconds(200)
    /// Duration of a message on the display, as in the shipped firmware.
    private static let messageTime = Duration.seconds(3)
    /// Current Weight is notified at most twice a second (HB-11).
    private static let weightPause = Duration.milliseconds(500)
    /// Duration of advertising and of being awake: without pending drinks, and with them.
    private static let timeout = Duration.seconds(30)
    private static let timeoutWithDrinks = Duration.seconds(240)

    init(_ wake: Wake, _ board: inout Board) {
        let now = board.now
        self.wake = wake
        began = now
        advertisingBegan = now
        beganTime = Board.field(board.time)
        attempt = .settling(since: now)
        nextWeight = now
        nextPass = now
        isPickedUp = !wake.isTimer
        lastActivity = now
        lastStable = now
        publishInitialValues(&board)
        advertise(&board)
    }

    /// Battery percentage at which the puck runs out, and at which a health check finds it charged again.
    private static let depleted = 1
    private static let recovered = depleted + Board.recovery

    static func leastCharge(after wake: Wake, _ memory: PuckMemory) -> Int {
        wake == .lockoutCheck ? recovered : depleted
    }

    var deadline: Timestamp { min(nextPass, measurement?.next ?? nextPass) }
    var radio: PowerState { client != nil ? .connected : isAdvertising ? .advertising : .wake }

    mutating func proceed(_ board: inout Board) -> Sleep? {
        if let due = measurement?.next, due <= board.now { measureForCalibration(&board) }
        guard nextPass <= board.now else { return nil }
        if board.surroundings.battery.percent < Self.depleted { return .lockout }
        nextPass = board.now + Self.pause
        if !isAdvertising { advertise(&board) }
        draw(&board)
        feel(&board)
        reading = attempt == .measuring ? board.weighPrecisely() : board.weigh()
        serveCalibration(&board)
        let isMeasured = attempt == .measuring && !calibration.isActive
        if isMeasured, !board.surroundings.loadCell.isFaulty { measure(&board) }
        publishWeight(&board)
        publishStatus(&board)
        return sleepIfDue(&board)
    }

    func event(isExtended: Bool, _ board: Board) -> ActivityLog.Event {
        ActivityLog.Event(
            timestamp: beganTime, duration: Int((board.now - began).components.seconds), reason: wake.reason,
            isExtended: isExtended, hasDrink: hasStoredDrink)
    }

    // MARK: - Sensors

    mutating func feelMotion(at now: Timestamp) {
        if !isAdvertising { advertisingBegan = now }
        if gesture == .uprightStable { isPickedUp = true }
        attempt = .settling(since: now)
        gestures.beginAgain()
    }

    /// ml, with the tare set by the client.
    func level(_ board: Board) -> Double { board.requiredLevel(reading) }

    private mutating func feel(_ board: inout Board) {
        let before = gesture
        gesture = gestures.pass(board.surroundings.feel(), at: board.now)
        if gesture != before { lastActivity = board.now }
        let attempt = attempt.next(isStable: gesture == .uprightStable, at: board.now)
        if attempt != self.attempt, attempt == .timedOut { board.emit("measurement_timeout") }
        if attempt == .measuring, attempt != self.attempt {
            board.powerUse.measure(readings: PRDCalibration.readings)
        }
        self.attempt = attempt
        switch gesture {
        case .uprightStable:
            hasStoodStill = true
            lastStable = board.now
        case .shakeWhileInverted:
            isEmptied = true
            lastStable = board.now
        default: break
        }
    }

    /// Compares the weight with the last recorded one.
    private mutating func measure(_ board: inout Board) {
        if isEmptied {
            isEmptied = false
            board.rebase(reading, isKept: true)
            board.emit("shaken_empty", ["level": .number(Int(clampingReal: level(board)))])
            board.show(.emptied)
            messageEnd = board.now + Self.messageTime
        }
        switch DrinkDetector.judge(reading, from: board.baseline, .required, level: board.requiredLevel) {
        case .drink(let amount, let level): store(amount, level, &board)
        case .refill(let amount, let level): store(-amount, level, &board)
        case .rebase: board.rebase(reading, isKept: true)
        case .nothing: break
        }
    }

    private mutating func store(_ amount: Double, _ level: Double, _ board: inout Board) {
        let drink = board.memory.drinks.store(
            timestamp: board.memory.isTimeValid ? Board.field(board.time) : 0, amount: Int(Int16(clampingReal: amount)),
            level: Int(Int16(clampingReal: level)))
        if !board.memory.isTimeValid { board.markUndated(drink.id) }
        hasStoredDrink = true
        board.rebase(reading, isKept: true)
        board.emit(
            amount > 0 ? "drink_stored" : "refill",
            ["id": .number(drink.id), "amount": .number(abs(drink.amount)), "level": .number(drink.level)])
        board.saveTime()
        if client != nil {
            board.notify(
                .drinkHistory, board.wire.bytes(PRDHistory(records: [PRDRecord(drink)]), as: .drinkHistory))
        }
    }

    // MARK: - The display

    /// Draws the status when the bottle is picked up, and after a message ("Update Triggers"). The prompt of a calibration
    /// stays: the bottle is picked up to be filled.
    private mutating func draw(_ board: inout Board) {
        guard calibration.state == .idle else { return }
        let isOver = messageEnd.map { $0 <= board.now } ?? false
        guard isOver || isPickedUp && messageEnd == nil else { return }
        messageEnd = nil
        isPickedUp = false
        let percent = board.surroundings.battery.percent
        board.show(
            .status(
                PuckStatus(
                    battery: percent, isBatteryLow: percent < Self.lowBattery, isRadioOn: radio != .wake,
                    level: Self.recordedLevel(board), total: board.total, capacity: board.memory.required.capacity)))
    }

    /// Level of the last recorded weight in ml: a bottle in a hand does not rest on the load cell.
    private static func recordedLevel(_ board: Board) -> Int {
        min(max(Int(clampingReal: board.requiredLevel(board.baseline)), 0), board.memory.required.capacity)
    }

    static func showNewDay(_ board: inout Board) {
        board.showNewDay(
            level: recordedLevel(board), capacity: board.memory.required.capacity, lowBattery: lowBattery)
    }

    // MARK: - Notifications

    private mutating func publishWeight(_ board: inout Board) {
        let now = Int(Int16(clampingReal: board.requiredCalibration.grams(reading)))
        guard abs(now - weight) >= 10, board.now >= nextWeight else { return }
        nextWeight = board.now + Self.weightPause
        weight = now
        let bytes = board.wire.bytes(now, as: .currentWeight)
        if client != nil { board.notify(.currentWeight, bytes) } else { board.set(.currentWeight, bytes) }
    }

    mutating func publishStatus(_ board: inout Board) {
        let percent = board.surroundings.battery.percent
        let isFaulty = board.surroundings.loadCell.isFaulty
        let now = PRDStatus(
            battery: percent,
            flags: .init(
                loadCellOk: !isFaulty, accelerometerOk: true, calibrated: board.requiredCalibration.isPrecise,
                timeValid: board.memory.isTimeValid, lowBattery: percent < Self.lowBattery),
            error: isFaulty ? .loadCell : .none,
            calibration: reportedCalibration.map { .init(rawValue: $0.rawValue) })
        guard now != status else { return }
        let isNewLevel = now.battery != status?.battery
        status = now
        let bytes = board.wire.bytes(now, as: .deviceStatus)
        let level = board.wire.bytes(percent, as: .batteryLevel)
        if client != nil {
            board.notify(.deviceStatus, bytes)
            if isNewLevel { board.notify(.batteryLevel, level) }
        } else {
            board.set(.deviceStatus, bytes)
            board.set(.batteryLevel, level)
        }
    }

    private mutating func publishInitialValues(_ board: inout Board) {
        for (name, value) in board.identity.information { board.act(.set(name, value)) }
        reading = board.weigh()
        weight = Int(Int16(clampingReal: board.requiredCalibration.grams(reading)))
        board.set(.currentWeight, board.wire.bytes(weight, as: .currentWeight))
        publishStatus(&board)
    }

    // MARK: - Sleep

    private func timeout(_ board: Board) -> Duration {
        board.unsynced > 0 ? Self.timeoutWithDrinks : Self.timeout
    }

    mutating func advertise(_ board: inout Board) {
        guard client == nil, board.now - advertisingBegan < timeout(board) else { return }
        isAdvertising = true
        board.act(.advertise(board.identity.advertising))
    }

    private mutating func sleepIfDue(_ board: inout Board) -> Sleep? {
        defer { isDoubleTapped = false }
        if calibration.state != .idle {
            lastActivity = board.now
            lastStable = board.now
            return nil
        }
        if isDoubleTapped, hasStoodStill { return .backpack }
        if board.now - lastStable >= .seconds(board.memory.extendedThreshold) { return .backpack }
        if isAdvertising, board.now - advertisingBegan >= timeout(board) {
            isAdvertising = false
            board.act(.stopAdvertising)
        }
        guard !isAdvertising, board.now - lastActivity >= (client == nil ? Self.timeout : timeout(board)) else {
            return nil
        }
        // Disconnects the client, which the requirements leave open.
        if let client { board.act(.disconnect(client)) }
        return .normal
    }
}

extension Board {
    var requiredCalibration: PRDCalibration { memory.requiredCalibration ?? .precise }

    /// ml of a reading, with the tare set by the client.
    func requiredLevel(_ reading: Int) -> Double { requiredCalibration.grams(reading) - Double(memory.required.tare) }
}
