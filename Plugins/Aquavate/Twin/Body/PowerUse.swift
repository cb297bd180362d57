import Bytes
import PluginKit

/// The power states of the requirements ("Power States") with their currents.
enum PowerState: String, CaseIterable, Sendable {
    case deepSleep = "deep sleep"
    /// Booting, or awake with the radio off.
    case wake
    case measuring
    case advertising
    case connected

    /// In mA.
    var milliamperes: Double {
        switch self {
        case .deepSleep: 0.1
        case .wake: 50
        case .measuring: 80
        case .advertising: 20
        case .connected: 30
        }
    }
}

/// Time that a puck has spent in each power state, and its energy use.
struct PowerUse: Sendable {
    /// Smallest and largest battery of the requirements ("Hardware Platform"), in mAh.
    static let capacities = [500.0, 1000]
    /// Current of a breakout board's LED that was not cut off, in mA ("Disable LEDs": 1 to 2).
    private static let led = 2.0
    /// Seconds of one reading of the load cell, which gives ten a second (section 9.1).
    private static let reading = 0.1

    private var seconds: [PowerState: Double] = [:]
    /// Seconds of measuring still to be accounted for: the next seconds awake.
    private var measuring = 0.0
    /// Wakes by the timer, and their charge in mAh.
    private var timerWakes = 0
    private var timerCharge = 0.0

    /// Starts readings of the load cell.
    mutating func measure(readings: Int) { measuring = max(measuring, Double(readings) * Self.reading) }

    mutating func wakeByTimer() { timerWakes += 1 }

    /// Accounts for time in a state.
    mutating func spend(_ time: Double, in state: PowerState, isTimerWake: Bool = false) {
        let measured = state == .deepSleep ? 0 : min(measuring, time)
        measuring = state == .deepSleep ? 0 : measuring - measured
        seconds[state, default: 0] += time - measured
        if measured > 0 { seconds[.measuring, default: 0] += measured }
        guard isTimerWake, state != .deepSleep else { return }
        let current = PowerState.measuring.milliamperes * measured + state.milliamperes * (time - measured)
        timerCharge += current / 3600
    }

    var energy: EnergyUse {
        var energy = EnergyUse(
            PowerState.allCases.map {
                .init($0.rawValue, milliamperes: $0.milliamperes, seconds: seconds[$0] ?? 0)
            }, capacities: Self.capacities)
        guard energy.seconds > 0 else { return energy }
        if timerWakes > 0 {
            let perDay = timerCharge / energy.seconds * 86_400
            energy.remarks.append(
                "\(timerWakes) wakes by the timer: \(timerCharge.text(fixed: 2)) mAh, "
                    + "\(perDay.text(fixed: 1)) mAh a day (the requirements say about 1)")
        }
        let days = Self.capacities.compactMap { energy.days(of: $0, with: Self.led) }
        energy.remarks.append(
            "with an LED that nobody has cut off (\(Self.led.text(fixed: 0)) mA): "
                + days.map { $0.text(fixed: 0) }.joined(separator: " and ") + " days")
        return energy
    }
}

extension PowerUse {
    /// An awake time, as reported in a puck's activity.
    struct Wake: Hashable {
        /// Seconds since 1970.
        var start: Int64
        var seconds: Int64
        var isByTimer: Bool
        var hasDrink: Bool

        var end: Int64 { start + seconds }
    }

    /// Readings of the load cell in an awake time with a drink.
    private static let readingsOfDrink = 10

    /// Power use from the first wake to the end of the last. The puck sleeps between wakes, advertises while awake, and
    /// is connected while a client was. A wake by the timer keeps the radio off. Connections are in seconds since 1970.
    init(_ wakes: [Wake], connections: [(start: Double, end: Double)]) {
        self.init()
        let boot = Board.bootTime / .seconds(1)
        var last: Int64?
        for wake in wakes.sorted(by: { $0.start < $1.start }) {
            if let last { spend(max(0, Double(wake.start - last) - boot), in: .deepSleep) }
            spend(boot, in: .wake, isTimerWake: wake.isByTimer)
            if wake.isByTimer { wakeByTimer() }
            if wake.hasDrink { measure(readings: Self.readingsOfDrink) }
            let awake = Double(wake.seconds)
            let connected = connections.reduce(0.0) {
                $0 + max(0, min($1.end, Double(wake.end)) - max($1.start, Double(wake.start)))
            }
            let time = min(connected, awake)
            spend(awake - time, in: wake.isByTimer ? .wake : .advertising, isTimerWake: wake.isByTimer)
            spend(time, in: .connected, isTimerWake: wake.isByTimer)
            last = max(last ?? wake.end, wake.end)
        }
    }
}
