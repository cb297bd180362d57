/// The commands that a plugin adds to the program: `gattbench <name> <command>`.
public struct PluginCommandGroup: Sendable {
    /// Short, in lower case: `battery`.
    public var name: String
    /// What they are for, in one sentence.
    public var abstract: String
    public var commands: [PluginCommand]

    public init(name: String, abstract: String, commands: [PluginCommand]) {
        self.name = name
        self.abstract = abstract
        self.commands = commands
    }
}

/// A command that a plugin adds to the program.
///
/// It is data and a function: the program reads the command line and the files, the function says what to print and which
/// files to change, the program does it. So a command needs no file system to be tested, and a plugin does no I/O.
public struct PluginCommand: Sendable {
    /// Short, in lower case: `estimate`.
    public var name: String
    /// What it does, in one sentence.
    public var abstract: String
    /// What else users should know; empty where there is nothing.
    public var discussion: String
    /// Command lines after the program's name, without the group's: `estimate charge.csv --capacity 3274`.
    public var examples: [String]
    /// What stands on the command line, arguments without a dash in their order.
    public var parameters: [CommandParameter]
    /// Names of the files in the program's data folder that it reads and may change: `snapshots.csv`.
    public var storedFiles: [String]
    /// Names of the files in the program's settings folder that it reads: `batteries.json`.
    public var settingsFiles: [String]
    public var run: @Sendable (CommandInput) throws(CommandError) -> CommandOutput

    public init(
        name: String, abstract: String, discussion: String = "", examples: [String] = [],
        parameters: [CommandParameter] = [], storedFiles: [String] = [], settingsFiles: [String] = [],
        run: @escaping @Sendable (CommandInput) throws(CommandError) -> CommandOutput
    ) {
        self.name = name
        self.abstract = abstract
        self.discussion = discussion
        self.examples = examples
        self.parameters = parameters
        self.storedFiles = storedFiles
        self.settingsFiles = settingsFiles
        self.run = run
    }
}
