import ArgumentParser
import Workbench

/// Options of every command that control its output.
struct TerminalArguments: ParsableArguments {
    /// When output is colored.
    enum Color: String, CaseIterable, ExpressibleByArgument {
        case auto, always, never
    }

    @Option(help: "Color the output: auto (on a terminal, unless NO_COLOR is set), always or never.")
    var color = Color.auto

    @Flag(help: "Do not show long output in a pager (GATTBENCH_PAGER, PAGER or less).")
    var noPager = false

    @Flag(name: .shortAndLong, help: "Say on standard error what is read, with which plugins, and how fast.")
    var verbose = false

    /// Applies the options to the whole program when they are parsed.
    func validate() {
        Console.color = color
        Console.isVerbose = verbose
        if noPager { Pager.forbid() }
    }
}

extension TerminalArguments {
    /// Parses and removes these options from the words of a plugin command, which ArgumentParser does not read; returns
    /// the other words.
    static func take(from words: [String]) throws -> [String] {
        var own: [String] = []
        var others: [String] = []
        let end = words.firstIndex(of: "--") ?? words.endIndex
        var rest = words[..<end]
        while let word = rest.first {
            let count = count(of: word)
            if count > 0 { own += rest.prefix(count) } else { others.append(word) }
            rest = rest.dropFirst(max(1, count))
        }
        _ = try parse(own)
        return others + words[end...]
    }

    /// Moves these options from before the command to the end of the arguments.
    static func behindCommand(_ arguments: [String]) -> [String] {
        var rest = arguments[...]
        while let word = rest.first, count(of: word) > 0 { rest = rest.dropFirst(count(of: word)) }
        let own = arguments[..<rest.startIndex]
        let end = rest.firstIndex(of: "--") ?? rest.endIndex
        return rest.isEmpty ? arguments : Array(rest[..<end] + own + rest[end...])
    }

    /// Number of words of one of these options with its value; 0 for any other word.
    private static func count(of word: String) -> Int {
        switch word {
        case "--color": 2
        case "--no-pager", "--verbose", "-v": 1
        default: word.hasPrefix("--color=") ? 1 : 0
        }
    }

    /// The rows of these options in a help text.
    static var rows: [String] {
        let lines = helpMessage(columns: HelpText.unwrapped).split(separator: "\n")
        return lines.drop { $0 != "OPTIONS:" }.dropFirst().prefix { !$0.hasPrefix("  -h") }.map { String($0) }
    }
}
