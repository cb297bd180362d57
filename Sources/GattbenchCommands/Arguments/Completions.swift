import ArgumentParser
import Captures
import Conformance
import Dissection
import PluginKit
import Profile
import Workbench

/// Names that shells complete, those of the user's plugins among them.
enum Completions {
    /// Ids of plugins, and paths of profiles.
    static let plugins = kind { library, _ in library.entries.map(\.plugin.id) }
    /// Fields of frames, as `-e` and filters take them.
    static let fields = kind { library, _ in FieldCatalog.all(plugins: library.plugins).names }
    /// Rules of the specification and of plugins.
    static let rules = kind { library, _ in
        CoreRules.all.map { $0.info.id } + library.entries.flatMap { $0.plugin.profile.profile.rules.map(\.id) }
    }
    /// Scenarios of the plugin that the command line names, or of all.
    static let scenarios = kind { library, words in
        let entries = try ScenarioLibrary(library).entries
        let named = entries.filter { words.contains($0.plugin) }
        return (named.isEmpty ? entries : named).map(\.name)
    }

    private static func kind(_ names: @Sendable @escaping (PluginLibrary, [String]) throws -> [String])
        -> CompletionKind
    {
        .custom { words, _, prefix in
            guard let library = try? PluginLibrary.load([], environment: ProcessEnvironment.variables),
                let names = try? names(library, words)
            else { return [] }
            return (names + files(prefix)).filter { $0.hasPrefix(prefix) }.sorted()
        }
    }

    /// Files of the folder that the beginning of a path names.
    private static func files(_ prefix: String) -> [String] {
        guard let slash = prefix.lastIndex(of: "/") else { return [] }
        let folder = String(prefix[...slash])
        return Folder.entries(of: folder).map { folder + $0 + (Folder.isFolder(folder + $0) ? "/" : "") }
    }
}
