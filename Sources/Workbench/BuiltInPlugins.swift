package import PluginKit
import StandardServices

/// The device plugins of this program. This list and Package.swift are all that knows them; of two plugins that read
/// the same attribute type, the first does.
package let builtInPlugins: [any DevicePlugin] = [
    StandardServices()
]
