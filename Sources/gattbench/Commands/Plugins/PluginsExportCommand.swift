import ArgumentParser
import Workbench

/// `gattbench plugins export`.
struct PluginsExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Turn a plugin's profile into a Wireshark dissector, a protocol document or a JSON Schema.",
        discussion: """
            EXAMPLES
              gattbench plugins export aquavate --to wireshark-lua -o aquavate.lua
              tshark -X lua_script:aquavate.lua -r session.btsnoop
              gattbench plugins export ./thermometer --to markdown | less
              gattbench plugins export lifecount --to json-schema -o lifecount.schema.json
            """)

    @Argument(help: "A plugin's id, or the path of a profile or of its folder.")
    var name: String

    @Option(help: "What to make: wireshark-lua, markdown or json-schema.")
    var to: ExportFormat

    @Option(name: [.customShort("o"), .customLong("output")], help: "The file to write; standard output without it.")
    var output: String?

    func run() throws {
        let text = to.text(of: try PluginsCommand.plugin(named: name).plugin)
        if let output { try TextFile.write(text, to: output) } else { try Console.write(text) }
    }
}

extension ExportFormat: ExpressibleByArgument {}
