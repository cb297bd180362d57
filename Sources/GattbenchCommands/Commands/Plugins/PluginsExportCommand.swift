import ArgumentParser
import Bluetooth
import Workbench

/// `gattbench plugins export`.
struct PluginsExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Export a plugin as a Wireshark dissector, a protocol document or a JSON Schema.",
        discussion: """
            EXAMPLES
              gattbench plugins export aquavate --to wireshark-lua -o aquavate.lua
              tshark -X lua_script:aquavate.lua -r session.btsnoop
              gattbench plugins export aquavate --to wireshark-lua --gatt tables.json -o aquavate.lua
              gattbench plugins export ./thermometer --to markdown | less
              gattbench plugins export lifecount --to json-schema -o lifecount.schema.json
            """)

    @Argument(help: "A plugin's id, or the path of a profile or of its folder.", completion: Completions.plugins)
    var name: String

    @Option(help: "Export format: wireshark-lua, markdown or json-schema.")
    var to: ExportFormat

    @Option(
        name: .shortAndLong, help: ArgumentHelp("The file to write; standard output without it.", valueName: "path"))
    var output: String?

    @Option(
        help: ArgumentHelp(
            "For wireshark-lua: attribute tables of devices whose discovery is not in the captures, as decode has.",
            valueName: "path"))
    var gatt: String?

    @OptionGroup var terminal: TerminalArguments

    func validate() throws {
        try Console.refuse(output, overwriting: [name, gatt])
        if gatt != nil, to != .wiresharkLua { throw ValidationError("--gatt goes with --to wireshark-lua") }
    }

    func run() throws {
        let tables = try gatt.map { try GATTFiles.read($0) } ?? GATT.KnownTables()
        let text = to.text(of: try PluginsCommand.plugin(named: name).plugin, tables: tables)
        if let output { try TextFile.write(text, to: output) } else { try Console.write(text) }
    }
}

extension ExportFormat: ExpressibleByArgument {}
