import ArgumentParser
import PluginKit
import Workbench

/// `gattbench plugins`.
struct PluginsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plugins",
        abstract: "List, show, lint, create and export device plugins.",
        discussion: """
            A plugin is a profile.yaml. Some are built in; others are loaded from --plugin, from the folders in
            $GATTBENCH_PLUGINS, and from ~/.config/gattbench/plugins.

            EXAMPLES
              gattbench plugins list
              gattbench plugins new thermometer --from-capture session.btsnoop
              gattbench plugins lint --strict thermometer
              gattbench plugins export thermometer --to wireshark-lua -o thermometer.lua
            """,
        subcommands: [
            PluginsListCommand.self, PluginsShowCommand.self, PluginsLintCommand.self, PluginsNewCommand.self,
            PluginsExportCommand.self,
        ])

    /// Loads the plugin with an id, or from a path.
    static func plugin(named name: String) throws -> PluginLibrary.Entry {
        try PluginLibrary.loadAndNote([name]).entry(named: name)
    }
}

extension PluginLibrary {
    /// The plugin that the user named.
    func entry(named name: String) throws -> Entry {
        guard let id = named.first, let entry = self[id] else { throw UsageError("\(name): unknown plugin") }
        return entry
    }

    /// Loads the plugins of this run, including those named by the user, and prints the warnings.
    static func loadAndNote(_ names: [String] = [], _ extent: Extent = .whole) throws -> PluginLibrary {
        let library = try load(names, environment: ProcessEnvironment.variables, extent: extent)
        for warning in library.warnings { Console.note("warning: \(warning)") }
        if Console.isVerbose {
            let names = library.entries.map { $0.plugin.id + ($0.path.map { " (\($0))" } ?? "") }
            Console.note("plugins: \(names.joined(separator: ", "))")
        }
        return library
    }
}
