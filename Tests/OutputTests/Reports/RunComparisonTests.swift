import Bytes
import Conformance
import Output
import PluginKit
import Profile
import Testing

struct RunComparisonTests {
    /// An outline with verdicts for a device's rules.
    private func outline(
        _ verdicts: [(rule: String, verdict: Verdict)], device: String = "Puck", address: String? = nil,
        plugin: String? = "kettle"
    ) throws -> RunOutline {
        var sample = SampleReport()
        sample.report.devices = []
        sample.report.results = []
        sample.add(device: device, address: address, plugin: plugin)
        for (rule, verdict) in verdicts {
            let isBroken = verdict == .fail || verdict == .warning
            sample.add(
                rule: rule, severity: verdict == .warning ? .warning : .error, verdict,
                isBroken ? [sample.finding(observed: "bad")] : [])
        }
        let outline = RunOutline(sample.report)
        // JSON output compares like the report itself.
        let json = try JSONReport(sample.report).text()
        let read = try #require(RunOutline(JSONValue(reading: Array(json.utf8))))
        #expect(read.standings.mapValues(\.verdict) == outline.standings.mapValues(\.verdict))
        #expect(read.devices == outline.devices)
        return read
    }

    private static let unknown = Verdict.inconclusive("lost")
    private static let absent = Verdict.notApplicable("did not come up")

    @Test(
        arguments: [
            (.pass, .fail, .broken), (.pass, .warning, .broken), (.warning, .fail, .broken), (absent, .fail, .broken),
            (unknown, .fail, .broken), (.waived, .fail, .broken), (.fail, .fail, .still), (.warning, .warning, .still),
            (.fail, .warning, .still), (.fail, .pass, .mended), (.warning, .pass, .mended), (.fail, .waived, .waived),
            (.pass, unknown, .lost), (.pass, absent, .lost), (.fail, unknown, .lost), (.pass, .pass, nil),
            (absent, .pass, nil), (.waived, .waived, nil), (.waived, .pass, nil), (absent, unknown, nil),
        ] as [(Verdict, Verdict, RunComparison.Change.Kind?)])
    func changesHaveAKind(_ before: Verdict, _ now: Verdict, _ kind: RunComparison.Change.Kind?) throws {
        let comparison = try RunComparison(outline([("K-A", now)]), against: outline([("K-A", before)]))
        #expect(comparison.changes.map(\.kind) == (kind.map { [$0] } ?? []))
        #expect(comparison.hasNewFailures(isStrict: false) == (kind == .broken && now == .fail))
        #expect(comparison.hasNewFailures(isStrict: true) == (kind == .broken))
    }

    @Test func rulesOfOneRunOnly() throws {
        let comparison = try RunComparison(
            outline([("K-NEW", .fail), ("K-FINE", .pass)]), against: outline([("K-GONE", .pass), ("K-BAD", .fail)]))
        #expect(comparison.changes.map(\.rule) == ["K-NEW", "K-BAD", "K-GONE"])
        #expect(comparison.changes.map(\.kind) == [.broken, .lost, .lost])
        #expect(comparison.changes.map(\.before) == [nil, "fail", "pass"])
        #expect(comparison.changes.map(\.now) == ["fail", nil, nil])
    }

    /// One failing connection makes the rule fail, however many pass.
    @Test func theWorstConnectionCounts() throws {
        var sample = SampleReport()
        sample.report.results = []
        sample.add(rule: "K-A", .pass, connection: 1)
        sample.add(rule: "K-A", .fail, [sample.finding(observed: "bad")], connection: 2)
        sample.add(rule: "K-A", Self.unknown, connection: 3)
        #expect(RunOutline(sample.report).standings.values.map(\.verdict) == ["fail"])
        sample.report.results.remove(at: 1)
        #expect(RunOutline(sample.report).standings.values.map(\.verdict) == ["pass"])
    }

