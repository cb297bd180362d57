import Aquavate
import LifeCount
import PluginKit
import StandardServices

/// The device plugins of this program. This list and Package.swift are all that knows them.
let builtInPlugins: [any BuiltInPlugin.Type] = [
    Aquavate.self,
    LifeCount.self,
    StandardServices.self,
]
