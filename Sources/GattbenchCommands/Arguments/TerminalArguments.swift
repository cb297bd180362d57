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
        while let word = rest.popFirst() {
            switch word {
            case "--color": own += [word] + [rest.popFirst()].compactMap(\.self)
            case "--no-pager", "--verbose", "-v": own.append(word)
            case _ where word.hasPrefix("--color="): own.append(word)
            default: others.append(word)
            }
        }
        _ = try parse(own)
        return others + words[end...]
    }

    /// The rows of a help text about them.
    static var rows: [String] {
        let lines = helpMessage(columns: HelpText.unwrapped).split(separator: "\n")
        return lines.drop { $0 != "OPTIONS:" }.dropFirst().prefix { !$0.hasPrefix("  -h") }.map { String($0) }
    }
}
