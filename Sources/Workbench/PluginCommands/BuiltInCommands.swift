package import PluginKit

/// The commands that the plugins of this program add to it.
package let builtInCommandGroups: [PluginCommandGroup] = builtInPlugins.compactMap { $0.commands }