    @Test(
        arguments: [
            ("Puck", "c0:01", "kettle", true), ("Other", "c0:00", "kettle", true), ("Other", "c0:01", "kettle", true),
            ("Other", "c0:01", "lamp", false), ("Other", "c0:01", nil, false),
        ] as [(String, String, String?, Bool)])
    func devicesArePaired(_ name: String, _ address: String, _ plugin: String?, _ isSame: Bool) throws {
        let before = try outline([("K-A", .fail)], device: "Puck", address: "c0:00")
        let now = try outline([("K-A", .fail)], device: name, address: address, plugin: plugin)
        let comparison = RunComparison(now, against: before)
        #expect(comparison.changes.map(\.kind) == (isSame ? [.still] : [.broken, .lost]))
        #expect(comparison.onlyNow == (isSame ? [] : [name]))
        #expect(comparison.onlyBefore == (isSame ? [] : ["Puck"]))
    }

    /// Cases of a test, as when two devices are tested with the same ones.
    @Test(
        arguments: [(.pass, .fail, .broken), (.fail, .pass, .mended), (.pass, .pass, nil)]
            as [(Verdict, Verdict, RunComparison.Change.Kind?)])
    func casesAreComparedToo(_ before: Verdict, _ now: Verdict, _ kind: RunComparison.Change.Kind?) throws {
        func outline(_ verdict: Verdict) throws -> RunOutline {
            var sample = SampleReport()
            (sample.report.results, sample.report.devices) = ([], [])
            var result = CaseResult(
                "read.battery", title: "The battery level is read", rule: nil, source: nil, severity: .error, seed: 1)
            result.verdict = verdict
            if verdict == .fail { result.findings = [sample.finding(observed: "bad")] }
            sample.report.cases = [result]
            let json = try JSONReport(sample.report).text()
            let read = try #require(RunOutline(JSONValue(reading: Array(json.utf8))))
            #expect(read.standings.mapValues(\.verdict) == RunOutline(sample.report).standings.mapValues(\.verdict))
            return read
        }
        let comparison = try RunComparison(outline(now), against: outline(before))
        #expect(comparison.changes.map(\.kind) == (kind.map { [$0] } ?? []))
        #expect(comparison.changes.allSatisfy { $0.rule == "read.battery" && $0.device == nil })
        #expect(comparison.hasNewFailures(isStrict: false) == (kind == .broken))
    }

    @Test func changesHaveLines() throws {
        let comparison = try RunComparison(
            outline([("K-A", .fail), ("K-B", .pass)]), against: outline([("K-A", .pass), ("K-B", .fail)]))
        #expect(
            comparison.lines(limit: 1) == [
                "1 newly failing, 1 fixed",
                "newly failing: K-A the rule K-A holds (Puck), was pass: expected temperature <= 100; observed bad",
                "and 1 more",
            ])
        let text = try MarkdownReport(SampleReport().report, comparison: comparison).text()
        let quality = try #require(text.firstRange(of: "## Capture quality")).lowerBound
        #expect(quality < (try #require(text.firstRange(of: "## Against `captures/kettle.btsnoop`"))).lowerBound)
    }

    /// A renamed device has its new name even for rules that only the earlier run has.
    @Test func pairedDevicesHaveOneName() throws {
        let comparison = try RunComparison(
            outline([("K-A", .fail)], device: "New"), against: outline([("K-A", .pass), ("K-B", .pass)], device: "Old"))
        #expect(comparison.changes.map(\.device) == ["New", "New"])
        #expect(comparison.changes.map(\.kind) == [.broken, .lost])
    }

    @Test func whatIsNotJudgedStandsInALine() throws {
        let comparison = try RunComparison(
            outline([("K-A", Self.absent), ("K-B", Self.absent), ("K-C", Self.unknown)]),
            against: outline([("K-A", .pass), ("K-B", .fail), ("K-C", .pass)]))
        #expect(
            comparison.lines(limit: 2) == [
                "3 no longer checked", "no longer checked (Puck): K-A, K-B and 1 more",
            ])
    }

    @Test func whatIsNoReportIsRefused() {
        #expect(RunOutline(.object([])) == nil)
    }
}
