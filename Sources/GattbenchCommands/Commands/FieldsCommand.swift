import ArgumentParser
import Workbench

/// `gattbench fields`.
struct FieldsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fields",
        abstract: "List the fields that filters and columns can name, with the types of their columns.",
        discussion: """
            A NAME lists that field and those within it: aquavate.current_state.

            Types of columns: unsigned and signed whole numbers, number, boolean, presence (1 where the frame has it), bytes
            (hexadecimal), text, address, uuid, timestamp (ISO 8601), epoch (seconds since 1970), duration (seconds).

            EXAMPLES
              gattbench fields btatt.handle
              gattbench fields aquavate.current_state
              gattbench fields --json | jq -r '.[] | select(.type == "timestamp").name'
              gattbench fields --plugin sensor/profile.yaml sensor
            """)

    @Argument(help: ArgumentHelp("Names of fields; all without any.", valueName: "names"))
    var names: [String] = []

    @Option(
        help: ArgumentHelp(
            "Plugin: its name, or the path of a profile.yaml or its folder; may be repeated.",
            valueName: "name-or-path"), completion: Completions.plugins)
    var plugin: [String] = []

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var terminal: TerminalArguments

    func run() throws {
        Pager.use()
        let listing = try FieldListing(names, plugins: PluginLibrary.loadAndNote(plugin, .decoding).plugins)
        try Console.write(json ? listing.json : listing.text)
    }
}
