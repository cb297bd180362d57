import PluginKit
import Testing
import Workbench

/// Command lines and help of plugins' commands.
@Suite struct PluginCommandTests {
    private let command = PluginCommand(
        name: "estimate", abstract: "Estimate something that takes more than one line to say, as this one surely does.",
        discussion: "First.\n\n  as it is", examples: ["estimate a.csv"],
        parameters: [
            .argument("file", .input(values: []), help: "What to read."),
            .option("window", .number(60...120), placeholder: "seconds", help: "How long."),
            .option("output", short: "o", .output, placeholder: "output", help: "What to write."),
            .flag("json", help: "Print JSON."),
        ], tables: ["kept"]
    ) { _ in CommandOutput() }

    private func fault(_ arguments: String...) -> String? {
        do throws(CommandArguments.Fault) {
            _ = try CommandArguments(arguments, for: command)
            return nil
        } catch {
            return error.description
        }
    }

    @Test(arguments: [
        ["a.csv", "--window", "90", "-o", "out", "--json"], ["--window=90", "--json", "a.csv", "--output=out"],
        ["--json", "-o", "out", "--window", "90.0", "--", "a.csv"],
    ])
    func everyWayToWriteItIsRead(_ arguments: [String]) throws {
        #expect(
            try CommandArguments(arguments, for: command).values == [
                "file": .text("a.csv"), "window": .number(90), "output": .text("out"), "json": .flag,
            ])
    }

    @Test func dashesThatAreNoOptions() throws {
        #expect(try CommandArguments(["-"], for: command).values == ["file": .text("-")])
        #expect(try CommandArguments(["--", "--json"], for: command).values == ["file": .text("--json")])
        #expect(try CommandArguments(["-", "-o", "-"], for: command).values["output"] == .text("-"))
        #expect(try CommandArguments(["a", "--store", "kept"], for: command).values["store"] == .text("kept"))
    }

    @Test func faultsSayWhatIsExpected() {
        #expect(fault() == "Missing expected argument '<file>'\nHelp:  <file>  What to read.")
        #expect(fault("a", "b") == "Unexpected argument 'b'")
        #expect(fault("a", "--windw", "90") == "Unknown option '--windw'. Did you mean '--window'?")
        #expect(fault("a", "-z") == "Unknown option '-z'. Did you mean '-o'?")
        #expect(fault("a", "--window") == "Missing value for '--window <seconds>'")
        #expect(fault("a", "--window", "--json") == "Missing value for '--window <seconds>'")
        #expect(fault("a", "--json=yes") == "The flag '--json' takes no value")
        #expect(fault("a", "-o", "b", "-o", "c") == "The option '-o, --output <output>' is given twice")
        for value in ["59", "121", "x", "nan", ""] {
            #expect(
                fault("a", "--window=\(value)")
                    == "The value '\(value)' is invalid for '--window <seconds>': a number from 60 to 120 was expected")
        }
    }

    @Test func helpIsLaidOutAsThatOfTheOtherCommands() {
        let group = PluginCommandGroup(name: "battery", abstract: "About batteries.", commands: [command])
        #expect(
            HelpText.wrapped(CommandHelp.text(command, of: group, program: "gattbench"), to: 79) == """
                OVERVIEW: Estimate something that takes more than one line to say, as this one
                surely does.

                First.

                  as it is

                EXAMPLES
                  gattbench battery estimate a.csv

                USAGE: gattbench battery estimate <file> [--window <seconds>]
                  [--output <output>] [--json] [--store <path>]

                ARGUMENTS:
                  <file>                  What to read.

                OPTIONS:
                  --window <seconds>      How long.
                  -o, --output <output>   What to write.
                  --json                  Print JSON.
                  --store <path>          The store; $XDG_DATA_HOME/gattbench/store.sqlite or
                                          ~/.local/share/gattbench/store.sqlite by default.
                  -h, --help              Show help information.

                """)
        #expect(
            HelpText.wrapped(CommandHelp.text(group, program: "gattbench"), to: 79) == """
                OVERVIEW: About batteries.

                USAGE: gattbench battery <subcommand>

                OPTIONS:
                  -h, --help              Show help information.

                SUBCOMMANDS:
                  estimate                Estimate something that takes more than one line to
                                          say, as this one surely does.

                  See 'gattbench help battery <subcommand>' for detailed help.

                """)
    }

    /// Names of commands are unique, and no plugin command uses a name of the program's own commands.
    @Test func theCommandsOfThePluginsDoNotCollide() {
        let own = ["decode", "stats", "convert", "help"]
        #expect(Set(BuiltInPlugins.commandGroups.map(\.name)).count == BuiltInPlugins.commandGroups.count)
        #expect(!BuiltInPlugins.commandGroups.isEmpty)
        for group in BuiltInPlugins.commandGroups {
            #expect(!own.contains(group.name))
            #expect(Set(group.commands.map(\.name)).count == group.commands.count)
            for command in group.commands {
                let names = command.parameters.map(\.name) + ["store", "help"]
                #expect(Set(names).count == names.count, "\(command.name)")
            }
        }
    }
}
