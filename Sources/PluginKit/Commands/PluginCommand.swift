/// The commands that a plugin adds to the program: `gattbench <name> <command>`.
public struct PluginCommandGroup: Sendable {
    /// Short, in lower case: `battery`.
    public var name: String
    /// Purpose of the commands, in one sentence.
    package var abstract: String
    public var commands: [PluginCommand]
    /// Whether the group is a single command, invoked by the group's name alone.
    public let isSingle: Bool

    public init(name: String, abstract: String, commands: [PluginCommand]) {
        self.name = name
        self.abstract = abstract
        self.commands = commands
        isSingle = false
    }

    /// A command directly below the program: `gattbench <command>`.
    public init(_ command: PluginCommand) {
        name = command.name
        abstract = command.abstract
        commands = [command]
        isSingle = true
    }
}

/// A command that a plugin adds to the program.
///
/// A command is data and a function. The program reads the command line, the files and the store; the function returns
/// the text to print and the changes to the store; the program performs them. Commands can therefore be tested without
/// a file system, and plugins do no I/O.
public struct PluginCommand: Sendable {
    /// Short, in lower case: `estimate`.
    public var name: String
    /// Summary of the command, in one sentence.
    package var abstract: String
    /// Further information for users; empty for none.
    package var discussion: String
    /// Example command lines without the names of the program and the group: `estimate charge.csv --capacity 3274`.
    package var examples: [String]
    /// Parameters of the command line; positional arguments in order.
    public var parameters: [CommandParameter]
    /// Names of the files in the program's settings folder that the command reads: `batteries.json`.
    package var settingsFiles: [String]
    /// Tables of the store that the command reads; `sessions` and `connections` contain those of all devices. A session
    /// has `is_running`, 1 while its program runs, if that is known.
    package var tables: [String]
    /// Whether the command reads or changes the store; true if it has tables.
    package var usesStore: Bool
    /// The flag that enables use of the store; nil for a command that always uses it.
    package var storeFlag: CommandParameter?
    public var run: @Sendable (CommandInput) throws(CommandError) -> CommandOutput
    /// Creates the client of a command that runs one until it is stopped; nil for a command that prints and ends.
    public private(set) var makeClient: (@Sendable (CommandInput) throws(CommandError) -> CommandClient)?

    public init(
        name: String, abstract: String, discussion: String = "", examples: [String] = [],
        parameters: [CommandParameter] = [], settingsFiles: [String] = [], tables: [String] = [],
        usesStore: Bool = false, storeFlag: CommandParameter? = nil,
        run: @escaping @Sendable (CommandInput) throws(CommandError) -> CommandOutput
    ) {
        self.name = name
        self.abstract = abstract
        self.discussion = discussion
        self.examples = examples
        self.parameters = parameters
        self.settingsFiles = settingsFiles
        self.tables = tables
        self.usesStore = usesStore || !tables.isEmpty
        self.storeFlag = storeFlag
        self.run = run
    }

    /// Creates a command that runs a client of the plugin's devices and stores the received data in the plugin's
    /// tables. The program adds the connection options.
    public init(
        name: String, abstract: String, discussion: String = "", examples: [String] = [],
        parameters: [CommandParameter] = [], settingsFiles: [String] = [],
        client: @escaping @Sendable (CommandInput) throws(CommandError) -> CommandClient
    ) {
        self.init(
            name: name, abstract: abstract, discussion: discussion, examples: examples, parameters: parameters,
            settingsFiles: settingsFiles
        ) { input throws(CommandError) in
            CommandOutput(try client(input).heading)
        }
        makeClient = client
    }
}
