import ArgumentParser
import Workbench

/// How results and messages are shown: the options of every command.
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

    /// They hold for the program from the time that they are parsed.
    func validate() {
        Console.color = color
        Console.isVerbose = verbose
        if noPager { Pager.forbid() }
    }
}

extension TerminalArguments {
    /// Takes these options out of the words of a plugin's command, which ArgumentParser does not read; the words that are left.
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

    /// The arguments with these options at the end where they stand before the command.
    static func behindCommand(_ arguments: [String]) -> [String] {
        var rest = arguments[...]
        while let word = rest.first, count(of: word) > 0 { rest = rest.dropFirst(count(of: word)) }
        let own = arguments[..<rest.startIndex]
        let end = rest.firstIndex(of: "--") ?? rest.endIndex
        return rest.isEmpty ? arguments : Array(rest[..<end] + own + rest[end...])
    }

    /// How many words one of these options and its value are; 0 for another word.
    private static func count(of word: String) -> Int {
        switch word {
        case "--color": 2
        case "--no-pager", "--verbose", "-v": 1
        default: word.hasPrefix("--color=") ? 1 : 0
        }
    }

    /// The rows of a help text about them.
    static var rows: [String] {
        let lines = helpMessage(columns: HelpText.unwrapped).split(separator: "\n")
        return lines.drop { $0 != "OPTIONS:" }.dropFirst().prefix { !$0.hasPrefix("  -h") }.map { String($0) }
    }
}
