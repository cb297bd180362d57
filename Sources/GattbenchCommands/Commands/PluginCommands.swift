import Bytes
import Captures
import FoundationEssentials
import PluginKit
import Workbench

/// The commands that plugins add: ArgumentParser wants types that are known when it is compiled, these are data.
struct PluginCommands {
    private static let program = "gattbench"
    private static let helpFlags = ["-h", "--help"]

    private let group: PluginCommandGroup
    /// What follows the group's name on the command line.
    private let arguments: [String]

    /// Takes a command line that is about a plugin's command, with or without `help` before it; nil for others.
    init?(_ arguments: [String]) {
        let asksForHelp = arguments.first == "help"
        let words = asksForHelp ? arguments.dropFirst() : arguments[...]
        guard let name = words.first, let group = BuiltInPlugins.commandGroups.first(where: { $0.name == name }) else {
            return nil
        }
        self.group = group
        self.arguments = words.dropFirst() + (asksForHelp ? ["--help"] : [])
    }

    /// The names of the groups.
    static var names: [String] { BuiltInPlugins.commandGroups.map(\.name) }

    /// What the program's own help says of them.
    static var list: String { CommandHelp.list(BuiltInPlugins.commandGroups) }

    func run() throws {
        guard let name = arguments.first, !Self.helpFlags.contains(name) else {
            return try Console.write(CommandHelp.text(group, program: Self.program))
        }
        guard let command = group.commands.first(where: { $0.name == name }) else {
            let names = Spelling.nearest(to: name, among: group.commands.map(\.name), limit: 1)
            throw UsageError(
                "Unexpected argument '\(name)'" + (names.first.map { ". Did you mean '\($0)'?" } ?? "")
                    + "\nUsage: \(Self.program) \(group.name) <subcommand>\n"
                    + "  See '\(Self.program) \(group.name) --help' for more information.")
        }
        let words = Array(arguments.dropFirst())
        if words.prefix(while: { $0 != "--" }).contains(where: Self.helpFlags.contains) {
            return try Console.write(CommandHelp.text(command, of: group, program: Self.program))
        }
        try run(command, parse(words, for: command))
    }

    private func parse(_ words: [String], for command: PluginCommand) throws -> CommandArguments {
        do throws(CommandArguments.Fault) {
            return try CommandArguments(words, for: command)
        } catch {
            throw UsageError(
                "\(error)\nUsage: \(CommandHelp.usage(command, of: group, program: Self.program))\n"
                    + "  See '\(Self.program) \(group.name) \(command.name) --help' for more information.")
        }
    }

    private func run(_ command: PluginCommand, _ arguments: CommandArguments) throws {
        let environment = ProcessInfo.processInfo.environment
        var input = CommandInput(values: arguments.values, now: Self.now)
        let data = input.text(.store).map { UserFolder(path: $0) } ?? .data(environment: environment)
        input.stored = try data.read(command.storedFiles)
        input.settings = try UserFolder.settings(environment: environment).read(command.settingsFiles)
        try readInputs(of: command, into: &input)
        let output = try command.run(input)
        if let question = output.question { try Console.ask(question) }
        try data.apply(output.changes)
        let target = command.parameters.first { $0.kind == .output }.flatMap { input.text($0) }
        try Console.write(output.text, to: target)
        for note in output.notes { Console.note(note) }
        if output.outcome != .done { throw PluginOutcome(code: output.outcome.rawValue) }
    }

    private func readInputs(of command: PluginCommand, into input: inout CommandInput) throws {
        for parameter in command.parameters {
            guard case .input(let types) = parameter.kind, let path = input.text(parameter) else { continue }
            Interruption.watch()
            var progress = Progress()
            let (content, reader, isCut) = try InputContent.read(path, values: types) { frames in
                progress.show(frames)
                return !Interruption.isAsked
            }
            if let reader { Console.note(reader) }
            if isCut { Console.note("warning: only the first \(ObservedValues.limit) values are used") }
            input.values[parameter.name] = .content(content)
        }
    }

    private static var now: Timestamp {
        Timestamp(nanoseconds: Int64(Date().timeIntervalSince1970 * 1000) * 1_000_000)
    }
}

/// A command has ended as it should, with something to tell by the exit code.
struct PluginOutcome: Error {
    var code: Int32
}
