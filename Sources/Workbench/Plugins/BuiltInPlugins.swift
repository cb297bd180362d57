import Aquavate
import BatteryTrace
import LifeCount
package import PluginKit
import StandardServices

/// The device plugins of this program. This list and Package.swift are all that knows them. Of those
/// that describe any device, the first that knows an attribute reads it.
let builtInPlugins: [any BuiltInPlugin.Type] = [
    Aquavate.self,
    LifeCount.self,
    StandardServices.self,
    BatteryTrace.self,
]

/// The commands that the plugins of this program add to it.
package let builtInCommandGroups: [PluginCommandGroup] = builtInPlugins.compactMap { $0.commands }
