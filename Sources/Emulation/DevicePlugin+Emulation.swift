import Bytes
package import PluginKit
import Profile

extension DevicePlugin {
    /// The dialect of this name, the first of the profile where none is named; nil where the profile has none.
    package func dialect(_ name: String?) throws(TwinFault) -> String? {
        let known = profile.profile.header.dialects.map(\.id)
        guard let name else { return known.first }
        if known.contains(name) { return name }
        if known.isEmpty { throw TwinFault("dialect \(name): \(id) has no dialects") }
        let near = Spelling.suggestion(for: name, among: known)
        throw TwinFault("dialect \(name): \(id) has \(known.joined(separator: ", "))\(near)")
    }

    /// A device: the plugin's twin, or, where it has none, one that does what its profile says.
    package func makeTwin(_ settings: TwinSettings) throws(TwinFault) -> any DeviceTwin {
        if let twin = try behaviour?.makeTwin(settings) { return twin }
        return ProfileTwin(profile, settings)
    }

    /// Whether it describes what a device of its does: in code, or in the section `emulate` of its profile.
    package var hasTwin: Bool {
        profile.profile.emulation != nil || !((try? makeTwin(TwinSettings())) is ProfileTwin)
    }

    /// A client of its devices: the plugin's, or, where it has none, one that looks at everything.
    package func makeClient(_ settings: TwinSettings) -> any DeviceClient {
        behaviour?.makeClient(settings) ?? ExploringClient(profile, dialect: settings.dialect)
    }

    /// Whether it has a client of its own.
    package var hasClient: Bool { behaviour?.makeClient(TwinSettings()) != nil }

    /// The words that its scenarios and its cases for active tests may use.
    package var vocabulary: ScenarioVocabulary {
        var words = ScenarioVocabulary(self, stimuli: stimuli, tasks: tasks)
        if (try? makeTwin(TwinSettings())) is ProfileTwin { words.profile = profile }
        return words
    }

    /// What can happen to its devices.
    package var stimuli: [StimulusDefinition] { behaviour?.stimuli ?? [] }

    /// What the user of its client can want.
    package var tasks: [StimulusDefinition] {
        let tasks = behaviour?.tasks ?? []
        return tasks.isEmpty ? ExploringClient.tasks : tasks
    }
}
