import ArgumentParser
import Bluetooth
import Bytes
import Captures
import PluginKit
import Transports
import Workbench

/// Runs commands added by plugins. They are data, whereas ArgumentParser requires types known at compile time.
struct PluginCommands {
    private static let program = "gattbench"
    private static let helpFlags = ["-h", "--help"]

    private let group: PluginCommandGroup
    /// The arguments after the group's name.
    private let arguments: [String]

    /// Accepts the command line of a plugin command, with or without a leading `help`; nil for any other.
    init?(_ arguments: [String]) {
        let asksForHelp = arguments.first == "help"
        let words = asksForHelp ? arguments.dropFirst() : arguments[...]
        guard let name = words.first, let group = BuiltInPlugins.commandGroups.first(where: { $0.name == name }) else {
            return nil
        }
        self.group = group
        self.arguments = words.dropFirst() + (asksForHelp ? ["--help"] : [])
    }

    static var names: [String] { BuiltInPlugins.commandGroups.map(\.name) }

    /// The list of groups in the program's help.
    static var list: String { CommandHelp.list(BuiltInPlugins.commandGroups) }

    func run() throws {
        Pager.use()
        if group.isSingle, let command = group.commands.first { return try runOrExplain(command, arguments) }
        guard let name = arguments.first, !Self.helpFlags.contains(name) else {
            return try Self.show(CommandHelp.text(group, program: Self.program))
        }
        guard let command = group.commands.first(where: { $0.name == name }) else {
            let names = Spelling.nearest(to: name, among: group.commands.map(\.name), limit: 1)
            throw UsageError(
                "Unexpected argument '\(name)'" + (names.first.map { ". Did you mean '\($0)'?" } ?? "")
                    + "\nUsage: \(Self.program) \(group.name) <subcommand>\n"
                    + "  See '\(Self.program) \(group.name) --help' for more information.")
        }
        try runOrExplain(command, Array(arguments.dropFirst()))
    }

    private func runOrExplain(_ command: PluginCommand, _ words: [String]) throws {
        if words.prefix(while: { $0 != "--" }).contains(where: Self.helpFlags.contains) {
            let help = CommandHelp.text(
                command, of: group, program: Self.program, commonOptions: TerminalArguments.rows)
            return try Self.show(help)
        }
        try run(command, parse(TerminalArguments.take(from: words), for: command))
    }

    private static func show(_ help: String) throws {
        try Console.write(HelpText.wrapped(help, to: Console.helpWidth))
    }

    private func parse(_ words: [String], for command: PluginCommand) throws -> CommandArguments {
        do throws(CommandArguments.Fault) {
            return try CommandArguments(words, for: command)
        } catch {
            throw UsageError(
                "\(error)\nUsage: \(CommandHelp.usage(command, of: group, program: Self.program))\n"
                    + "  See '\(Self.program) \(group.title(of: command)) --help' for more information.")
        }
    }

    private func run(_ command: PluginCommand, _ arguments: CommandArguments) throws {
        let environment = ProcessEnvironment.variables
        var path: String?
        if case .text(let text) = arguments.values[CommandParameter.store.name] { path = text }
        let asksForStore = command.storeFlag.map { arguments.values[$0.name] != nil } ?? true
        // A file given by an option replaces the store.
        let readsFile = command.parameters.contains { one in
            guard !one.isArgument, arguments.values[one.name] != nil else { return false }
            if case .input = one.kind { return true }
            return one.kind == .file
        }
        let usesStore = command.usesStore && asksForStore && !readsFile
        // A command that only reads does not create a store.
        let store: (any RecordStore)? =
            usesStore && StoreFile.exists(path, environment: environment) ? try StoreFile.openToRead(path) : nil
        var input = CommandInput(values: arguments.values, now: Self.now)
        input.wantsColor = Console.wantsColor
        input.localZone = ZoneFile.local(environment: environment)
        input.findZone = { ZoneFile.zone($0) }
        try readZones(of: command, into: &input)
        input.settings = try UserFolder.settings(environment: environment).read(command.settingsFiles)
        let target = command.parameters.first { $0.kind == .output }.flatMap { input.text($0) }
        let inputs = (command.parameters + [.gatt]).map { $0.kind == .output ? nil : input.text($0) }
        try Console.refuse(target, overwriting: inputs)
        try readInputs(of: command, into: &input)
        for parameter in command.parameters where parameter.kind == .file {
            guard let path = input.text(parameter) else { continue }
            input.files[parameter.name] = Self.chunks(of: path)
        }
        if usesStore { try read(store, for: command, into: &input) }
        if let makeClient = command.makeClient { return try run(makeClient(input), arguments) }
        var output = try command.run(input)
        if let question = output.question { try Console.ask(question) }
        // Exports are written before they are marked as exported; additions are reported after the commit.
        let isAdding = usesStore && output.storeChanges.contains(where: \.isNew)
        if !isAdding { try Self.write(output, to: target) }
        if usesStore, !output.storeChanges.isEmpty {
            try commit(&output, of: command, to: StoreFile.open(path), &input)
        } else if usesStore, store == nil {
            Console.note("\(StoreFile.path(path, environment: environment).quotedIfEmpty): there is no store yet")
        }
        if isAdding { try Self.write(output, to: target) }
        for note in output.notes { Console.note(note) }
        if output.outcome != .done { throw PluginOutcome(code: output.outcome.rawValue) }
    }

