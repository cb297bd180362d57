public import Bytes
public import Profile

/// Messages to the user of a plugin's devices, derived from the store while a gateway runs.
public protocol ReminderSource: Sendable {
    /// Tables whose rows it reads.
    var tables: [String] { get }

    /// The reminders that are due at the time of the input and were not given before, in order. Called about once a
    /// minute, with the rows of `tables`.
    mutating func due(_ input: CommandInput) throws(CommandError) -> [DueReminder]
}

/// A message to the user.
public struct DueReminder: Hashable, Sendable {
    /// Its kind: `goal_reached`.
    public var kind: String
    public var text: String
    public var time: Timestamp
    /// Details by name: `deficit_ml`, `device`.
    public var details: Record
    /// Keeps in the store that the reminder was given. It fails if another program has given the reminder.
    public var change: StoreChange

    public init(kind: String, text: String, time: Timestamp, details: Record, change: StoreChange) {
        self.kind = kind
        self.text = text
        self.time = time
        self.details = details
        self.change = change
    }
}
