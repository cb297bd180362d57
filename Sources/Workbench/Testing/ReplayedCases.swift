import Bytes
import Captures
import Conformance
package import DeviceTesting
import PluginKit

/// The failed cases of an earlier run, read from a capture of one case or a JSON report, with the options of that run.
package struct ReplayedCases: Hashable, Sendable {
    package var ids: [String] = []
    package var seed: UInt64 = 1
    package var dialect: String?
    /// The value of `--quirks`.
    package var quirks = "exact"
    /// The value of `--scenario`; nil for none.
    package var scenario: String?
    /// Failures by case ID.
    package var failures: [String: EarlierFailure] = [:]

    package init() {}

    /// Reads a capture of `--failures`, in which the first packet's comment contains the command that repeats the case
    /// and the failure, or a report of `--json`. All cases belong to one run.
    package static func read(_ path: String) throws -> ReplayedCases {
        try TextFile.beginning(of: path) == UInt8(ascii: "{") ? report(path) : capture(path)
    }

    /// The comment in a capture of `--failures`: the command, and one line per failure.
    static func comment(on result: CaseResult) -> String? {
        result.reproduction.map { command in
            let rules = result.brokenRules.map { "\n\(rulePrefix)\($0)" }
            let expected = result.findings.map { "\n\(expectedPrefix)\($0.expected)" }
            return command + (rules + expected).joined()
        }
    }

    private static let rulePrefix = "rule: "
    private static let expectedPrefix = "expected: "

    private static func capture(_ path: String) throws -> ReplayedCases {
        let batch = try CaptureReader(path: path).next()
        guard let comment = batch?.comments.joined().first(where: { $0.hasPrefix(prefix) }) else {
            throw FileError(file: path, "its first packet names no case of gattbench test")
        }
        let lines = comment.split(separator: "\n").map(String.init)
        func texts(_ prefix: String) -> [String] {
            lines.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
        }
        var replayed = ReplayedCases()
        replayed.add(lines[0], EarlierFailure(expected: texts(expectedPrefix), rules: texts(rulePrefix)))
        return replayed
    }

    private static func report(_ path: String) throws -> ReplayedCases {
        guard let json = try? JSONValue(reading: Array(TextFile.read(path).utf8)), let cases = json["cases"] else {
            throw FileError(file: path, "not a report of gattbench test with --json")
        }
        var expected: [String: [String]] = [:]
        for result in json["results"]?.elements ?? [] {
            guard let id = result["rule"]?.string else { continue }
            let texts = (result["findings"]?.elements ?? []).compactMap { $0["expected"]?.string }
            expected[id, default: []] += texts.filter { $0 != RunResults.unbrokenRules }
        }
        var replayed = ReplayedCases()
        for one in cases.elements where one["verdict"]?.string == "fail" {
            guard let command = one["reproduce"]?.string, let id = one["id"]?.string else { continue }
            let rules = (one["rules_failed"]?.elements ?? []).compactMap(\.string)
            replayed.add(command, EarlierFailure(expected: expected[id] ?? [], rules: rules))
        }
        return replayed
    }

    private static let prefix = "gattbench test "

    private mutating func add(_ command: String, _ failure: EarlierFailure) {
        let words = CommandLineWords.split(command) ?? []
        for (option, value) in zip(words, words.dropFirst()) {
            switch option {
            case "--case", "--situation":
                ids.append(value)
                failures[value] = failure
            case "--scenario": scenario = value
            case "--seed": seed = UInt64(value) ?? seed
            case "--dialect": dialect = value
            case "--quirks": quirks = value
            default: break
            }
        }
    }
}
