import Conformance
import Output
import TestKit
import Testing

/// Causal links between findings in one frame.
struct CauseTests {
    /// START requests chunks that are too large, without SET_TIME and without reading the number of records: three
    /// faults in one frame.
    @Test func whatIsMissingBeforeARequestDoesNotFollowFromWhatIsWrongWithIt() throws {
        let puck = PuckSession()
        puck.begin(setsTime: false)
        puck.start(3, 20)
        puck.end()
        let checked = CheckedCapture(puck.recording, plugins: aquavate)
        let words = ReportWords(checked.report)
        for id in ["AQ-209", "AQ-212", "AQ-213"] {
            let result = try #require(
                checked.report.results.first { checked.report.rules[$0.rule].id == id && $0.tally.failures > 0 })
            #expect(!words.isEffect(result), "\(id)")
            #expect(words.effects(of: result.rule).isEmpty, "\(id)")
        }
    }
}
