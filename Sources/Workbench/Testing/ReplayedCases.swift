import Bytes
import Captures

/// The cases that failed in an earlier run, as the capture of one or a JSON report of all names them, and what the device
/// was.
package struct ReplayedCases: Hashable, Sendable {
    package var ids: [String] = []
    package var seed: UInt64 = 1
    package var dialect: String?
    /// The value of `--quirks`.
    package var quirks = "exact"

    package init() {}

    /// Reads a capture of `--failures`, whose first packet has the command that repeats the case as its comment, or a
    /// report of `--json`. All cases are of one run.
    package static func read(_ path: String) throws -> ReplayedCases {
        let commands = try TextFile.beginning(of: path) == UInt8(ascii: "{") ? report(path) : capture(path)
        var replayed = ReplayedCases()
        for command in commands { replayed.add(command) }
        return replayed
    }

    private static func capture(_ path: String) throws -> [String] {
        let batch = try CaptureReader(path: path).next()
        guard let command = batch?.comments.joined().first(where: { $0.hasPrefix(prefix) }) else {
            throw FileError(file: path, "its first packet names no case of gattbench test")
        }
        return [command]
    }

    private static func report(_ path: String) throws -> [String] {
        guard let json = try? JSONValue(reading: Array(TextFile.read(path).utf8)), let cases = json["cases"] else {
            throw FileError(file: path, "not a report of gattbench test with --json")
        }
        return cases.elements.filter { $0["verdict"]?.string == "fail" }.compactMap { $0["reproduce"]?.string }
    }

    private static let prefix = "gattbench test "

    private mutating func add(_ command: String) {
        let words = Self.words(of: command)
        for (option, value) in zip(words, words.dropFirst()) {
            switch option {
            case "--case", "--situation": ids.append(value)
            case "--seed": seed = UInt64(value) ?? seed
            case "--dialect": dialect = value
            case "--quirks": quirks = value
            default: break
            }
        }
    }

    /// The words of a command line, in which single quotes hold one together.
    private static func words(of command: String) -> [String] {
        let parts = command.split(separator: "'", omittingEmptySubsequences: false)
        return parts.enumerated().flatMap { index, part in
            index.isMultiple(of: 2) ? part.split(separator: " ").map(String.init) : [String(part)]
        }
    }
}
