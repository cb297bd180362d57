import BatteryTrace
package import PluginKit

/// The commands that the plugins of this program add to it.
package let builtInCommandGroups: [PluginCommandGroup] =
    (builtInPlugins.map(\.commands) + [BatteryTrace().commands]).compactMap { $0 }
