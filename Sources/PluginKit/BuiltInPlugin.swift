public import Profile
import Synchronization

/// A plugin that travels inside the program: its `profile.yaml`, as it was when the program was built, and what Swift adds.
public protocol BuiltInPlugin: Sendable {
    /// Name of its folder in `Plugins`.
    static var name: String { get }
    /// The profile, as it was when the program was built.
    static var profile: ProfileText { get }
    static var behaviour: (any PluginBehaviour)? { get }
    /// The commands that it adds to the program; none for most.
    static var commands: [PluginCommandGroup] { get }
    /// The tables in which the program keeps what its devices tell; nil for most.
    static var tables: StoredTables? { get }
    /// Its scenarios, by the names of their files: `normal-day`, and the text.
    static var scenarios: [(name: String, text: String)] { get }
    /// Its cases for active tests, by the names of their files, and the text.
    static var tests: [(name: String, text: String)] { get }
}

extension BuiltInPlugin {
    public static var behaviour: (any PluginBehaviour)? { nil }
    public static var commands: [PluginCommandGroup] { [] }
    public static var tables: StoredTables? { nil }
    public static var scenarios: [(name: String, text: String)] { [] }
    public static var tests: [(name: String, text: String)] { [] }
}

/// Profiles of plugins inside the program that were read already, by the plugins' names.
private let compiledProfiles = Mutex<[String: CompiledProfile]>([:])

extension BuiltInPlugin {
    /// The profile, for behaviour that uses its types. Read once in a run.
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
