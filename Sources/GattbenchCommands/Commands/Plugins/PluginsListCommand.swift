import ArgumentParser
import Workbench

/// `gattbench plugins list`.
struct PluginsListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the available plugins: built in, installed by the user, from $GATTBENCH_PLUGINS.",
        discussion: """
            EXAMPLES
              gattbench plugins list
              gattbench plugins list --json | jq -r '.[].id'
            """)

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var terminal: TerminalArguments

    func run() throws {
        Pager.use()
        let library = try PluginLibrary.loadAndNote()
        try Console.write(json ? PluginSummary.listJSON(library) : PluginSummary.list(library))
    }
}

/// `gattbench plugins show`.
struct PluginsShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show a plugin's match criteria, attribute table and payload types.",
        discussion: """
            EXAMPLES
              gattbench plugins show aquavate
              gattbench plugins show ./thermometer --json
            """)

    @Argument(help: "A plugin's id, or the path of a profile or of its folder.", completion: Completions.plugins)
    var name: String

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var terminal: TerminalArguments

    func run() throws {
        Pager.use()
        let entry = try PluginsCommand.plugin(named: name)
        try Console.write(json ? PluginSummary.showJSON(entry) : PluginSummary.show(entry))
    }
}
