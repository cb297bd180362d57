import Bytes
package import PluginKit
import Profile

/// The arguments of a plugin command, by parameter.
package struct CommandArguments: Sendable {
    /// Values by parameter name; for an input or output, the path.
    package var values: [String: CommandInput.Value] = [:]

    /// An invalid command line.
    package struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
        package var description: String
    }

    /// Parses a command line as ArgumentParser does: `--name value`, `--name=value`, `-n value`, flags, `--` before
    /// arguments that begin with a dash.
    package init(_ arguments: [String], for command: PluginCommand) throws(Fault) {
        var rest = arguments[...]
        var places = command.allParameters.filter(\.isArgument)[...]
        var takesOptions = true
        while let word = rest.popFirst() {
            if takesOptions, word == "--" {
                takesOptions = false
            } else if takesOptions, word.hasPrefix("-"), word != "-", Double(word) == nil {
                try takeOption(word, &rest, command)
            } else if let place = places.popFirst() {
                try set(place, to: word)
            } else {
                throw Fault(description: "Unexpected argument '\(word)'")
            }
        }
        if let missing = places.first {
            throw Fault(
                description: "Missing expected argument '<\(missing.placeholder)>'\nHelp:  <\(missing.placeholder)>  "
                    + missing.help)
        }
    }

    private mutating func takeOption(
        _ word: String, _ rest: inout ArraySlice<String>, _ command: PluginCommand
    ) throws(Fault) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        guard let parameter = command.allParameters.first(where: { $0.spellings.contains(name) }) else {
            let names = command.allParameters.flatMap(\.spellings) + ["--help"]
            let nearest = Spelling.nearest(to: name, among: names, limit: 1).first
            throw Fault(description: "Unknown option '\(name)'" + (nearest.map { ". Did you mean '\($0)'?" } ?? ""))
        }
        if parameter.kind == .flag {
            guard parts.count == 1 else { throw Fault(description: "The flag '\(name)' takes no value") }
            values[parameter.name] = .flag
        } else if parts.count == 2 {
            try set(parameter, to: String(parts[1]))
        } else if let value = rest.first, value == "-" || !value.hasPrefix("-") || Double(value) != nil {
            rest.removeFirst()
            try set(parameter, to: value)
        } else {
            throw Fault(description: "Missing value for '\(name) <\(parameter.placeholder)>'")
        }
    }

    private mutating func set(_ parameter: CommandParameter, to text: String) throws(Fault) {
        guard values[parameter.name] == nil else {
            throw Fault(description: "The option '\(parameter.title)' is given twice")
        }
        guard case .number(let range) = parameter.kind else {
            values[parameter.name] = .text(text)
            return
        }
        guard let number = Double(text), range.contains(number) else {
            throw Fault(
                description: "The value '\(text)' is invalid for '\(parameter.title)': a number from "
                    + "\(Self.plain(range.lowerBound)) to \(Self.plain(range.upperBound)) was expected")
        }
        values[parameter.name] = .number(number)
    }

    private static func plain(_ number: Double) -> String {
        Int(exactly: number).map { String($0) } ?? String(number)
    }
}

extension PluginCommand {
    /// All parameters of the command line: those of the plugin, and those that the program adds.
    var allParameters: [CommandParameter] {
        let readsCaptures = parameters.contains {
            if case .input(let values, _) = $0.kind { !values.isEmpty } else { false }
        }
        return parameters + (readsCaptures ? [.gatt] : []) + (makeClient == nil ? [] : CommandParameter.connection)
            + (usesStore || makeClient != nil ? [.store] : [])
    }
}

extension CommandParameter {
    /// Attribute tables for a command that reads captures.
    package static let gatt = option(
        "gatt", placeholder: "path",
        help: "Attribute tables from a file, to name attributes whose discovery was not captured.")

    /// The store's path, for a command that uses the store.
    package static let store = option(
        "store", placeholder: "path",
        help: "The store; $XDG_DATA_HOME/gattbench/store.sqlite or ~/.local/share/gattbench/store.sqlite by default.")

    /// Spellings on a command line: the short form and the long form.
    var spellings: [String] { isArgument ? [] : (short.map { ["-\($0)"] } ?? []) + ["--\(name)"] }

    /// The form in help: `-o, --output <output>`.
    var title: String {
        if isArgument { return "<\(placeholder)>" }
        return spellings.joined(separator: ", ") + (kind == .flag ? "" : " <\(placeholder)>")
    }

    /// The form in a usage line.
    var usage: String {
        if isArgument { return title }
        return "[--\(name)" + (kind == .flag ? "" : " <\(placeholder)>") + "]"
    }
}
