import Bytes
import Captures
import Conformance
import Foundation
import PDUTestKit
import PluginKit
import TestKit
import Testing

@testable import Aquavate

/// The oracle: a twin that follows a puck agrees with every twin, and differs from a puck that behaves otherwise.
struct OracleTests {
    private static func visit(_ dialect: String, _ seed: UInt64) throws -> Recording {
        dialect == "shipped" ? try OracleVisits.shipped(seed) : try OracleVisits.required(seed)
    }

    private static func check(_ recording: Recording) -> CheckedCapture {
        CheckedCapture(recording, plugins: aquavate, asksOracle: true)
    }

    @Test(arguments: ["shipped", "prd"], Array(1...12) as [UInt64])
    func aTwinShowsWhatATwinWouldHaveShown(_ dialect: String, _ seed: UInt64) throws {
        let checked = Self.check(try Self.visit(dialect, seed))
        #expect(checked.differences == [], "\(checked.text(of: checked.differences))")
        let judged =
            dialect == "shipped"
            ? ["AQ-401", "AQ-402", "AQ-403", "AQ-405", "AQ-408"] : ["AQ-412", "AQ-413", "AQ-414"]
        for rule in judged { #expect(checked.verdicts(rule).contains(.pass), "\(rule)") }
    }

    /// Enhanced ATT bearers carry the same PDUs as the fixed channel (Vol 3, Part G, 5.3).
    @Test(arguments: ["shipped", "prd"], [1, 2, 3] as [UInt64])
    func aTwinFollowsAPuckOnEnhancedBearers(_ dialect: String, _ seed: UInt64) throws {
        let visit = try Self.visit(dialect, seed)
        let replay = BearerReplay.recording(of: visit)
        #expect(replay.packets.count > visit.packets.count)
        let (checked, fixed) = (Self.check(replay), Self.check(visit))
        #expect(checked.differences == [], "\(checked.text(of: checked.differences))")
        for rule in CheckedCapture.oracleRules {
            #expect(checked.verdicts(rule).map(\.name) == fixed.verdicts(rule).map(\.name), "\(rule)")
        }
    }

    @Test func nobodyIsComparedWhoIsNotAskedFor() throws {
        let checked = CheckedCapture(try OracleVisits.shipped(1), plugins: aquavate)
        #expect(checked.verdicts("AQ-401") == [.notApplicable("checked with --oracle")])
    }

    @Test(arguments: ["shipped", "prd"])
    func whatARecordingLacksIsHeldAgainstNobody(_ dialect: String) throws {
        let session = try Self.visit(dialect, 2)
        for imperfection in Imperfection.some {
            let checked = Self.check(imperfection.applied(to: session))
            #expect(checked.differences == [], "\(imperfection): \(checked.text(of: checked.differences))")
        }
    }

    /// docs/check.md lists the share of faults that the oracle detects. `GATTBENCH_REWRITE_GOLDEN=1` rewrites it.
    @Test func thePageSaysWhichFaultsAreSeen() throws {
        let table = try OracleTable().text
        let page = try Repository.text("docs/check.md")
        let start = try #require(page.range(of: OracleTable.head)).lowerBound
        let end = try #require(page[start...].range(of: "\n\n")).lowerBound
        let made = page.replacingCharacters(in: start..<end, with: table)
        #expect(try Repository.text("docs/check.md", madeAs: made) == made, "docs/check.md lacks:\n\(table)")
    }
}

/// The oracle's detection of puck faults, as a table of docs/check.md.
private struct OracleTable {
    static let head = "| fault of the puck | made | reported | at the right frame |"
    /// Number of faults of each kind, and the seeds of the sessions they are made in.
    private static let perKind: UInt64 = 20
    private static let seeds: [UInt64] = [1, 2, 3, 4]

    let text: String

    init() throws {
        var lines = [Self.head, "|---|--:|--:|--:|"]
        let sessions = try Self.seeds.map { try OracleVisits.shipped($0).packets }
        for kind in DeviceMutation.Kind.allCases {
            var (made, seen, right) = (0, 0, 0)
            for number in 0..<Self.perKind {
                var random = SplitMix64(seed: 1000 + number)
                let packets = sessions[Int(number) % sessions.count]
                guard let mutation = DeviceMutation(kind, of: packets, &random) else { continue }
                let recording = Recording(.hci)
                recording.packets = mutation.packets
                let checked = CheckedCapture(recording, plugins: aquavate, asksOracle: true)
                let findings = checked.differences.flatMap { checked.findings($0) }
                let frames = Set(findings.flatMap(\.moments).map(\.frame))
                made += 1
                seen += findings.isEmpty ? 0 : 1
                right += frames.isDisjoint(with: mutation.frames) ? 0 : 1
            }
            lines.append("| \(kind.rawValue) | \(made) | \(seen) | \(right) |")
        }
        text = lines.joined(separator: "\n")
    }
}
