import Bytes
import PluginKit

/// The firmware that the requirements ask for, with the house bindings HB-1 to HB-11 (sections 1.2 and 3.4). Gestures are
/// told as the shipped one tells them.
struct RequiredFirmware: Firmware {
    let began: Timestamp
    let beganTime: Int
    private let wake: Wake
    private let isRadioOn: Bool
    var hasStoredDrink = false
    var client: TwinClient?

    // MARK: What clients read
    /// Grams of water and bottle.
    var weight = 0
    var status: RequiredStatus?
    private var nextWeight: Timestamp

    // MARK: The loop
    private var nextPass: Timestamp
    var reading = 0
    private var gestures = GestureDetector()
    private var gesture = Gesture.none
    var isDoubleTapped = false
    private var hasStoodStill = false
    private var isEmptied = false

    // MARK: Sleep
    private var isAdvertising = false
    private var lastActivity: Timestamp
    private var lastStable: Timestamp

    static let answered: Set<PuckCharacteristic> = [.requiredConfig, .drinkHistory, .syncStatus]
    static let locksOut = false
    /// Bit 4 of Device Status is set below it (HB-5).
    static let lowBattery = 20
    private static let pause = Duration.milliseconds(200)
    /// Current Weight is told at most twice a second (HB-11).
    private static let weightPause = Duration.milliseconds(500)
    /// Advertising and being awake last so long, and so long with drinks that wait for a client.
    private static let timeout = Duration.seconds(30)
    private static let timeoutWithDrinks = Duration.seconds(240)

    init(_ wake: Wake, _ board: inout Board) {
        let now = board.now
        self.wake = wake
        began = now
        beganTime = Board.field(board.time)
        isRadioOn = !wake.isTimer
        nextWeight = now
        nextPass = now
        lastActivity = now
        lastStable = now
        publishInitialValues(&board)
        advertise(&board)
    }

    var deadline: Timestamp { nextPass }

