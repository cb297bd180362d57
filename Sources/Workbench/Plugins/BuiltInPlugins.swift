import Aquavate
import BatteryTrace
import LifeCount
package import PluginKit
import StandardServices
import Synchronization

/// Built-in plugins. Only `own` and Package.swift list the plugins of this repository. If several plugins that describe
/// any device know an attribute, the first one decodes it.
package enum BuiltInPlugins {
    /// The plugins of this repository.
    package static let own: [any BuiltInPlugin.Type] = [
        Aquavate.self,
        LifeCount.self,
        StandardServices.self,
        BatteryTrace.self,
    ]

    private static let chosen = Mutex<[any BuiltInPlugin.Type]?>(nil)

    /// The plugins of this program: those given to `choose(_:)` before the first use, else those of this repository.
    package static let all: [any BuiltInPlugin.Type] = chosen.withLock { $0 } ?? own

    /// The tables in a store of this program.
    package static var schema: [StoredTables] { all.compactMap { $0.tables } }

    /// Ids of plugins by the tables that they define.
    package static var tableOwners: [String: String] {
        var owners: [String: String] = [:]
        for plugin in all {
            for table in plugin.tables?.names ?? [] { owners[table] = plugin.name.lowercased() }
        }
        return owners
    }

    /// The tables of a plugin, by id; nil for a plugin whose records are not stored.
    package static func tables(of plugin: String) -> StoredTables? {
        all.first { $0.name.lowercased() == plugin }?.tables
    }

    /// Commands added by the plugins of this program.
    package static let commandGroups: [PluginCommandGroup] = all.flatMap { $0.commands }

    /// Sets the plugins of this program. Call it once, before any other use.
    package static func choose(_ plugins: [any BuiltInPlugin.Type]) { chosen.withLock { $0 = plugins } }
}
