import ArgumentParser
import Bytes
import CBuild
import Captures
import Conformance
import Glibc
import Output
import Transports
import Workbench

/// The command line program: parses arguments, calls the workbench, prints.
struct Gattbench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gattbench",
        abstract: "A protocol workbench and packet analyzer for Bluetooth Low Energy.",
        discussion: """
            Exit codes: 0 success · 1 findings · 2 usage error · 3 unreadable input · 4 inconclusive.

            EXAMPLES
              gattbench decode session.btsnoop
              gattbench stats session.pcapng
              gattbench check session.btsnoop
              gattbench convert phone.pklg phone.pcapng

            SUBCOMMANDS OF PLUGINS:
            \(PluginCommands.list)
            """,
        version: version,
        subcommands: [
            DecodeCommand.self, StatsCommand.self, CheckCommand.self, ConvertCommand.self, MergeCommand.self,
            ExtractCommand.self, ShrinkCommand.self, RedactCommand.self, DiffCommand.self, WhyCommand.self,
            KeysCommand.self, FieldsCommand.self,
            PluginsCommand.self,
            RadioCommand.self, EmulateCommand.self, ConnectCommand.self, TestCommand.self, SniffCommand.self,
            ProxyCommand.self,
            ScanCommand.self,
            WiresharkCommand.self, DoctorCommand.self, DemoCommand.self, SyncCommand.self,
            GatewayCommand.self, PublishCommand.self, StoreCommand.self, WebCommand.self,
            ReportCommand.self,
        ])

    /// `gattbench 0.1.0 (4c1d9e02)`: with the commit, if it was known at build time.
    private static let version: String = {
        let commit = unsafe String(cString: gattbench_commit())
        return "\(Program.name) \(Program.version)" + (commit.isEmpty ? "" : " (\(commit))")
    }()

    @MainActor static func main() async {
        // When the reader of the output has closed it, writing fails instead of ending the program.
        signal(SIGPIPE, SIG_IGN)
        do {
            try refuseUnreadableArguments()
            let arguments = TerminalArguments.behindCommand(Array(CommandLine.arguments.dropFirst()))
            if arguments == ["--version"] { return try Console.write(version + "\n") }
            if Extcap.isAsked(arguments) { return try await serveWireshark(arguments) }
            if let command = PluginCommands(arguments) { return try command.run() }
            try refuseUnknownCommand(arguments)
            // Both take some milliseconds: the profiles are read while the command line is parsed.
            if ["decode", "stats"].contains(arguments.first) { PluginLibrary.prepareDecoding() }
            let isDecoding = arguments.first.map(DecodeArguments.commands.contains) ?? false
            let joined = joiningNumbers(arguments)
            var command = try parse(isDecoding ? DecodeArguments.separatingLetters(joined) : joined)
            if let command = command as? any LiveCommand {
                // There is only one thread: privileges dropped now are missing from every later thread.
                let capture = try command.open()
                let keys = try command.decoding.keys.readAndDropPrivileges()
                try await command.run(capture, keys)
            } else if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            Console.exit(for: error)
        }
    }

    /// Parses the command line. A command that names its super-command is first tried alone, which takes a third of the
    /// time; help, errors and all other commands need the command tree.
    private static func parse(_ arguments: [String]) throws -> any ParsableCommand {
        let type = configuration.subcommands.first { $0.configuration.commandName == arguments.first }
        if let type, type.configuration._superCommandName != nil,
            let command = try? type.parseAsRoot(Array(arguments.dropFirst())), Swift.type(of: command) == type
        {
            return command
        }
        return try parseAsRoot(arguments)
    }

    /// Joins negative numbers to the option before them: `--seed -1` becomes `--seed=-1`. ArgumentParser would read the
    /// number as an option and report a missing value.
    private static func joiningNumbers(_ arguments: [String]) -> [String] {
        let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
        func isNumber(_ word: String) -> Bool { word.hasPrefix("-") && word.dropFirst().first?.isWholeNumber == true }
        return arguments[..<end].reduce(into: []) { joined, word in
            if isNumber(word), let last = joined.last, last.count > 1, last.hasPrefix("-"), !last.contains("="),
                !isNumber(last)
            {
                joined[joined.count - 1] += "=\(word)"
            } else {
                joined.append(word)
            }
        } + arguments[end...]
    }

    /// Throws for arguments that are not UTF-8: their repaired text would open another file.
    private static func refuseUnreadableArguments() throws {
        for index in 1..<max(1, Int(CommandLine.argc)) {
            guard let word = unsafe CommandLine.unsafeArgv[index], unsafe String(validatingCString: word) == nil else {
                continue
            }
            throw UsageError(
                "\(unsafe String(cString: word)): not UTF-8; rename the file, or let a shell redirect it (- reads standard input)"
            )
        }
    }

    /// Throws for an unknown command or subcommand, and suggests the nearest names; after `help`, the following words
    /// are checked.
    private static func refuseUnknownCommand(_ arguments: [String]) throws {
        var commands = configuration.subcommands
        var others = PluginCommands.names + ["help"]
        var title = "gattbench"
        let words = arguments.first == "help" ? arguments.dropFirst() : arguments[...]
        for word in words.prefix(while: { !$0.hasPrefix("-") }) {
            let names = commands.compactMap { $0.configuration.commandName } + others
            guard !names.isEmpty, !names.contains(word) else {
                commands = commands.first { $0.configuration.commandName == word }?.configuration.subcommands ?? []
                (others, title) = ([], "\(title) \(word)")
                continue
            }
            let hint = Spelling.suggestion(for: word, among: names, limit: 3)
            throw UsageError("unknown command \"\(word)\"\(hint)\n  See '\(title) --help' for the commands.")
        }
    }

    @MainActor private static func serveWireshark(_ arguments: [String]) async throws {
        let command = try ExtcapCommand.parse(arguments)
        guard let capture = try command.open() else { return }
        Privileges.drop()
        try await command.run(capture)
    }
}

/// The environment variables of the program.
enum ProcessEnvironment {
    /// Names of the variables that the program uses.
    private static let names = [
        "GATTBENCH_KEYS", "GATTBENCH_PLUGINS", "GATTBENCH_WEB_TOKEN", "HOME", "TZ", "XDG_CONFIG_HOME", "XDG_DATA_HOME",
        "XDG_STATE_HOME",
    ]

    static var variables: [String: String] {
        var variables: [String: String] = [:]
        for name in names {
            if let value = unsafe getenv(name) { variables[name] = unsafe String(cString: value) }
        }
        return variables
    }
}
