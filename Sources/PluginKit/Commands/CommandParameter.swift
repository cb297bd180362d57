public import Bluetooth

/// A command-line parameter: an argument, an option or a flag.
public struct CommandParameter: Sendable, Hashable {
    /// Type of a parameter's value.
    public enum Kind: Sendable, Hashable {
        /// A switch without a value.
        case flag
        case text
        /// A decimal number in a range.
        case number(ClosedRange<Double>)
        /// A file to read. From a capture, the command receives the values of attributes of these types that servers
        /// sent, and the written values of the types in `writes`; from any other file, the bytes.
        case input(values: Set<UUID>, writes: Set<UUID> = [])
        /// A file of any content and size, which the command reads in chunks: `CommandInput.files`.
        case file
        /// A file that receives the command's text instead of standard output.
        case output
        /// The name of a time zone: `Europe/Paris`.
        case timeZone
    }

    /// Long name without dashes: `window`. For an argument, the name of its placeholder: `file`.
    public var name: String
    /// Short name without its dash: `o`.
    package var short: Character?
    public var kind: Kind
    /// Placeholder of the value in help: `seconds`.
    package var placeholder: String
    package var help: String
    /// Whether it is a positional argument, which is required.
    package var isArgument = false

    /// Creates a required positional argument.
    public static func argument(_ name: String, _ kind: Kind = .text, help: String) -> Self {
        Self(name: name, kind: kind, placeholder: name, help: help, isArgument: true)
    }

    /// Creates an optional option with a value: `--name value`.
    public static func option(
        _ name: String, short: Character? = nil, _ kind: Kind = .text, placeholder: String, help: String
    ) -> Self {
        Self(name: name, short: short, kind: kind, placeholder: placeholder, help: help)
    }

    /// Creates a flag: `--name`.
    public static func flag(_ name: String, help: String) -> Self {
        Self(name: name, kind: .flag, placeholder: "", help: help)
    }
}
