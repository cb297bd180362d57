import Bytes
import Captures
import Emulation
package import PluginKit
package import Profile

/// Built-in scenarios, and scenario files of the user.
package struct ScenarioLibrary: Sendable {
    /// A built-in scenario.
    package struct Entry: Sendable {
        /// Id of its plugin.
        package var plugin: String
        /// File name without extension: `normal-day`.
        package var name: String
        package var text: String
        /// Path in the source tree, shown in messages.
        package var file: String
    }

    private let plugins: PluginLibrary
    package let entries: [Entry]

    package init(_ plugins: PluginLibrary) throws(ProfileFaults) {
        self.plugins = plugins
        var entries: [Entry] = []
        for (builtIn, entry) in zip(BuiltInPlugins.all, try PluginLibrary.builtIn().entries) {
            entries += builtIn.scenarios.map { name, text in
                Entry(
                    plugin: entry.plugin.id, name: name, text: text,
                    file: "Plugins/\(builtIn.name)/Scenarios/\(name).yaml")
            }
        }
        self.entries = entries
    }

    /// Finds a plugin's scenario by name, or reads a file. A dialect can have a variant: `first-pairing-prd`.
    package func scenario(_ name: String, of plugin: DevicePlugin, dialect: String? = nil) throws -> Scenario {
        let scenario: Scenario
        let forms = [dialect.map { "\(name)-\($0)" }, name].compactMap(\.self)
        let found = forms.lazy.compactMap { form in
            entries.first { $0.name == form && $0.plugin == plugin.id }
        }.first
        if let entry = found {
            scenario = try read(entry.text, file: entry.file)
        } else {
            let isPath = name.contains("/") || name.contains(".") || Folder.exists(name)
            guard isPath else { throw UnknownScenario(name: name, plugin: plugin.id, known: names(of: plugin.id)) }
            scenario = try read(TextFile.read(name), file: name)
        }
        guard scenario.plugin == plugin.id else {
            throw TwinFault("\(name): a scenario of \(scenario.plugin), not of \(plugin.id)")
        }
        return scenario
    }

    package func names(of plugin: String) -> [String] { entries.filter { $0.plugin == plugin }.map(\.name) }

    /// Reads a scenario with the vocabulary of the plugin that it names.
    package func read(_ text: String, file: String) throws(ScenarioFaults) -> Scenario {
        let known = plugins.entries.map(\.plugin).filter { !$0.isGeneral || $0.profile.profile.emulation != nil }
        return try ScenarioReader.read(text, file: file, known: known.map(\.id)) { id in
            known.first { $0.id == id }?.vocabulary
        }
    }
}

/// A plugin has no scenario of this name.
package struct UnknownScenario: Error, CustomStringConvertible {
    package var name: String
    package var plugin: String
    package var known: [String]

    package var description: String {
        let near = Spelling.suggestion(for: name, among: known)
        let all = known.isEmpty ? "\(plugin) has none" : "\(plugin) has \(known.joined(separator: ", "))"
        return "\(name.quotedIfEmpty): no such scenario or file; \(all)\(near)"
    }
}
