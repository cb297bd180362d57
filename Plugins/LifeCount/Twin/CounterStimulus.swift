import PluginKit

/// An event that can happen to a counter.
enum CounterStimulus: String, CaseIterable, Sendable {
    case clickIn = "click_in"
    case clickOut = "click_out"
    case rate
    case reboot
    case loseClock = "lose_clock"
    case sensorFault = "sensor_fault"
    case battery
    case nextNumber = "next_number"

    var definition: StimulusDefinition {
        switch self {
        case .clickIn: StimulusDefinition(rawValue, "Somebody comes in.", key: "i")
        case .clickOut: StimulusDefinition(rawValue, "Somebody goes out.", key: "o")
        case .rate:
            StimulusDefinition(
                rawValue,
                "So many people pass in a minute, at random, in and out; 0 ends it.",
                amount: .init("/min", in: 0...600, usual: 10), key: "p")
        case .reboot:
            StimulusDefinition(
                rawValue, "The counter begins anew: without events and without a clock, from number 0.", key: "b")
        case .loseClock: StimulusDefinition(rawValue, "The counter forgets the time, until somebody sets it.", key: "l")
        case .sensorFault:
            StimulusDefinition(
                rawValue,
                "The sensor fails (1), and nobody is counted; or it works again (0).",
                amount: .init("", in: 0...1, usual: 1), key: "f")
        case .battery: StimulusDefinition(rawValue, "The battery has this charge.", amount: .init("%", in: 0...100))
        case .nextNumber:
            StimulusDefinition(
                rawValue,
                "The next event has this number, as after that many events: shows the wrap after 4294967295, gaps and "
                    + "resets.", amount: .init("", in: 0...Double(UInt32.max)))
        }
    }
}
