import Bluetooth
import Bytes
import PluginKit

/// A puck: a board with its sensors, its power, and a firmware, whose working memory lasts between two deep sleeps.
struct PuckTwin<Program: Firmware>: DeviceTwin {
    var board: Board
    var power = Power.off
    /// Working memory of the firmware; nil unless it is awake.
    var firmware: Program?
    /// Cause of the last wake-up.
    var lastWake = Wake.powerOn

    /// Maximum number of steps at once, after a long time without input.
    private static var stepLimit: Int { 200_000 }

    init(_ settings: TwinSettings, _ dialect: Dialect) throws(TwinFault) {
        let quirks = PuckQuirks(dialect == .shipped ? settings.quirks : QuirkSelection(.fixed))
        board = Board(
            wire: try PuckWire(), quirks: quirks, identity: PuckIdentity(settings.address, dialect, quirks),
            memory: try settings.storage.map { json throws(TwinFault) in try PuckMemory(json) } ?? PuckMemory(dialect),
            seed: settings.seed)
    }

    var answered: Set<String> { Set(Program.answered.map(\.rawValue)) }

    var address: Address? { board.identity.address }
    var deviceName: String? { board.identity.name }
    var storage: [UInt8]? { board.stored.json }
    var display: [String]? { board.display.picture }

    func energy(at now: Timestamp) -> EnergyUse? {
        var puck = self
        puck.advance(to: now)
        return puck.board.powerUse.energy
    }

    var deadline: Timestamp? {
        let own: Timestamp? =
            switch power {
            case .off: nil
            case .booting(_, let end), .asleep(_, let end): end
            case .awake: firmware?.deadline
            }
        return [own, board.surroundings.deadline].compactMap(\.self).min()
    }

    mutating func handle(_ input: TwinInput, at now: Timestamp) -> [TwinAction] {
        advance(to: now)
        switch input {
        case .powerOn: powerUp()
        case .stimulus(let stimulus): experience(stimulus)
        case .time, .subscribed, .written, .confirmed: break
        case .connected, .disconnected, .capacity, .read, .write:
            if firmware?.take(input, &board) == nil, case .connected = input {
                // The radio was switched off in the same moment.
                board.act(.fallSilent)
            }
        }
        // Work that has just become due is done at once.
        advance(to: now)
        return board.takeActions()
    }

    /// Does all pending work, in order.
    private mutating func advance(to now: Timestamp) {
        for _ in 0..<Self.stepLimit {
            guard let due = deadline, due <= now else { break }
            pass(to: due)
            proceed()
        }
        pass(to: now)
    }

    private mutating func pass(to time: Timestamp) {
        if time > board.now, let state = powerState {
            let seconds = Double(time.nanoseconds(since: board.now)) / 1e9
            board.powerUse.spend(seconds, in: state, isTimerWake: lastWake.isTimer)
        }
        switch power {
        case .off: board.begin(at: time)
        case .booting, .awake: board.pass(to: time, isAwake: true)
        case .asleep: board.pass(to: time, isAwake: false)
        }
    }

    private var powerState: PowerState? {
        switch power {
        case .off: nil
        case .booting: .wake
        case .awake: firmware?.radio ?? .wake
        case .asleep: .deepSleep
        }
    }

    private mutating func proceed() {
        if let planned = board.surroundings.deadline, planned <= board.now {
            if let jolt = board.surroundings.proceed() { feel(jolt) }
            return
        }
        switch power {
        case .off: break
        case .booting(let wake, _): endBoot(wake)
        case .asleep(let sleep, _): wakeByTimer(from: sleep)
        case .awake:
            if let sleep = firmware?.proceed(&board) { fallAsleep(sleep) }
        }
    }
}

// MARK: - Stimuli

extension PuckTwin {
    private mutating func experience(_ stimulus: Stimulus) {
        guard let (kind, amount) = stimulus.ofPuck else { return }
        board.surroundings.plan(kind.steps(amount), at: board.now)
        switch kind {
        case .water: board.rebase(board.surroundings.stand(with: amount), isKept: true)
        case .battery: board.surroundings.battery.set(percent: amount)
        case .charge: board.surroundings.battery.charge(to: amount)
        case .powerCycle: powerUp()
        case .factoryReset:
            var memory = PuckMemory.factory
            memory.surroundings = board.stored.surroundings
            board.memory = memory
            powerUp()
        case .history:
            board.remember(Int(amount))
            firmware?.recallDrinks(board)
        case .activity: board.activity.recall(Int(amount), before: Board.field(board.time))
        case .setClockDrift: board.clock.setDrift(amount, at: board.now)
        case .setTimeZone: board.memory.timeZone = Int(amount)
        case .loadCellFault: board.surroundings.loadCell.isFaulty = amount >= 1
        case .setNoise: board.surroundings.loadCell.noise = amount * LoadCell.countsPerGram
        default: break
        }
    }

    private mutating func feel(_ jolt: Surroundings.Jolt) {
        switch power {
        case .asleep(.normal, _) where jolt.isActivity: wakeUp(.motion)
        case .asleep(.backpack, _) where jolt.isDoubleTap: wakeUp(.doubleTap)
        case .awake where jolt.isDoubleTap: firmware?.isDoubleTapped = true
        case .awake where jolt.isActivity: firmware?.feelMotion(at: board.now)
        case .off, .booting, .awake, .asleep: break
        }
    }
}
