public import Bluetooth

/// Something that a command takes from its command line: an argument, an option or a flag.
public struct CommandParameter: Sendable, Hashable {
    /// What is expected of the user.
    public enum Kind: Sendable, Hashable {
        /// Given or not.
        case flag
        case text
        /// A decimal number in a range.
        case number(ClosedRange<Double>)
        /// A file to read: of a capture the values of attributes of these types that servers have sent, and those that were
        /// written to others; of anything else the bytes.
        case input(values: Set<UUID>, writes: Set<UUID> = [])
        /// A file that the command's text goes to, instead of standard output.
        case output
        /// The name of a time zone: `Europe/Paris`.
        case timeZone
    }

    /// Long name without dashes: `window`. An argument's is that of its placeholder: `file`.
    public var name: String
    /// Short name without its dash: `o`.
    package var short: Character?
    public var kind: Kind
    /// What stands for the value in help: `seconds`.
    package var placeholder: String
    package var help: String
    /// Whether it stands on the command line by itself, without a name before it; such a one must be given.
    package var isArgument = false

    /// An argument, which must be given.
    public static func argument(_ name: String, _ kind: Kind = .text, help: String) -> Self {
        Self(name: name, kind: kind, placeholder: name, help: help, isArgument: true)
    }

    /// An option with a value, `--name value`; it may be left out.
    public static func option(
        _ name: String, short: Character? = nil, _ kind: Kind = .text, placeholder: String, help: String
    ) -> Self {
        Self(name: name, short: short, kind: kind, placeholder: placeholder, help: help)
    }

    /// A flag, `--name`.
    public static func flag(_ name: String, help: String) -> Self {
        Self(name: name, kind: .flag, placeholder: "", help: help)
    }
}
