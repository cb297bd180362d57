import Bytes
import PluginKit
import Profile
import TestKit
import Testing

/// The data structures of rules: state of connections, and recorded results.
struct RuleReportTests {
    // MARK: - Recorded results

    @Test func findingsAreNotMadeWhereEnoughAreListed() {
        var report = RuleReport(ruleCount: 2)
        var made = 0
        func observed() -> String {
            made += 1
            return "another"
        }
        func failOnce(_ rule: RuleIndex, on connection: Int) -> Bool {
            report.clear()
            report.begin(at: FrameReference(frame: 1, time: .epoch, connection: connection))
            report.fail(rule, expected: "one", observed: observed())
            guard case .fail(let finding)? = report.entries.first?.outcome else { return false }
            return finding != nil
        }
        #expect(failOnce(RuleIndex(0), on: 1))
        report.enough(of: 0, on: 1)
        #expect(!failOnce(RuleIndex(0), on: 1))
        #expect(failOnce(RuleIndex(1), on: 1), "another rule")
        #expect(failOnce(RuleIndex(0), on: 2), "another connection")
        report.listAnew()
        #expect(failOnce(RuleIndex(0), on: 1))
        report.listNothing()
        #expect(!failOnce(RuleIndex(1), on: 1))
        #expect(made == 4)
    }
}
