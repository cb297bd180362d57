import PluginKit

/// An event that can happen to a puck.
enum PuckStimulus: String, CaseIterable, Sendable {
    case placeBottle = "place_bottle"
    case lift
    case tilt
    case layDown = "lay_down"
    case invert
    case carry
    case sip
    case refill
    case water
    case pourOut = "pour_out"
    case shake
    case doubleTap = "double_tap"
    case motion
    case battery
    case charge
    case powerCycle = "power_cycle"
    case factoryReset = "factory_reset"
    case history
    case activity
    case setClockDrift = "set_clock_drift"
    case setTimeZone = "set_time_zone"
    case setNoise = "set_noise"
    case loadCellFault = "load_cell_fault"

    var definition: StimulusDefinition {
        StimulusDefinition(rawValue, title, amount: amount, key: key)
    }

    private var title: String {
        switch self {
        case .placeBottle: "Stands the bottle on a table."
        case .lift: "Takes the bottle into a hand, upright."
        case .tilt: "Tilts the bottle, as for drinking."
        case .layDown: "Lays the bottle on its side."
        case .invert: "Turns the bottle upside down."
        case .carry: "Carries the bottle about in a bag."
        case .sip: "Takes the bottle, drinks and stands it down again."
        case .refill: "Takes the bottle, fills it up to so much and stands it down again."
        case .water: "The bottle stands there with so much water, as it did before: no drink and no refill."
        case .pourOut: "Takes the bottle, pours all of its water out and stands it down again."
        case .shake: "Shakes so much water out of the inverted bottle, for three seconds, and stands it down again."
        case .doubleTap: "Knocks at the bottle twice, firmly."
        case .motion: "Knocks at the bottle without moving it."
        case .battery: "The battery shows so much from now on."
        case .charge: "Charges the battery until it shows so much."
        case .powerCycle: "Takes the power away and gives it back at once."
        case .factoryReset: "Makes it a new puck, without drinks, calibration and time, and switches it on."
        case .history: "Stores so many drinks of the last days, as they led to the level of now."
        case .activity: "Remembers so many times awake, each fifth of them followed by a time in a bag."
        case .setClockDrift: "Its clock runs fast by so much from now on."
        case .setTimeZone: "Its local time is so far ahead of UTC from now on, as though set by cable."
        case .setNoise: "Readings of its load cell stray by so much from now on."
        case .loadCellFault: "Its load cell fails and reads 0; 0 mends it."
        }
    }

    private var amount: StimulusDefinition.Amount? {
        switch self {
        case .tilt: .init("deg", in: 1...180, usual: 52)
        case .motion: .init("g", in: 0.1...16, usual: 2)
        case .doubleTap: .init("g", in: 0.1...16, usual: 4)
        case .sip: .init("ml", in: 1...830, usual: 50)
        case .refill, .shake, .water: .init("ml", in: 0...830, usual: 830)
        case .battery: .init("%", in: 0...100, usual: 20)
        case .charge: .init("%", in: 0...100, usual: 100)
        case .history: .init("", in: 1...600, usual: 20)
        case .activity: .init("", in: 1...100, usual: 25)
        case .setClockDrift: .init("ppm", in: -100_000...100_000)
        case .setTimeZone: .init("h", in: -12...14)
        case .setNoise: .init("g", in: 0...50, usual: 0.01)
        case .loadCellFault: .init("", in: 0...1, usual: 1)
        default: nil
        }
    }

    private var key: Character? {
        switch self {
        case .placeBottle: "p"
        case .lift: "l"
        case .tilt: "t"
        case .invert: "i"
        case .carry: "c"
        case .sip: "s"
        case .refill: "r"
        case .pourOut: "o"
        case .shake: "e"
        case .doubleTap: "d"
        case .motion: "m"
        case .battery: "b"
        case .charge: "g"
        case .powerCycle: "x"
        default: nil
        }
    }

    /// Changes to the bottle, each a number of seconds after the one before; empty for other stimuli.
    func steps(_ amount: Double) -> [(seconds: Double, change: Surroundings.Change)] {
        switch self {
        case .placeBottle: [(0, .pose(.standing))]
        case .lift: [(0, .pose(.held))]
        case .tilt: [(0, .tilt(amount))]
        case .layDown: [(0, .pose(.lying))]
        case .invert: [(0, .pose(.inverted))]
        case .carry: [(0, .pose(.carried))]
        case .sip: Self.tilting(.drink(amount))
        case .pourOut: Self.tilting(.fill(0))
        case .refill: [(0, .pose(.held)), (1.5, .fill(amount)), (1.5, .pose(.standing))]
        case .shake:
            [
                (0, .pose(.held)), (0.5, .pose(.shakenInverted)), (2.5, .drink(amount)), (0.5, .pose(.held)),
                (0.6, .pose(.standing)),
            ]
        case .doubleTap: [(0, .doubleTap(amount))]
        case .motion: [(0, .knock(amount))]
        default: []
        }
    }

    private static func tilting(_ change: Surroundings.Change) -> [(seconds: Double, change: Surroundings.Change)] {
        [
            (0, .pose(.held)), (0.6, .pose(.tilted)), (1.4, change), (0.6, .pose(.held)), (0.6, .pose(.standing)),
        ]
    }
}

extension Stimulus {
    /// The puck's stimulus, with its amount or the usual one clamped to its range; nil if this is not one of a puck's.
    var ofPuck: (kind: PuckStimulus, amount: Double)? {
        PuckStimulus(rawValue: name).map { ($0, $0.definition.taken(amount)) }
    }
}
