import Bluetooth
import Conformance
import PDUTestKit
import PluginKit
import TestKit
import Testing

/// A rule is inconclusive where the capture lacks evidence, and decides where it has enough.
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

    // MARK: - Frames of findings

    /// AQ-083 reports the summary and the chunk that changes the number of entries.
    @Test func aNumberOfEntriesIsComparedWithTheSummary() {
        let puck = PuckSession()
        puck.begin()
        puck.command(hex("30000000")) { puck.notify(7, hex("02 00 00 01 00000000 0000 0000")) }
        let summary = puck.recording.packets.count - 1
        puck.command(hex("31000000")) { puck.notify(7, hex("00 01 01 00 20247F69 3C00 00 00")) }
        puck.end()
        let findings = CheckedCapture(puck.recording, plugins: aquavate).findings("AQ-083")
        #expect(findings.map { $0.moments.map(\.frame) } == [[summary, summary + 3]])
    }

    /// AQ-086 reports the chunk with the previous entry.
    @Test func anEntryIsComparedWithThatOfTheChunkBefore() {
        let puck = PuckSession()
        puck.begin(setsTime: false)
        puck.command(hex("30000000")) { puck.notify(7, hex("0B 00 00 01 00000000 0000 0000")) }
        let times = (0..<11).map { UInt32($0 == 10 ? 1_769_939_000 : 1_769_940_000 + $0) }
        let events = times.map { little($0) + hex("3C00 00 00") }
        puck.command(hex("31000000")) { puck.notify(7, hex("00 02 0A 00") + events.prefix(10).flatMap(\.self)) }
        let first = puck.recording.packets.count - 1
        puck.command(hex("31010000")) { puck.notify(7, hex("01 02 01 00") + events[10]) }
        puck.end()
        let findings = CheckedCapture(puck.recording, plugins: aquavate).findings("AQ-086")
        #expect(findings.map { $0.moments.map(\.frame) } == [[first, first + 3]])
    }

    /// AQ-019 reports the declaration of a characteristic that lacks its CCCD, AQ-016 each of two services.
    @Test func whatTheTableLacksIsNamedWithItsDeclaration() {
        for (rule, layout) in [("AQ-016", PuckLayout.twoBatteries), ("AQ-019", PuckLayout.missingConfiguration)] {
            let puck = PuckSession(layout: layout)
            puck.begin(mtu: 0, subscribes: [])
            puck.end()
            let handle =
                rule == "AQ-016"
                ? layout.services.first { $0.type == 0x180F }?.start : layout.declaration(of: PuckLayout.bottle(4))
            puck.faultResponse(listing: handle ?? 0)
            let frames = CheckedCapture(puck.recording, plugins: aquavate).findings(rule).first?.moments.map(\.frame)
            #expect(frames?.first == puck.fault)
            #expect(frames?.count == 2)
        }
    }
}
