import Bluetooth
import Bytes
package import Profile

/// Reads scenario files, as described in docs/emulating.md.
package enum ScenarioReader {
    /// Parses a scenario; `file` is the path for messages. Throws all faults found.
    ///
    /// The permitted words depend on the plugin named in the file: `vocabulary` returns its vocabulary, or nil for an
    /// unknown plugin, and `known` lists the ids of all plugins.
    package static func read(
        _ text: String, file: String, known: [String], vocabulary: (String) -> ScenarioVocabulary?
    ) throws(ScenarioFaults) -> Scenario {
        let faults = FaultList()
        let root = YAMLDocument.read(text, faults)
        let plugin = Form<String>.word(known.map { ($0, $0) })
        let scenario = withoutActuallyEscaping(vocabulary) { vocabulary in
            root.flatMap { Form.scenario(file: file, plugin, vocabulary).read($0, faults) }
        }
        guard let scenario, faults.isEmpty else {
            throw ScenarioFaults(faults: ProfileFaults(file: file, faults.faults))
        }
        return scenario
    }
}

/// All faults of a scenario file.
package struct ScenarioFaults: Error, Hashable, Sendable, CustomStringConvertible {
    package var faults: ProfileFaults

    package var description: String { "invalid scenario\n\(faults)" }
}

/// The vocabulary of a plugin's scenarios.
package struct ScenarioVocabulary: Sendable {
    package var stimuli: [StimulusDefinition]
    package var tasks: [StimulusDefinition]
    package var dialects: [String]
    /// Names of the characteristics in all dialects.
    package var characteristics: [String]
    /// Ids of the known quirks.
    package var quirks: [String]
    /// The profile of a device with a `ProfileTwin`, whose actions may be steps; nil for other devices.
    package var profile: CompiledProfile?

    package init(_ plugin: DevicePlugin, stimuli: [StimulusDefinition], tasks: [StimulusDefinition]) {
        let profile = plugin.profile.profile
        self.stimuli = stimuli
        self.tasks = tasks
        dialects = profile.header.dialects.map(\.id)
        characteristics = profile.services.flatMap(\.characteristics).map(\.name)
        quirks = plugin.behaviour?.quirks.map(\.id) ?? []
    }
}

extension Form where Value == Scenario {
    fileprivate static func scenario(
        file: String, _ plugin: Form<String>, _ vocabulary: @escaping (String) -> ScenarioVocabulary?
    ) -> Self {
        Form(mapping: "a scenario") { keys in
            let title = keys.require("scenario", .line)
            let doc = keys.take("doc", .text)
            guard let plugin = keys.require("plugin", plugin), let words = vocabulary(plugin) else {
                keys.passOver()
                return nil
            }
            let dialect = keys.take("dialect", .word(words.dialects.map { ($0, $0) }))
            let start = keys.take("start", .epoch)
            let quirks = keys.take("quirks", .quirks(words))
            let steps = keys.require("steps", .list(of: ScenarioForms(words: words).step))
            guard let title, let steps else { return nil }
            var scenario = Scenario(title: title, plugin: plugin, steps: steps, file: file)
            scenario.doc = doc
            scenario.dialect = dialect
            scenario.start = start.map { Timestamp(seconds: $0, nanoseconds: 0) }
            scenario.quirks = quirks
            return scenario
        }
    }
}

extension Form where Value == QuirkSelection {
    /// `exact`, `fixed`, or a list of quirk ids, optionally preceded by one of them.
    package static func quirks(_ words: ScenarioVocabulary) -> Self {
        Form("exact, fixed or the ids of quirks, like \"fixed,Q-02\"") { node, faults in
            do throws(QuirkSelection.Fault) {
                return try QuirkSelection(parsing: node.scalar?.text ?? "", known: words.quirks)
            } catch {
                faults.add(error.description, at: node)
                return nil
            }
        }
    }
}
