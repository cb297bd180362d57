/// What came of a command: what to print, and which files to change.
public struct CommandOutput: Sendable, Hashable {
    /// How it ended, which becomes the program's exit code.
    public enum Outcome: Int32, Sendable, Hashable {
        case done = 0
        /// A rule was broken.
        case findings = 1
        /// There was nothing to judge.
        case inconclusive = 4
    }

    /// What to do with a file of the data folder.
    public enum Change: Sendable, Hashable {
        /// Puts bytes at its end; a file that is not there is made first, of `orNew` and these bytes.
        case append([UInt8], orNew: [UInt8])
        case remove
    }

    /// For standard output, or for the file that the user named.
    public var text: String
    /// For standard error, one a line.
    public var notes: [String]
    /// By name of the file.
    public var changes: [String: Change]
    /// What the user must agree to before anything is changed; nil where nothing is to be asked.
    public var question: String?
    public var outcome: Outcome

    public init(
        _ text: String = "", notes: [String] = [], changes: [String: Change] = [:], question: String? = nil,
        outcome: Outcome = .done
    ) {
        self.text = text
        self.notes = notes
        self.changes = changes
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
