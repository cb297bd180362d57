import Conformance
import GAP
import LinkLayer
import TestKit
import Testing

/// What a capture does not tell enough about is inconclusive, and what it tells enough about is not.
struct UndecidedTests {
    @Test func aCaptureThatEndsBeforeAnEffectIsDueDoesNotJudgeIt() {
        let puck = PuckSession()
        puck.begin()
        puck.state()
        puck.command(hex("20000000"))
        puck.wait(2)
        puck.ping()
        let checked = CheckedCapture(puck.recording, plugins: aquavate)
        #expect(checked.verdicts("AQ-092") == [.inconclusive("the capture ends first")])
    }

    /// A puck with pending records may advertise for 240 s, one without for 30 s.
    @Test(arguments: [(30, "pass"), (60, "inconclusive")])
    func advertisingIsJudgedOnlyIfTheNumberOfPendingRecordsIsTold(_ times: Int, _ verdict: String) {
        let session = AirPuck()
        session.service = PuckLayout.bottle(0xF0, .prd)
        session.air.advertise(PuckSession.device, [.completeLocalName(PuckSession.name)], type: .scanRsp)
        session.advertise(times: times, every: 1)
        let checked = CheckedCapture(session.air.recording, plugins: aquavate)
        #expect(checked.verdicts("AQ-011").map(\.name) == [verdict])
    }

    /// Times are whole seconds: a drink one second after an evaluation may have been counted by it.
    @Test(arguments: [(1, "inconclusive"), (2, "warning"), (6, "warning")])
    func aDrinkOnTheEdgeOfTwoEvaluationsBelongsToEither(_ seconds: UInt32, _ verdict: String) {
        let puck = PuckSession()
        puck.begin()
        puck.state(daily: 1250)
        let time = puck.now + seconds
        puck.state(after: 6, level: 300, daily: 1350, unsynced: 1)
        puck.start(1, 1) { puck.chunk(0, of: 1, [puck.record(1, amount: 112, level: 300, time: time)]) }
        puck.acknowledge { puck.push(unsynced: 0) }
        puck.end()
        let checked = CheckedCapture(puck.recording, plugins: aquavate)
        #expect(checked.verdicts("AQ-046").map(\.name) == [verdict])
    }
}
