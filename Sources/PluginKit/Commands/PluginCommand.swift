/// The commands that a plugin adds to the program: `gattbench <name> <command>`.
public struct PluginCommandGroup: Sendable {
    /// Short, in lower case: `battery`.
    public var name: String
    /// What they are for, in one sentence.
    package var abstract: String
    public var commands: [PluginCommand]
    /// Whether the group is one command, without a name of its own after that of the group.
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
/// It is data and a function: the program reads the command line, the files and the store, the function says what to print and
/// what to change in the store, the program does it. So a command needs no file system to be tested, and a plugin does no I/O.
public struct PluginCommand: Sendable {
    /// Short, in lower case: `estimate`.
    public var name: String
    /// What it does, in one sentence.
    package var abstract: String
    /// What else users should know; empty where there is nothing.
    package var discussion: String
    /// Command lines after the program's name, without the group's: `estimate charge.csv --capacity 3274`.
    package var examples: [String]
    /// What stands on the command line, arguments without a dash in their order.
    public var parameters: [CommandParameter]
    /// Names of the files in the program's settings folder that it reads: `batteries.json`.
    package var settingsFiles: [String]
    /// Tables of the store whose rows it reads; `sessions` has those of all devices.
    package var tables: [String]
    /// Whether it reads or changes the store: true where it has tables.
    package var usesStore: Bool
    /// The flag without which it does not use the store; nil for a command that always does.
    package var storeFlag: CommandParameter?
    public var run: @Sendable (CommandInput) throws(CommandError) -> CommandOutput
    /// The client of a command that runs one until it is stopped; nil for a command that prints and ends.
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

    /// A command that runs a client of the plugin's devices and keeps what it receives in the plugin's tables. The program
    /// adds the options of the connection.
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
