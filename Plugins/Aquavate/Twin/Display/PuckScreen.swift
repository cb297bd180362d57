import PluginKit

/// Contents of the e-paper, which keeps its image in sleep and without power (requirements, "E-Paper Display").
enum PuckScreen: Hashable, Sendable {
    /// Nothing has been drawn yet.
    case blank
    case status(PuckStatus)
    case backpack
    /// Drawn at once when a double tap ends backpack mode.
    case waking
    case emptied
    case prompt(CalibrationPrompt)

    /// Its name in the note `display`.
    var name: String {
        switch self {
        case .blank: "blank"
        case .status: "status"
        case .backpack: "backpack"
        case .waking: "waking"
        case .emptied: "emptied"
        case .prompt: "calibration"
        }
    }

    /// Lines of a message; none for the status.
    var message: [String] {
        switch self {
        case .blank, .status: []
        case .backpack: ["backpack mode", "double-tap firmly to wake up"]
        case .waking: ["waking"]
        case .emptied: ["Bottle Emptied"]
        case .prompt(let prompt): [prompt.text]
        }
    }

    /// The note of a redraw.
    var note: TwinNote {
        switch self {
        case .blank: TwinNote("display", ["screen": .text(name)])
        case .status(let status):
            TwinNote(
                "display",
                [
                    "screen": .text(name), "battery": .number(status.battery),
                    "low_battery": .flag(status.isBatteryLow), "ble": .flag(status.isRadioOn),
                    "current": .number(status.level), "today": .number(status.total),
                ])
        case .backpack, .waking, .emptied, .prompt:
            TwinNote("display", ["screen": .text(name), "text": .text(message.joined(separator: ": "))])
        }
    }
}

/// The usual contents of the display: battery, radio, level and the day's total.
struct PuckStatus: Hashable, Sendable {
    /// Percent.
    var battery: Int
    /// Whether the warning of a low battery is shown.
    var isBatteryLow: Bool
    /// Whether the puck advertises or is connected.
    var isRadioOn: Bool
    /// Water in the bottle, in ml.
    var level: Int
    /// ml drunk today.
    var total: Int
    /// Level of a full bottle, in ml.
    var capacity: Int
}

/// A prompt of the calibration (requirements, "Precision Calibration").
enum CalibrationPrompt: Hashable, Sendable {
    case start
    case empty
    /// The capacity in ml.
    case fill(Int)
    case complete
    case failed

    /// The prompt of a state; nil for the states that draw none.
    init?(_ state: CalibrationProcedure.State, capacity: Int) {
        switch state {
        case .started: self = .start
        case .waitEmpty: self = .empty
        case .waitFull: self = .fill(capacity)
        case .complete: self = .complete
        case .error: self = .failed
        case .idle, .triggered, .measureEmpty, .measureFull: return nil
        }
    }

    var text: String {
        switch self {
        case .start: "Calibration"
        case .empty: "Empty bottle"
        case .fill(let capacity): "Fill to \(capacity)ml"
        case .complete: "Calibration complete"
        case .failed: "Calibration failed"
        }
    }
}

extension Board {
    /// Draws the display and reports its contents.
    mutating func show(_ screen: PuckScreen) {
        display = screen
        if case .status(let status) = screen { shownLevel = status.level }
        act(.event(screen.note))
    }

    /// Draws the status with the total of today, while the radio is off.
    mutating func showNewDay(level: Int, capacity: Int, lowBattery: Int) {
        let percent = surroundings.battery.percent
        show(
            .status(
                PuckStatus(
                    battery: percent, isBatteryLow: percent < lowBattery, isRadioOn: false, level: level, total: total,
                    capacity: capacity)))
    }
}
