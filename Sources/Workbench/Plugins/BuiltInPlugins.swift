import Aquavate
import BatteryTrace
import LifeCount
package import PluginKit
import StandardServices
import Synchronization

/// The plugins that the program contains. `own` and Package.swift are all that knows the plugins of this repository. Of
/// those that describe any device, the first that knows an attribute reads it.
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

    /// The tables that a store of this program has.
    package static var schema: [StoredTables] { all.compactMap { $0.tables } }

    /// The tables of the plugin with this id; nil where its devices' records are not kept.
    package static func tables(of plugin: String) -> StoredTables? {
        all.first { $0.name.lowercased() == plugin }?.tables
    }

    /// The commands that the plugins of this program add to it.
    package static let commandGroups: [PluginCommandGroup] = all.flatMap { $0.commands }

    /// Sets the plugins of this program. A program calls it once, before all else.
    package static func choose(_ plugins: [any BuiltInPlugin.Type]) { chosen.withLock { $0 = plugins } }
}
