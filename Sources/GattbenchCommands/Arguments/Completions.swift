import ArgumentParser
import Captures
import Conformance
import Dissection
import PluginKit
import Profile
import Workbench

/// Names for shell completion, including those of the user's plugins.
enum Completions {
    /// Ids of plugins, and paths of profiles.
    static let plugins = kind { library, _ in library.entries.map(\.plugin.id) }
    /// Fields of frames, for `-e` and filters.
    static let fields = kind { library, _ in FieldCatalog.all(plugins: library.plugins).names }
    /// Rules of the specification and of plugins.
    static let rules = kind { library, _ in
        CoreRules.all.map { $0.info.id } + library.entries.flatMap { $0.plugin.profile.profile.rules.map(\.id) }
    }
    /// Scenarios of the plugin named on the command line, or of all plugins.
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

    /// Files in the folder of an incomplete path.
    private static func files(_ prefix: String) -> [String] {
        guard let slash = prefix.lastIndex(of: "/") else { return [] }
        let folder = String(prefix[...slash])
        return Folder.entries(of: folder).map { folder + $0 + (Folder.isFolder(folder + $0) ? "/" : "") }
    }
}
