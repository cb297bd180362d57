import Bytes
package import PluginKit
import Profile

extension DevicePlugin {
    /// The dialect named `name`. Without a name, the profile's first dialect; nil if the profile has none.
    package func dialect(_ name: String?) throws(TwinFault) -> String? {
        let known = profile.profile.header.dialects.map(\.id)
        guard let name else { return known.first }
        if known.contains(name) { return name }
        if known.isEmpty { throw TwinFault("dialect \(name): \(id) has no dialects") }
        let near = Spelling.suggestion(for: name, among: known)
        throw TwinFault("dialect \(name): \(id) has \(known.joined(separator: ", "))\(near)")
    }

    /// The plugin's twin, or a `ProfileTwin` if the plugin has none.
    package func makeTwin(_ settings: TwinSettings) throws(TwinFault) -> any DeviceTwin {
        if let twin = try behaviour?.makeTwin(settings) { return twin }
        return ProfileTwin(profile, settings)
    }

    /// Whether the plugin describes how a device behaves, in code or in the section `emulate` of its profile.
    package var hasTwin: Bool {
        profile.profile.emulation != nil || !((try? makeTwin(TwinSettings())) is ProfileTwin)
    }

    /// The plugin's client, or an `ExploringClient` if the plugin has none.
    package func makeClient(_ settings: TwinSettings) -> any DeviceClient {
        behaviour?.makeClient(settings) ?? ExploringClient(profile, dialect: settings.dialect)
    }

    /// Whether the plugin brings a client.
    package var hasClient: Bool { behaviour?.makeClient(TwinSettings()) != nil }

    /// The vocabulary of the plugin's scenarios and active test cases.
    package var vocabulary: ScenarioVocabulary {
        var words = ScenarioVocabulary(self, stimuli: stimuli, tasks: tasks)
        if (try? makeTwin(TwinSettings())) is ProfileTwin { words.profile = profile }
        return words
    }

    package var stimuli: [StimulusDefinition] { behaviour?.stimuli ?? [] }

    /// The tasks of the plugin's client; those of `ExploringClient` if the plugin names none.
    package var tasks: [StimulusDefinition] {
        let tasks = behaviour?.tasks ?? []
        return tasks.isEmpty ? ExploringClient.tasks : tasks
    }
}