    /// Writes a command's text to a file, or to standard output if there is no path.
    private static func write(_ output: CommandOutput, to path: String?) throws {
        if output.isPainted, path == nil { return try Console.write(painted: output.text) }
        try Console.write(output.text, to: path)
    }

    /// Commits a command's changes. If another program has added the same rows meanwhile, the command is run again.
    private func commit(
        _ output: inout CommandOutput, of command: PluginCommand, to store: any RecordStore, _ input: inout CommandInput
    ) throws {
        for _ in 1..<Self.attempts {
            do throws(StoreFault) {
                return try store.commit(output.storeChanges)
            } catch {
                guard error.isConflict else { throw error }
            }
            try read(store, for: command, into: &input)
            output = try command.run(input)
        }
        try store.commit(output.storeChanges)
    }

    private static let attempts = 100

    /// Provides a command with the current rows of the store, which may not exist yet.
    private func read(_ store: (any RecordStore)?, for command: PluginCommand, into input: inout CommandInput) throws {
        for table in command.tables { input.rows[table] = try store?.rows(of: table) }
        input.rows["sessions"] = input.rows["sessions"]?.map(\.withProgramState)
        input.forEachRow = { query, body throws(CommandError) in
            do {
                try store?.forEachRow(of: query, body)
            } catch {
                throw .unreadable("\(error)")
            }
        }
    }

    /// Runs a command's client, with the connection options of `gateway`.
    private func run(_ client: CommandClient, _ arguments: CommandArguments) throws {
        guard let plugin = BuiltInPlugins.all.first(where: { $0.commands.contains { $0.name == group.name } }),
            let tables = plugin.tables
        else { throw UsageError("\(group.name) has no tables: nothing of it can be kept") }
        guard arguments.values[CommandParameter.transport.name] != nil else {
            throw UsageError("say where the controller is: --transport SPEC, like hci-socket:0 or radio:")
        }
        var words = [plugin.name.lowercased()]
        var duration: String?
        for parameter in CommandParameter.connection + [.store] {
            switch arguments.values[parameter.name] {
            case .text(let text) where parameter.name == CommandParameter.duration.name: duration = text
            case .text(let text): words += ["--\(parameter.name)=\(text)"]
            case .flag: words.append("--\(parameter.name)")
            default: break
            }
        }
        let options = try SyncArguments.parse(words)
        if !options.isRadio, options.address.isEmpty, options.name == nil {
            throw UsageError("say which device: --address or --name; 'gattbench scan' lists those in range")
        }
        try options.run(tables, duration: duration, client: client)
    }

    private func readZones(of command: PluginCommand, into input: inout CommandInput) throws {
        for parameter in command.parameters where parameter.kind == .timeZone {
            guard let name = input.text(parameter) else { continue }
            guard let zone = ZoneFile.zone(name) else {
                throw UsageError(
                    "--\(parameter.name) \(name): there is no such zone; expected a name like Europe/Paris")
            }
            input.values[parameter.name] = .zone(zone)
        }
    }

    private func readInputs(of command: PluginCommand, into input: inout CommandInput) throws {
        let tables = try input.text(.gatt).map { try GATTFiles.read($0) }
        var isRead = false
        for parameter in command.parameters {
            guard case .input(let types, let writtenTypes) = parameter.kind, let path = input.text(parameter) else {
                continue
            }
            Interruption.watch()
            var progress = Progress()
            let (content, reader, isCut) = try InputContent.read(
                path, values: types, writes: writtenTypes, tables: tables ?? GATT.KnownTables()
            ) { frames in
                progress.show(frames)
                return !Interruption.isAsked
            }
            if let reader { Console.note(reader) }
            if isCut { Console.note("warning: only the first \(ObservedValues.limit) values are used") }
            input.values[parameter.name] = .content(content)
            isRead = true
        }
        if tables != nil, !isRead { throw UsageError("--gatt goes with a capture") }
    }

    /// Reads a file in chunks, up to its end or an interruption.
    private static func chunks(of path: String) -> FileChunks {
        // A closure here crashes the compiler (Swift 6.3.1).
        @Sendable func read(_ body: ([UInt8]) throws(CommandError) -> Void) throws(CommandError) {
            Interruption.watch()
            let source: ByteSource
            do throws(CaptureError) { source = try ByteSource(path: path) } catch { throw .unreadable("\(error)") }
            while !Interruption.isAsked {
                let chunk: [UInt8]
                do throws(CaptureError) { chunk = try source.next() } catch { throw .unreadable("\(error)") }
                if chunk.isEmpty { return }
                try body(chunk)
            }
        }
        return read
    }

    /// The current time in whole milliseconds, the precision in which times are written.
    private static var now: Timestamp {
        Timestamp(nanoseconds: SystemClock().now.nanoseconds / 1_000_000 * 1_000_000)
    }
}

/// A command has completed, with a result in its exit code.
struct PluginOutcome: Error {
    var code: Int32
}
