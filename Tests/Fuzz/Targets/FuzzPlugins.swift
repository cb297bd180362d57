import Dissection
import Workbench

/// The plugins that fuzz targets decode with.
enum FuzzPlugins {
    static let all = (try? PluginLibrary.builtIn().plugins) ?? .none
}
