import ArgumentParser
import Bluetooth
import Workbench

/// Options of every command that reads captures: plugins and attribute tables of devices.
struct DeviceArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Plugin: its name, or the path of a profile.yaml or its folder; may be repeated. It is forced on devices that match it too weakly; a single one is forced on all devices that match no other.",
            valueName: "name-or-path"), completion: Completions.plugins)
    var plugin: [String] = []

    @Option(help: ArgumentHelp(.gatt))
    var gatt: String?

    /// Loads the plugins of this run, including those named by the options.
    func loadPlugins(_ extent: PluginLibrary.Extent = .whole) throws -> PluginLibrary {
        try .loadAndNote(plugin, extent)
    }

    /// The tables of the file named by the option; empty without one.
    func readTables() throws -> GATT.KnownTables { try gatt.map { try GATTFiles.read($0) } ?? GATT.KnownTables() }

    /// Input files. Plugin names among them are no files.
    var files: [String?] { plugin + [gatt] }

    /// The options as they were given.
    var words: [String] { plugin.flatMap { ["--plugin", $0] } + (gatt.map { ["--gatt", $0] } ?? []) }
}
