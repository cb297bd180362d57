import PluginKit

/// An event that can happen to a phone's battery.
enum PhoneStimulus: String, CaseIterable, Sendable {
    case plugIn = "plug_in"
    case layOnPad = "lay_on_pad"
    case unplug
    case use
    case battery

    var definition: StimulusDefinition {
        switch self {
        case .plugIn:
            StimulusDefinition(
                rawValue,
                "A cable charges the phone with so much power, as it reaches the battery.",
                amount: .init("W", in: 0.1...240, usual: 20), key: "p")
        case .layOnPad:
            StimulusDefinition(
                rawValue,
                "A wireless charger charges the phone with so much power, and with a fifth less once it is warm.",
                amount: .init("W", in: 0.1...240, usual: 15), key: "w")
        case .unplug: StimulusDefinition(rawValue, "Nothing charges the phone any more.", key: "u")
        case .use:
            StimulusDefinition(
                rawValue, "The phone uses so much power; 0 while it lies there.",
                amount: .init("W", in: 0...30, usual: 3), key: "l")
        case .battery: StimulusDefinition(rawValue, "The battery has this charge.", amount: .init("%", in: 0...100))
        }
    }
}
