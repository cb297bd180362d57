import Bytes
import PluginKit

/// A puck without the working memory of its firmware: sensors, clock, memory kept without power, state kept in deep
/// sleep, and the queue of its actions.
struct Board: Sendable {
    let wire: PuckWire
    let quirks: PuckQuirks
    let identity: PuckIdentity
    private(set) var now = Timestamp(nanoseconds: 0)
    var surroundings: Surroundings
    var memory: PuckMemory
    /// Kept in deep sleep, as are the next five.
    var clock: SystemClock
    /// IDs of records that were stored before the time was known, with the clock's seconds then.
    private var undated: [Int: Int] = [:]
    var activity = ActivityLog()
    /// The reading that drinks are measured from; 0 for none.
    var baseline = 0
    /// The e-paper, which keeps its image without power too.
    var display = PuckScreen.blank
    /// Level of the status drawn last, in ml; nil if none was drawn.
    var shownLevel: Int?
    var powerUse = PowerUse()
    private var actions: [TwinAction] = []

    /// Time from waking up to the end of the boot: a fixed pause, then the sensors.
    static let bootTime = Duration.milliseconds(1500)
    /// Percent above the lockout threshold at which a puck resumes, and below which it warns.
    static let recovery = 5
    /// 2000-01-01.
    private static let clockChipEpoch = 946_684_800

    init(wire: PuckWire, quirks: PuckQuirks, identity: PuckIdentity, memory: PuckMemory, seed: UInt64) {
        self.wire = wire
        self.quirks = quirks
        self.identity = identity
        self.memory = memory
        surroundings = Surroundings(
            water: memory.surroundings.water, pose: memory.surroundings.pose, tilt: memory.surroundings.tilt,
            charge: memory.surroundings.charge, seed: seed)
        clock = SystemClock(shows: 0, at: now)
    }

    // MARK: Time

    /// Sets the current time without draining the battery.
    mutating func begin(at time: Timestamp) { now = time }

    /// Advances to a time, and drains or charges the battery.
    mutating func pass(to time: Timestamp, isAwake: Bool) {
        guard time > now else { return }
        surroundings.battery.pass(Double(time.nanoseconds(since: now)) / 1e9, isAwake: isAwake)
        now = time
    }

    /// Handles power-up: state kept in deep sleep is lost.
    mutating func powerUp(at time: Timestamp) {
        if now < time { now = time }
        let known = memory.isTimeValid ? memory.savedTime ?? Int(now.nanoseconds / 1_000_000_000) : 0
        clock = SystemClock(shows: known, drift: clock.drift, at: now)
        undated = [:]
        activity = ActivityLog()
        baseline = memory.baseline
    }

    /// Seconds of the puck's epoch: with its offset from UTC, which the puck never reports to a client.
    var time: Int { clock.seconds(at: now) + (quirks.shows(.localTimestamps) ? offset : 0) }

    /// Start of today, in seconds of the puck's epoch.
    var dayStart: Int {
        let rest = quirks.shows(.localTimestamps) ? 0 : offset
        return Int((Double(time + rest) / 86_400).rounded(.down)) * 86_400 - rest
    }

    private var offset: Int { memory.timeZone * 3600 }

    /// Reads the clock chip, which starts with the year 2000 if it was never set.
    mutating func readClockChip() {
        let seconds = Int(now.nanoseconds / 1_000_000_000)
        let start = memory.clockChipStart ?? Self.field(seconds)
        memory.clockChipStart = start
        memory.isTimeValid = true
        clock.set(Self.clockChipEpoch + seconds - start, at: now)
    }

    /// Marks a stored record whose timestamp is not known yet.
    mutating func markUndated(_ id: Int) { undated[id] = clock.seconds(at: now) }

    /// Sets the clock. Records that were stored since the power came back get their time, too: the clock ran meanwhile.
    mutating func setClock(_ time: Int) {
        let shift = time - clock.seconds(at: now)
        for var drink in memory.drinks.drinks {
            guard let seconds = undated[drink.id] else { continue }
            drink.timestamp = Self.field(seconds + shift)
            memory.drinks.replace(drink.id, by: drink)
        }
        undated = [:]
        clock.set(time, at: now)
        memory.isTimeValid = true
    }

    /// Seconds, clamped to a 32-bit field.
    static func field(_ seconds: Int) -> Int { min(max(seconds, 0), Int(UInt32.max)) }

    // MARK: Memory

    /// Number of pending records as the puck reports it: deleted ones count too.
    var unsynced: Int {
        quirks.shows(.countsDeleted) ? memory.drinks.unsyncedCount : memory.drinks.pendingCount
    }

    var total: Int { memory.drinks.total(since: dayStart) }

    /// Makes a reading the one that drinks are measured from.
    mutating func rebase(_ reading: Int, isKept: Bool) {
        baseline = reading
        if isKept { memory.baseline = reading }
    }

    mutating func saveTime() {
        if memory.isTimeValid { memory.savedTime = Self.field(clock.seconds(at: now)) }
        store()
    }

    /// The memory, with the current state of the bottle.
    var stored: PuckMemory {
        var memory = memory
        memory.surroundings = PuckMemory.Surroundings(
            water: surroundings.water, pose: surroundings.pose, tilt: surroundings.tilt,
            charge: surroundings.battery.charge)
        return memory
    }

    // MARK: Actions

    mutating func act(_ action: TwinAction) { actions.append(action) }

    /// Returns and clears the actions since the last call.
    mutating func takeActions() -> [TwinAction] {
        defer { actions = [] }
        return actions
    }

    mutating func store() {
        if actions.last != .store { act(.store) }
    }

    mutating func emit(_ name: String, _ facts: KeyValuePairs<String, TwinNote.Amount> = [:]) {
        act(.event(TwinNote(name, facts)))
    }

    mutating func set(_ characteristic: PuckCharacteristic, _ bytes: [UInt8]) {
        act(.set(characteristic.rawValue, bytes))
    }

    /// Sets a value and notifies it to the connected client.
    mutating func notify(_ characteristic: PuckCharacteristic, _ bytes: [UInt8]) {
        set(characteristic, bytes)
        act(.notify(characteristic.rawValue, bytes))
    }
}

/// Characteristics by their names in the profile.
typealias PuckCharacteristic = DeviceProfile.CharacteristicName

extension Board {
    /// The board of a puck that follows a real one, with unknown memory.
    init(following dialect: Dialect, _ quirks: PuckQuirks) throws(TwinFault) {
        var memory = PuckMemory()
        memory.drinks = .unknown
        self.init(
            wire: try PuckWire(), quirks: quirks, identity: PuckIdentity(nil, dialect, quirks), memory: memory, seed: 1)
    }
}
