package import PluginKit
package let builtInPlugins: [any DevicePlugin] = []
