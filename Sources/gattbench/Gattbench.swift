import ArgumentParser
import Captures
import Conformance
import Dissection
import Workbench

/// The command line: parses, calls the workbench, prints.
@main
struct Gattbench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gattbench",
        abstract: "A protocol workbench and packet analyzer for Bluetooth Low Energy.",
        discussion: """
            Exit codes: 0 done · 1 findings · 2 wrong usage · 3 input unreadable · 4 inconclusive.

            EXAMPLES
              gattbench decode session.btsnoop
              gattbench stats session.pcapng
              gattbench check session.btsnoop
              gattbench convert phone.pklg phone.pcapng

            SUBCOMMANDS OF PLUGINS
            \(PluginCommands.list)
            """,
        version: "\(Program.name) \(Program.version)",
        subcommands: [
            DecodeCommand.self, StatsCommand.self, CheckCommand.self, ConvertCommand.self, PluginsCommand.self,
            RadioCommand.self, EmulateCommand.self, DemoCommand.self,
        ])

    static func main() async {
        do {
            if let command = PluginCommands(Array(CommandLine.arguments.dropFirst())) { return try command.run() }
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            Console.exit(for: error)
        }
    }
}
