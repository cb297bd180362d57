/// A plugin that travels inside the program: its `profile.yaml`, as it was when the program was built, and what Swift adds.
package protocol BuiltInPlugin: Sendable {
    /// Name of its folder in `Plugins`.
    static var name: String { get }
    /// The profile's text.
    static var profile: String { get }
    static var behaviour: (any PluginBehaviour)? { get }
    /// The commands that it adds to the program; nil for most.
    static var commands: PluginCommandGroup? { get }
    /// Its scenarios, by the names of their files: `normal-day`, and the text.
    static var scenarios: [(name: String, text: String)] { get }
}

extension BuiltInPlugin {
    package static var behaviour: (any PluginBehaviour)? { nil }
    package static var commands: PluginCommandGroup? { nil }
    package static var scenarios: [(name: String, text: String)] { [] }
}

extension BuiltInPlugin {
    /// The profile, for behaviour that speaks its types.
    package static func compiledProfile() throws(TwinFault) -> CompiledProfile {
        do throws(ProfileFaults) {
            return try CompiledProfile(deferring: profile, file: "Plugins/\(name)/profile.yaml")
        } catch {
            throw TwinFault("\(error)")
        }
    }
}
