import Bytes
import Captures
package import Conversation
import Dispatch
package import PluginKit
package import Profile
import Synchronization

/// The plugins of a run: built in, from the user's folders, and named by the user.
///
/// A profile read later replaces one with the same id, with a warning.
package struct PluginLibrary: Sendable {
    /// A plugin and its origin.
    package struct Entry: Sendable {
        package let plugin: DevicePlugin
        /// Path of its profile; nil for a built-in plugin.
        package let path: String?
    }

    package private(set) var entries: [Entry] = []
    /// Warnings for the user: unreadable profiles in folders, replaced plugins.
    package private(set) var warnings: [String] = []
    /// Ids of the plugins named by the user, in that order.
    package private(set) var named: [String] = []

    package init() {}

    /// The parts of built-in profiles to read.
    package enum Extent: Sendable {
        /// The parts that decoding needs, read on first use.
        case decoding
        /// The whole profile.
        case whole
    }

    /// The built-in plugins.
    package static func builtIn(_ extent: Extent = .whole) throws(ProfileFaults) -> PluginLibrary {
        var library = PluginLibrary()
        library.entries = try (extent == .whole ? wholeEntries : decodingEntries).get()
        return library
    }

    /// Starts to read the parts of built-in profiles that decoding needs, on another thread.
    package static func prepareDecoding() {
        DispatchQueue.global().async { _ = decodingEntries }
    }

    /// Read and compiled once, on first use.
    private static let wholeEntries = entries { text throws(ProfileFaults) in
        try CompiledProfile(text.read())
    }
    private static let decodingEntries = entries { text throws(ProfileFaults) in
        try CompiledProfile(deferring: text)
    }

    /// Reads the profiles on all cores, because every command waits for them.
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

    /// Loads the plugins of a run.
    ///
    /// - Parameters:
    ///   - names: ids of plugins, or paths of profiles or their folders, named by the user.
    ///   - environment: `GATTBENCH_PLUGINS` lists plugin folders, separated by colons; `HOME` and `XDG_CONFIG_HOME`
    ///     locate the user's plugin folder.
    ///   - extent: the parts of built-in profiles to read; the user's profiles are read whole because they may be
    ///     invalid.
    package static func load(
        _ names: [String], environment: [String: String], extent: Extent = .whole
    ) throws -> PluginLibrary {
        var library = try builtIn(extent)
        for folder in folders(environment) { library.addAll(in: folder) }
        for name in names { try library.add(named: name) }
        return library
    }

    /// The plugins as a set for the pipeline.
    package var plugins: PluginSet { plugins { _ in } }

    /// The plugins as a set for the pipeline, each modified by `change`.
    package func plugins(_ change: (inout DevicePlugin) -> Void) -> PluginSet {
        let indices = Set(named).compactMap { id in entries.firstIndex { $0.plugin.id == id } }
        let plugins = entries.map { entry in
            var plugin = entry.plugin
            change(&plugin)
            return plugin
        }
        return PluginSet(plugins, named: indices.sorted())
    }

    package subscript(id: String) -> Entry? { entries.first { $0.plugin.id == id } }
}

// MARK: - Finding profiles

extension PluginLibrary {
    /// Folders that contain one folder per plugin; later folders take precedence.
    private static func folders(_ environment: [String: String]) -> [String] {
        let configuration =
            environment["XDG_CONFIG_HOME"].flatMap { $0.isEmpty ? nil : $0 }
            ?? environment["HOME"].map { $0 + "/.config" }
        let own = configuration.map { [$0 + "/gattbench/plugins"] } ?? []
        let listed = (environment["GATTBENCH_PLUGINS"] ?? "").split(separator: ":").map(String.init)
        return own + listed
    }

    /// Adds every plugin of a folder; an invalid one causes a warning and does not affect the others.
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

    /// Adds the profile at a path; returns its id.
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

/// No plugin has this name.
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
