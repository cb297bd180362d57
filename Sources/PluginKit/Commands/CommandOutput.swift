/// What came of a command: what to print, and what to change in the store.
public struct CommandOutput: Sendable, Hashable {
    /// How it ended, which becomes the program's exit code.
    public enum Outcome: Int32, Sendable, Hashable {
        case done = 0
        /// A rule was broken.
        case findings = 1
        /// There was nothing to judge.
        case inconclusive = 4
    }

    /// For standard output, or for the file that the user named.
    public var text: String
    /// For standard error, one a line.
    public var notes: [String]
    /// To the store's tables, made together when the text is written.
    public var storeChanges: [StoreChange]
    /// What the user must agree to before anything is changed; nil where nothing is to be asked.
    package var question: String?
    public var outcome: Outcome

    public init(
        _ text: String = "", notes: [String] = [], storeChanges: [StoreChange] = [], question: String? = nil,
        outcome: Outcome = .done
    ) {
        self.text = text
        self.notes = notes
        self.storeChanges = storeChanges
        self.question = question
        self.outcome = outcome
    }
}

/// Why a command did nothing.
public enum CommandError: Error, Hashable, Sendable {
    /// The command line asks for something that there is not: exit code 2.
    case usage(String)
    /// A file is not what it should be: exit code 3.
    case unreadable(String)
}
