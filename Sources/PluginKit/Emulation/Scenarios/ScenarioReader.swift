import Bluetooth
import Bytes
package import Profile

/// Reads a file of a scenario; docs/emulating.md describes it.
package enum ScenarioReader {
    /// The scenario in a text; `file` is the path that messages name. Throws all that is wrong with it.
    ///
    /// What may stand there depends on the plugin that the file names: `vocabulary` gives its words, or nil where there
    /// is no such plugin, and `known` are the ids of those that there are.
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

/// All that is wrong with a file of a scenario.
package struct ScenarioFaults: Error, Hashable, Sendable, CustomStringConvertible {
    package var faults: ProfileFaults

    package var description: String { "invalid scenario\n\(faults)" }
}

/// The words that scenarios of a plugin may use.
package struct ScenarioVocabulary: Sendable {
    /// What can happen to the device.
    package var stimuli: [StimulusDefinition]
    /// What the client's user can want.
    package var tasks: [StimulusDefinition]
    package var dialects: [String]
    /// Names of the characteristics of all dialects.
    package var characteristics: [String]
    /// Ids of known misbehaviour.
    package var quirks: [String]
    /// The profile of a device that is nothing but its profile, whose actions may be steps; nil for others.
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
    /// `exact`, `fixed`, or a list that begins with one of them.
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
