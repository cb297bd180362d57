/// The output of a command: text to print and changes to the store.
public struct CommandOutput: Sendable, Hashable {
    /// Outcome of a command, used as the program's exit code.
    public enum Outcome: Int32, Sendable, Hashable {
        case done = 0
        /// A rule was broken.
        case findings = 1
        /// There was nothing to evaluate.
        case inconclusive = 4
    }

    /// Text for standard output, or for the file named by the user.
    public var text: String
    /// Whether the text has colors for a terminal; what it has from users and devices must be escaped already.
    public var isPainted: Bool
    /// Notes for standard error, one per line.
    public var notes: [String]
    /// Changes to the store's tables, applied together when the text is written.
    public var storeChanges: [StoreChange]
    /// Question that the user must confirm before anything is changed; nil for none.
    package var question: String?
    public var outcome: Outcome

    public init(
        _ text: String = "", isPainted: Bool = false, notes: [String] = [], storeChanges: [StoreChange] = [],
        question: String? = nil, outcome: Outcome = .done
    ) {
        self.text = text
        self.isPainted = isPainted
        self.notes = notes
        self.storeChanges = storeChanges
        self.question = question
        self.outcome = outcome
    }
}

/// An error that prevents a command from running.
public enum CommandError: Error, Hashable, Sendable {
    /// The command line requests something that does not exist: exit code 2.
    case usage(String)
    /// A file does not have the expected content: exit code 3.
    case unreadable(String)
}
