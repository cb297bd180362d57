package import PluginKit

/// Help for plugins' commands, laid out as that of the other commands is.
package enum CommandHelp {
    /// Columns of a terminal.
    private static let width = 80
    /// Where the second column begins.
    private static let indentation = 26

    /// Help for a group: what its commands are.
    package static func text(_ group: PluginCommandGroup, program: String) -> String {
        """
        \(wrapped("OVERVIEW: " + group.abstract))

        USAGE: \(program) \(group.name) <subcommand>

        OPTIONS:
        \(row("-h, --help", "Show help information."))

        SUBCOMMANDS:
        \(group.commands.map { row($0.name, $0.abstract) }.joined(separator: "\n"))

          See '\(program) help \(group.name) <subcommand>' for detailed help.

        """
    }

    /// Help for a command.
    package static func text(_ command: PluginCommand, of group: PluginCommandGroup, program: String) -> String {
        var parts = [wrapped("OVERVIEW: " + command.abstract)]
        if !command.discussion.isEmpty { parts.append(wrapped(command.discussion)) }
        if !command.examples.isEmpty {
            parts.append(
                "EXAMPLES\n" + command.examples.map { "  \(program) \(group.name) \($0)" }.joined(separator: "\n"))
        }
        // An option and its value stay together.
        let usage = lines(of: ["USAGE:"] + usageWords(command, of: group, program: program), width: width - 2)
        parts.append(usage.joined(separator: "\n  "))
        let arguments = command.allParameters.filter(\.isArgument)
        if !arguments.isEmpty {
            parts.append("ARGUMENTS:\n" + arguments.map { row($0.title, $0.help) }.joined(separator: "\n"))
        }
        let options = command.allParameters.filter { !$0.isArgument }.map { row($0.title, $0.help) }
        parts.append("OPTIONS:\n" + (options + [row("-h, --help", "Show help information.")]).joined(separator: "\n"))
        return parts.joined(separator: "\n\n") + "\n"
    }

    /// The line that says how a command is written.
    package static func usage(_ command: PluginCommand, of group: PluginCommandGroup, program: String) -> String {
        usageWords(command, of: group, program: program).joined(separator: " ")
    }

    private static func usageWords(
        _ command: PluginCommand, of group: PluginCommandGroup, program: String
    ) -> [String] {
        [program, group.name, command.name] + command.allParameters.map(\.usage)
    }

    /// A list of groups, for the program's own help.
    package static func list(_ groups: [PluginCommandGroup]) -> String {
        groups.map { row($0.name, $0.abstract) }.joined(separator: "\n")
    }

    /// A name and what it means, in two columns.
    private static func row(_ name: String, _ text: String) -> String {
        let lines = lines(of: words(text), width: width - indentation)
        let margin = String(repeating: " ", count: indentation)
        let first = "  " + name
        if first.count < indentation {
            let padding = String(repeating: " ", count: indentation - first.count)
            return first + padding + lines.joined(separator: "\n" + margin)
        }
        return first + "\n" + margin + lines.joined(separator: "\n" + margin)
    }

    /// Paragraphs, broken where they are too wide; lines that begin with a blank stay as they are.
    private static func wrapped(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .flatMap { $0.hasPrefix(" ") ? [String($0)] : lines(of: words(String($0)), width: width) }
            .joined(separator: "\n")
    }

    private static func words(_ text: String) -> [String] { text.split(separator: " ").map { String($0) } }

    private static func lines(of words: [String], width: Int) -> [String] {
        var lines = [""]
        for word in words {
            let line = lines[lines.count - 1]
            if line.isEmpty {
                lines[lines.count - 1] = word
            } else if line.count + 1 + word.count <= width {
                lines[lines.count - 1] = line + " " + word
            } else {
                lines.append(word)
            }
        }
        return lines
    }
}
