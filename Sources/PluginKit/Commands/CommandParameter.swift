package import BluetoothTypes

/// Something that a command takes from its command line: an argument, an option or a flag.
package struct CommandParameter: Sendable, Hashable {
    /// What is expected of the user.
    package enum Kind: Sendable, Hashable {
        /// Given or not.
        case flag
        case text
        /// A decimal number in a range.
        case number(ClosedRange<Double>)
        /// A file to read: of a capture the values of attributes of these types, of anything else the bytes.
        case input(values: Set<UUID>)
        /// A file that the command's text goes to, instead of standard output.
        case output
    }

    /// Long name without dashes: `window`. An argument's is that of its placeholder: `file`.
    package var name: String
    /// Short name without its dash: `o`.
    package var short: Character?
    package var kind: Kind
    /// What stands for the value in help: `seconds`.
    package var placeholder: String
    package var help: String
    /// Whether it stands on the command line by itself, without a name before it; such a one must be given.
    package var isArgument = false

    /// An argument, which must be given.
    package static func argument(_ name: String, _ kind: Kind = .text, help: String) -> Self {
        Self(name: name, kind: kind, placeholder: name, help: help, isArgument: true)
    }

    /// An option with a value, `--name value`; it may be left out.
    package static func option(
        _ name: String, short: Character? = nil, _ kind: Kind = .text, placeholder: String, help: String
    ) -> Self {
        Self(name: name, short: short, kind: kind, placeholder: placeholder, help: help)
    }

    /// A flag, `--name`.
    package static func flag(_ name: String, help: String) -> Self {
        Self(name: name, kind: .flag, placeholder: "", help: help)
    }
}
