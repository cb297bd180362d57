package import PluginKit

/// Help for plugin commands, laid out like the help of other commands; `HelpText` wraps it.
package enum CommandHelp {
    /// Help for a group: the list of its commands.
    package static func text(_ group: PluginCommandGroup, program: String) -> String {
        """
        OVERVIEW: \(group.abstract)

        USAGE: \(program) \(group.name) <subcommand>

        OPTIONS:
        \(HelpText.row("-h, --help", "Show help information."))

        SUBCOMMANDS:
        \(group.commands.map { HelpText.row($0.name, $0.abstract) }.joined(separator: "\n"))

          See '\(program) help \(group.name) <subcommand>' for detailed help.

        """
    }

    /// Help for a command.
    package static func text(
        _ command: PluginCommand, of group: PluginCommandGroup, program: String, commonOptions: [String] = []
    ) -> String {
        var parts = ["OVERVIEW: " + command.abstract]
        if !command.discussion.isEmpty { parts.append(command.discussion) }
        if !command.examples.isEmpty {
            parts.append(
                "EXAMPLES\n"
                    + command.examples.map {
                        $0.isEmpty ? "  \(program) \(group.name)" : "  \(program) \(group.name) \($0)"
                    }.joined(separator: "\n"))
        }
        parts.append("USAGE: " + usage(command, of: group, program: program))
        let arguments = command.allParameters.filter(\.isArgument)
        if !arguments.isEmpty {
            parts.append("ARGUMENTS:\n" + arguments.map { HelpText.row($0.title, $0.help) }.joined(separator: "\n"))
        }
        let options = command.allParameters.filter { !$0.isArgument }.map { HelpText.row($0.title, $0.help) }
        let rows = options + commonOptions + [HelpText.row("-h, --help", "Show help information.")]
        parts.append("OPTIONS:\n" + rows.joined(separator: "\n"))
        return parts.joined(separator: "\n\n") + "\n"
    }

    /// The usage line of a command.
    package static func usage(_ command: PluginCommand, of group: PluginCommandGroup, program: String) -> String {
        ([program, group.title(of: command)] + command.allParameters.map(\.usage)).joined(separator: " ")
    }

    /// The list of groups, for the program's help.
    package static func list(_ groups: [PluginCommandGroup]) -> String {
        groups.map { HelpText.row($0.name, $0.abstract) }.joined(separator: "\n")
    }
}

extension PluginCommandGroup {
    /// The words after the program's name: `battery estimate`, or just `activity`.
    package func title(of command: PluginCommand) -> String { isSingle ? name : "\(name) \(command.name)" }
}
