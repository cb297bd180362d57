import PluginKit

/// A task that the user can give a gateway.
enum GatewayTask: String, CaseIterable, Sendable {
    case connect, disconnect
    case setLocation = "set_location"
    case identify

    var definition: StimulusDefinition {
        switch self {
        case .connect:
            StimulusDefinition(rawValue, "Connects, and comes back whenever the connection is lost.", key: "c")
        case .disconnect: StimulusDefinition(rawValue, "Disconnects, and stays so.", key: "d")
        case .setLocation:
            StimulusDefinition(
                rawValue, "Tells the counter where it hangs.",
                amount: .init("", in: 0...Double(UInt16.max)))
        case .identify: StimulusDefinition(rawValue, "Lets the counter blink.", key: "n")
        }
    }
}
