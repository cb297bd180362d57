import Bytes
import Captures
package import Conversation
import Dispatch
package import PluginKit
package import Profile
import Synchronization

/// The plugins of a run: those that travel inside the program, those in the user's folders, those that the user names.
///
/// A profile that is read later takes the place of one with the same id; that is said.
package struct PluginLibrary: Sendable {
    /// A plugin and where it comes from.
    package struct Entry: Sendable {
        package let plugin: DevicePlugin
        /// Path of its profile; nil for one that travels inside the program.
        package let path: String?
    }

    package private(set) var entries: [Entry] = []
    /// What the user should know: profiles in folders that cannot be read, plugins that take another one's place.
    package private(set) var warnings: [String] = []
    /// Ids of the plugins that the user named, in that order.
    package private(set) var named: [String] = []

    package init() {}

    /// What is read of the profiles that travel inside the program.
    package enum Extent: Sendable {
        /// What decoding needs, when it needs it.
        case decoding
        /// All of it.
        case whole
    }

    /// The plugins that travel inside the program.
    package static func builtIn(_ extent: Extent = .whole) throws(ProfileFaults) -> PluginLibrary {
        var library = PluginLibrary()
        library.entries = try (extent == .whole ? wholeEntries : decodingEntries).get()
        return library
    }

    /// Begins to read what decoding needs of the plugins that travel inside the program, on another thread.
    package static func prepareDecoding() {
        DispatchQueue.global().async { _ = decodingEntries }
    }

    /// Read and compiled once, by the first that needs them.
    private static let wholeEntries = entries { text throws(ProfileFaults) in
        try CompiledProfile(text.read())
    }
    private static let decodingEntries = entries { text throws(ProfileFaults) in
        try CompiledProfile(deferring: text)
    }

    /// Reads the profiles on all cores: every command waits for that.
    private static func entries(
        _ read: @Sendable (ProfileText) throws(ProfileFaults) -> CompiledProfile
    ) -> Result<[Entry], ProfileFaults> {
        let results = Mutex<[Int: Result<Entry, ProfileFaults>]>([:])
        DispatchQueue.concurrentPerform(iterations: BuiltInPlugins.all.count) { index in
            let builtIn = BuiltInPlugins.all[index]
            let entry = Result { () throws(ProfileFaults) in
                let profile = try read(builtIn.profile)
                return Entry(plugin: DevicePlugin(profile, behaviour: builtIn.behaviour), path: nil)
            }
            results.withLock { $0[index] = entry }
        }
        let inOrder = results.withLock { results in BuiltInPlugins.all.indices.compactMap { results[$0] } }
        return Result { () throws(ProfileFaults) in
            try inOrder.map { entry throws(ProfileFaults) in try entry.get() }
        }
    }

    /// The plugins of a run.
    ///
    /// - Parameters:
    ///   - names: ids of plugins, or paths of profiles or their folders, that the user named.
    ///   - environment: `GATTBENCH_PLUGINS` lists folders of plugins, with colons between; `HOME` and `XDG_CONFIG_HOME`
    ///     say where the user's own are.
    ///   - extent: what is read of those inside the program; the user's are read whole, as they may be wrong.
    package static func load(
        _ names: [String], environment: [String: String], extent: Extent = .whole
    ) throws -> PluginLibrary {
        var library = try builtIn(extent)
        for folder in folders(environment) { library.addAll(in: folder) }
        for name in names { try library.add(named: name) }
        return library
    }

    /// What the pipeline needs of them.
    package var plugins: PluginSet { plugins { _ in } }

    /// The same with what is known of their devices.
    package func plugins(_ change: (inout DevicePlugin) -> Void) -> PluginSet {
        let indices = Set(named).compactMap { id in entries.firstIndex { $0.plugin.id == id } }
        let plugins = entries.map { entry in
            var plugin = entry.plugin
            change(&plugin)
            return plugin
        }
        return PluginSet(plugins, named: indices.sorted())
    }

    /// The plugin of an id.
    package subscript(id: String) -> Entry? { entries.first { $0.plugin.id == id } }
}

// MARK: - Finding profiles

extension PluginLibrary {
    /// Folders that hold a folder for each plugin; what is found in later ones goes first.
    private static func folders(_ environment: [String: String]) -> [String] {
        let configuration =
            environment["XDG_CONFIG_HOME"].flatMap { $0.isEmpty ? nil : $0 }
            ?? environment["HOME"].map { $0 + "/.config" }
        let own = configuration.map { [$0 + "/gattbench/plugins"] } ?? []
        let listed = (environment["GATTBENCH_PLUGINS"] ?? "").split(separator: ":").map(String.init)
        return own + listed
    }

    /// Takes in every plugin of a folder; one that is wrong is a warning and keeps no other from being used.
    private mutating func addAll(in folder: String) {
        for name in Folder.entries(of: folder) {
            let path = "\(folder)/\(name)/profile.yaml"
            guard Folder.exists(path) else { continue }
            do {
                _ = try add(path)
            } catch {
                warnings.append("\(error)")
            }
        }
    }

    private mutating func add(named name: String) throws {
        if self[name] != nil {
            named.append(name)
            return
        }
        guard name.contains("/") || name.contains(".") || Folder.exists(name) else {
            throw UnknownPlugin(name: name, known: entries.map(\.plugin.id))
        }
        named.append(try add(Folder.isFolder(name) ? name + "/profile.yaml" : name))
    }

    /// Takes in the profile at a path; gives its id.
    private mutating func add(_ path: String) throws -> String {
        let profile = try ProfileReader.read(TextFile.read(path), file: path)
        let plugin = DevicePlugin(try CompiledProfile(profile))
        if let index = entries.firstIndex(where: { $0.plugin.id == plugin.id }) {
            let former = entries[index].path ?? "the built-in one"
            warnings.append("plugin \(plugin.id): \(path) replaces \(former)")
            entries[index] = Entry(plugin: plugin, path: path)
        } else {
            entries.append(Entry(plugin: plugin, path: path))
        }
        return plugin.id
    }
}

/// Nobody knows a plugin of this name.
package struct UnknownPlugin: Error, CustomStringConvertible {
    package var name: String
    package var known: [String]

    package init(name: String, known: [String]) {
        (self.name, self.known) = (name, known)
    }

    package var description: String {
        let near = Spelling.suggestion(for: name, among: known)
        return "\(name.quotedIfEmpty): no such plugin or file; known plugins are \(known.joined(separator: ", "))"
            + near
    }
}
