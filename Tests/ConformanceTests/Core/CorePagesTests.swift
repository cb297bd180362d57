import Captures
import Conformance
import Foundation
import PluginKit
import TestKit
import Testing

/// A page of docs/ whose tables this project's code makes.
private struct Page {
    private let name: String
    private let text: String

    init(_ name: String) throws {
        self.name = name
        text = try Repository.text("docs/\(name)")
    }

    /// The rows between a pair of marks: `<!-- rules -->` and `<!-- end -->`.
    func rows(_ mark: String) throws -> [String] {
        let found = try #require(place(of: mark))
        return text[found].split(separator: "\n").map(String.init)
    }

    /// The same; these rows, when the page is written anew.
    func rows(_ mark: String, madeAs rows: [String]) throws -> [String] {
        let found = try #require(place(of: mark))
        let made = text.replacingCharacters(in: found, with: rows.joined(separator: "\n") + "\n")
        _ = try Repository.text("docs/\(name)", madeAs: made)
        return try Page(name).rows(mark)
    }

    private func place(of mark: String) -> Range<String.Index>? {
        guard let start = text.range(of: "<!-- \(mark) -->\n"),
            let end = text.range(of: "<!-- end -->", range: start.upperBound..<text.endIndex)
        else { return nil }
        return start.upperBound..<end.lowerBound
    }
}

/// The pages about the rules of the specification say what the rules say.
struct CorePagesTests {
    /// Files of stories, by the second part of the ids.
    private static let files = [
        "ATT": "ATTStories", "GATT": "GATTStories", "L2CAP": "L2CAPStories", "SMP": "SMPStories",
        "LL": "LinkLayerStories", "ADV": "AdvertisingStories", "HCI": "HCIStories",
    ]

    private static let rules: [String] =
        ["| id | role | severity | rule | source | test |", "|---|---|---|---|---|---|"]
        + CoreRules.all.map { rule in
            let info = rule.info
            let part = info.id.split(separator: "-").dropFirst().first.map(String.init) ?? ""
            return "| `\(info.id)` | \(info.role.rawValue) | \(info.severity.rawValue) | \(info.text) |"
                + " \(info.source ?? "") | \(files[part] ?? "") |"
        }

    /// Each rule is in one row of the clauses that were read, or in that of those that were not.
    @Test func clausesOfAllRulesAreListed() throws {
        let rows = try Page("core-rules.md").rows("clauses").dropFirst(2)
        let listed = rows.flatMap { row in
            (row.split(separator: "|").last ?? "").split(separator: " ").map { "CORE-\($0)" }
        }
        #expect(listed.sorted() == CoreRules.all.map { $0.info.id }.sorted())
    }

    @Test func rulesAreListed() throws {
        #expect(try Page("core-rules.md").rows("rules", madeAs: Self.rules) == Self.rules)
    }
}

/// Captures of real devices that are not part of the project.
enum RealCaptures {
    static let folder = Repository.shared.appending(path: "captures")
    static let all =
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
        .filter { !$0.hasSuffix(".tsv") && !$0.hasSuffix(".md") }.sorted()

    /// What the rules of the specification find in one: a row for each result that is no pass, without the reason why.
    static func findings(_ name: String) throws -> [String] {
        let report = try check(name)
        return report.results.compactMap { result in
            guard ["fail", "warning"].contains(result.verdict.name), let first = result.tally.findings.first,
                let moment = first.moments.last
            else { return nil }
            return "| \(name) | `\(report.rules[result.rule].id)` | \(result.tally.failures) | \(moment.frame) |"
                + " \(first.observed) |"
        }
    }

    /// How many rules passed, could not be told, and did not come up.
    static func summary(_ name: String) throws -> String {
        let report = try check(name)
        let names = Dictionary(grouping: report.results) { report.rules[$0.rule].id }
        func count(_ isIt: ([RuleResult]) -> Bool) -> Int { names.values.count(where: isIt) }
        let found = count { $0.contains { ["fail", "warning"].contains($0.verdict.name) } }
        let passed = count { results in
            results.contains { $0.verdict == .pass }
                && !results.contains { ["fail", "warning"].contains($0.verdict.name) }
        }
        let undecided = count { results in
            results.allSatisfy { ["inconclusive", "not_applicable"].contains($0.verdict.name) }
                && results.contains { $0.verdict.name == "inconclusive" }
        }
        return "| \(name) | \(report.frames) | \(passed) | \(found) | \(undecided) |"
    }

    private static func check(_ name: String) throws -> CheckReport {
        let reader = try CaptureReader(path: folder.appending(path: name).path)
        var batches: [PacketBatch] = []
        while let batch = try reader.next() { batches.append(batch) }
        return CheckedCapture(batches, core: CoreRules.all).report
    }
}

@Suite(.enabled(if: !RealCaptures.all.isEmpty, "../shared/captures is not there"))
struct RealCapturesTests {
    @Test func countsAreListed() throws {
        let head = ["| capture | frames | rules passed | found something | inconclusive |", "|---|---|---|---|---|"]
        let rows = try head + RealCaptures.all.map { try RealCaptures.summary($0) }
        #expect(try Page("conformance-captures.md").rows("captures", madeAs: rows) == rows)
    }

    /// The page has a row for each finding, which goes on with why it is one.
    @Test(arguments: RealCaptures.all)
    func findingsAreJustified(_ name: String) throws {
        let listed = try Page("conformance-captures.md").rows("findings").filter { $0.hasPrefix("| \(name) |") }
        let found = try RealCaptures.findings(name)
        #expect(listed.count == found.count, "\(found.joined(separator: "\n"))")
        for (row, finding) in zip(listed, found) {
            #expect(row.hasPrefix(finding) && row.count > finding.count + 10, "\(finding)")
        }
    }
}
