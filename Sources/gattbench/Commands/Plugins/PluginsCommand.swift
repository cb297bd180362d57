import ArgumentParser

/// `gattbench plugins`.
struct PluginsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plugins",
        abstract: "List, show, check, write and export the profiles of devices.",
        subcommands: [PluginsExportCommand.self])
}
