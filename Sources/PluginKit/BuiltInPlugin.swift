public import Profile
import Synchronization

/// A plugin compiled into the program: its `profile.yaml` as of the build, and what it adds in Swift.
public protocol BuiltInPlugin: Sendable {
    /// Name of the plugin's folder in `Plugins`.
    static var name: String { get }
    /// The text of the profile, as of the build.
    static var profile: ProfileText { get }
    static var behaviour: (any PluginBehaviour)? { get }
    /// Commands that the plugin adds to the program; empty for most plugins.
    static var commands: [PluginCommandGroup] { get }
    /// Tables in which the program stores the devices' records; nil for most plugins.
    static var tables: StoredTables? { get }
    /// The plugin's scenarios: file name without its extension (`normal-day`) and text.
    static var scenarios: [(name: String, text: String)] { get }
    /// The plugin's cases for active tests: file name and text.
    static var tests: [(name: String, text: String)] { get }
}

extension BuiltInPlugin {
    public static var behaviour: (any PluginBehaviour)? { nil }
    public static var commands: [PluginCommandGroup] { [] }
    public static var tables: StoredTables? { nil }
    public static var scenarios: [(name: String, text: String)] { [] }
    public static var tests: [(name: String, text: String)] { [] }
}

/// Compiled profiles of built-in plugins, by plugin name.
private let compiledProfiles = Mutex<[String: CompiledProfile]>([:])

extension BuiltInPlugin {
    /// The compiled profile, for behaviour that uses its types. Compiled once per run.
    public static func compiledProfile() throws(TwinFault) -> CompiledProfile {
        if let known = compiledProfiles.withLock({ $0[name] }) { return known }
        do throws(ProfileFaults) {
            let profile = try CompiledProfile(deferring: profile)
            compiledProfiles.withLock { $0[name] = profile }
            return profile
        } catch {
            throw TwinFault("\(error)")
        }
    }
}
