public import PluginKit
public import Profile

/// The Aquavate smart-bottle puck in two dialects: the shipped firmware and the product requirements.
public enum Aquavate: BuiltInPlugin {
    public static let name = "Aquavate"
    public static var profile: ProfileText { DeviceProfile.text }
    public static var behaviour: (any PluginBehaviour)? { AquavateBehaviour() }
    public static var scenarios: [(name: String, text: String)] { DeviceProfile.scenarios }
    public static var commands: [PluginCommandGroup] { HydrationCommands.groups }
    public static var tables: StoredTables? { PuckTables.tables }
    public static var tests: [(name: String, text: String)] { DeviceProfile.tests }
}
