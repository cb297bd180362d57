import Bytes
import Conformance
import PluginKit
import TestKit
import Testing

struct WaiverTests {
    private let day = CivilDate("2026-07-01")!

    /// The report for a kettle that breaks K-LENGTH and, with a warning, K-STEPS.
    private func report(_ waivers: String) throws -> CheckReport {
        let visit = KettleVisit()
        visit.link.notify(Kettle.status, [1, 20])
        visit.status(3)
        var report = try visit.checked().report
        report.apply(try WaiverReader.read(waivers, file: "waivers.yaml"), on: day)
        return report
    }

    private func verdict(_ rule: String, _ report: CheckReport) -> String? {
        report.results.first { report.rules[$0.rule].id == rule }?.verdict.name
    }

    @Test func withoutWaiverItFails() throws {
        let report = try report("waivers: []")
        #expect(verdict("K-LENGTH", report) == "fail")
        #expect(report.outcome(isStrict: false) == .broken)
    }

    @Test(arguments: [
        "{rule: K-LENGTH, reason: known}", "{rule: K-LENGTH, reason: known, expires: 2026-07-01}",
        "{rule: K-LENGTH, reason: known, device: 'c0:00:00:00:00:07', link: 'https://example.org/1'}",
    ])
    func excuses(_ waiver: String) throws {
        let report = try report("waivers:\n  - \(waiver)\n")
        #expect(verdict("K-LENGTH", report) == "waived")
        #expect(verdict("K-STEPS", report) == "warning")
        #expect(report.outcome(isStrict: false) == .obeyed)
        #expect(report.outcome(isStrict: true) == .broken)
        #expect(report.unusedWaivers.isEmpty)
    }

    @Test func anExpiredOneExcusesNothingAndIsNamed() throws {
        let report = try report("waivers: [{rule: K-LENGTH, reason: known, expires: 2026-06-30}]")
        #expect(verdict("K-LENGTH", report) == "fail")
        #expect(report.results.contains { $0.verdict == .fail && $0.waiver?.rule == "K-LENGTH" })
        #expect(report.unusedWaivers.isEmpty)
    }

    @Test(arguments: [
        "{rule: K-ORDER, reason: nothing to excuse}", "{rule: K-LENGTH, reason: other, device: Other}",
        "{rule: K-LENGTH, reason: other, firmware: 2.0}",
    ])
    func oneThatMatchesNothingIsListed(_ waiver: String) throws {
        let report = try report("waivers:\n  - \(waiver)\n")
        #expect(verdict("K-LENGTH", report) == "fail")
        #expect(report.unusedWaivers.count == 1)
    }

    @Test(arguments: [
        ("waivers:\n  - {rule: K-1}\n", "w.yaml:2:5: error: waivers: expected \"reason\", a text; it is missing"),
        (
            "waivers:\n  - {rule: K-1, reason: x, expires: soon}\n",
            "w.yaml:2:37: error: expires: expected a date like 2026-06-30, found \"soon\""
        ),
        ("waivers:\n  - {rule: K-1, reason: x, until: 1}\n", "w.yaml:2:28: error: unknown key \"until\""),
        ("rules: []\n", "w.yaml:1:1: error: expected \"waivers\", a list; it is missing"),
    ])
    func faultsNameTheirPlace(_ text: String, _ expected: String) throws {
        let fault = #expect(throws: WaiverFaults.self) { try WaiverReader.read(text, file: "w.yaml") }
        #expect(fault?.description.contains(expected) == true, "\(fault?.description ?? "")")
    }
}