    mutating func proceed(_ board: inout Board) -> Sleep? {
        guard nextPass <= board.now else { return nil }
        nextPass = board.now + Self.pause
        reading = board.weigh()
        feel(&board)
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

    /// ml, with the tare that the client has set.
    func level(_ board: Board) -> Double { grams - Double(board.memory.required.tare) }

    /// Grams of water and bottle.
    private var grams: Double { Double(reading) / LoadCell.countsPerGram }

    private mutating func feel(_ board: inout Board) {
        let before = gesture
        gesture = gestures.pass(board.surroundings.feel(), level: level(board), heedsLevel: true, at: board.now)
        if gesture != before { lastActivity = board.now }
        switch gesture {
        case .uprightStable:
            hasStoodStill = true
            lastStable = board.now
            if isEmptied {
                isEmptied = false
                board.rebase(reading, isKept: true)
                board.tell("shaken_empty", ["level": .number(Int(clampingReal: level(board)))])
            }
            lookForDrinks(&board)
        case .shakeWhileInverted:
            isEmptied = true
            lastStable = board.now
        default: break
        }
    }

    private mutating func lookForDrinks(_ board: inout Board) {
        let empty = Int(clampingReal: Double(board.memory.required.tare) * LoadCell.countsPerGram)
        let scale = CellScale(scale: Float(LoadCell.countsPerGram), empty: empty, full: empty)
        switch DrinkDetector.judge(reading, from: board.baseline, scale, refill: .required) {
        case .drink(let amount, let level): store(amount, level, &board)
        case .refill(let amount, let level): store(-amount, level, &board)
        case .rebase: board.rebase(reading, isKept: false)
        case .nothing: break
        }
    }

    private mutating func store(_ amount: Double, _ level: Double, _ board: inout Board) {
        let drink = board.memory.drinks.store(
            timestamp: board.memory.isTimeValid ? Board.field(board.time) : 0, amount: Int(Int16(clampingReal: amount)),
            level: Int(Int16(clampingReal: level)))
        hasStoredDrink = true
        board.rebase(reading, isKept: true)
        board.tell(
            amount > 0 ? "drink_stored" : "refill",
            ["id": .number(drink.id), "amount": .number(abs(drink.amount)), "level": .number(drink.level)])
        board.saveTime()
        if client != nil {
            board.notify(
                .drinkHistory, board.wire.bytes(RequiredHistory(records: [RequiredRecord(drink)]), as: .drinkHistory))
        }
    }

    // MARK: - What is told by itself

    private mutating func publishWeight(_ board: inout Board) {
        let now = Int(Int16(clampingReal: grams))
        guard abs(now - weight) >= 10, board.now >= nextWeight else { return }
        nextWeight = board.now + Self.weightPause
        weight = now
        let bytes = board.wire.bytes(now, as: .currentWeight)
        if client != nil { board.notify(.currentWeight, bytes) } else { board.set(.currentWeight, bytes) }
    }

    private mutating func publishStatus(_ board: inout Board) {
        let percent = board.surroundings.battery.percent
        let now = RequiredStatus(
            battery: percent,
            flags: .init(
                loadCellOk: true, accelerometerOk: true, calibrated: board.memory.loadedCalibration != nil,
                timeValid: board.memory.isTimeValid, lowBattery: percent < Self.lowBattery),
            error: 0)
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
        weight = Int(Int16(clampingReal: grams))
        board.set(.currentWeight, board.wire.bytes(weight, as: .currentWeight))
        publishStatus(&board)
    }

    // MARK: - Sleep

    private func timeout(_ board: Board) -> Duration {
        board.unsynced > 0 ? Self.timeoutWithDrinks : Self.timeout
    }

    private mutating func advertise(_ board: inout Board) {
        guard isRadioOn, client == nil, board.now - began < timeout(board) else { return }
        isAdvertising = true
        board.act(.advertise(board.identity.advertising))
    }

    private mutating func sleepIfDue(_ board: inout Board) -> Sleep? {
        defer { isDoubleTapped = false }
        if isDoubleTapped, hasStoodStill { return .backpack }
        if board.now - lastStable >= .seconds(board.memory.extendedThreshold) { return .backpack }
        if isAdvertising, board.now - began >= timeout(board) {
            isAdvertising = false
            board.act(.stopAdvertising)
        }
        guard !isAdvertising, board.now - lastActivity >= (client == nil ? Self.timeout : timeout(board)) else {
            return nil
        }
        // A client is told, which the requirements leave open.
        if let client { board.act(.disconnect(client)) }
        return .normal
    }
}

// MARK: - Clients

extension RequiredFirmware {
    mutating func take(_ input: TwinInput, _ board: inout Board) {
        switch input {
        case .connected(let newcomer):
            guard client == nil, isRadioOn else { return board.act(.disconnect(newcomer)) }
            client = newcomer
            isAdvertising = false
            lastActivity = board.now
        case .disconnected(client):
            client = nil
            advertise(&board)
        case .read(let name, _, let ticket):
            lastActivity = board.now
            board.act(.answer(ticket, .value(read(PuckCharacteristic(rawValue: name), board))))
        case .write(let name, let bytes, _, let ticket):
            lastActivity = board.now
            write(PuckCharacteristic(rawValue: name), bytes, &board)
            if let ticket { board.act(.answer(ticket, .accepted)) }
        default: break
        }
    }

    /// Records of a read of Drink History (HB-3).
    private static let mostRecords = 20

    private func read(_ characteristic: PuckCharacteristic?, _ board: Board) -> [UInt8] {
        switch characteristic {
        case .requiredConfig: board.wire.bytes(board.memory.required, as: .requiredConfig)
        case .drinkHistory:
            board.wire.bytes(
                RequiredHistory(
                    records: board.memory.drinks.pending(limit: Self.mostRecords).map { RequiredRecord($0) }),
                as: .drinkHistory)
        case .syncStatus: board.wire.bytes(board.unsynced, as: .pendingCount)
        default: []
        }
    }

    private mutating func write(_ characteristic: PuckCharacteristic?, _ bytes: [UInt8], _ board: inout Board) {
        switch characteristic {
        case .requiredConfig:
            guard let config = board.wire.value(of: bytes, as: .requiredConfig, RequiredConfig.self) else { return }
            board.memory.required = config
            if let goal = config.goal { board.tell("goal", ["ml": .number(goal)]) }
            board.store()
        case .syncStatus:
            guard let last = board.wire.value(of: bytes, as: .acknowledgement, Int.self) else { return }
            let before = board.unsynced
            board.memory.drinks.markSynced { $0.id <= last }
            board.tell("sync_done", ["records": .number(before - board.unsynced), "unsynced": .number(board.unsynced)])
            board.store()
        default: break
        }
    }
}

extension RequiredRecord {
    /// Types by amounts (HB-9).
    init(_ drink: StoredDrink) {
        let type =
            switch drink.amount {
            case ..<0: 4
            case ..<50: 1
            case ..<100: 2
            default: 3
            }
        self.init(
            recordId: drink.id, timestamp: drink.timestamp, amount: drink.amount, bottleLevel: drink.level,
            synced: drink.isSynced ? 1 : 0, type: type, reserved: 0)
    }
}
