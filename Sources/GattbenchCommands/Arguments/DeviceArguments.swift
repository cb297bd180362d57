import ArgumentParser
import Bluetooth
import Workbench

/// What is known of devices before their traffic is read: the options of every command that reads captures.
struct DeviceArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Plugin: its name, or the path of a profile.yaml or its folder; may be repeated. It is forced on devices that match it too weakly; a single one is forced on all devices that match no other.",
            valueName: "name-or-path"), completion: Completions.plugins)
    var plugin: [String] = []

    @Option(help: ArgumentHelp(.gatt))
    var gatt: String?

    /// The plugins of this run, those that were named among them.
    func loadPlugins(_ extent: PluginLibrary.Extent = .whole) throws -> PluginLibrary {
        try .loadAndNote(plugin, extent)
    }

    /// The tables of the file that was named; none without one.
    func readTables() throws -> GATT.KnownTables { try gatt.map { try GATTFiles.read($0) } ?? GATT.KnownTables() }

    /// The files that are read; names of plugins are none.
    var files: [String?] { plugin + [gatt] }

    /// The options as they were given.
    var words: [String] { plugin.flatMap { ["--plugin", $0] } + (gatt.map { ["--gatt", $0] } ?? []) }
}
