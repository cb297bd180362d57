import Conformance
import PDUTestKit
import TestKit
import Testing

/// A malformed value is present: no rule reports it as missing.
struct MalformedValueTests {
    @Test(arguments: [0, 3], [false, true])
    func aChunkWithoutAHeadIsAllThatThePuckDidWrong(_ count: Int, _ isRead: Bool) {
        let puck = PuckSession()
        puck.begin()
        puck.state(unsynced: 1)
        puck.start(1) {
            puck.faultNext()
            puck.notify(4, Array(hex("0000 01").prefix(count)))
        }
        if isRead { puck.read(4, hex("0000 0100 01 00") + puck.record(1)) }
        puck.acknowledge { puck.push(unsynced: 0) }
        puck.readStatus(0, chunkSize: 2)
        puck.state(level: 300, daily: 1362, unsynced: 1)
        puck.start(1) { puck.chunk(0, of: 1, [puck.record(2, amount: 112, time: puck.now)]) }
        puck.acknowledge { puck.push(unsynced: 0) }
        puck.end()
        let checked = CheckedCapture(puck.recording, plugins: aquavate)
        let expected: Set<String> = ["AQ-060", "AQ-313"]
        #expect(checked.accused == expected.union(isRead ? [] : ["AQ-305"]), "\(checked.text(of: checked.accused))")
        for rule in expected { #expect(checked.frames(rule) == [puck.fault]) }
    }

    @Test func aClientThatAsksAgainIsNotAccusedOfALoop() {
        let puck = PuckSession()
        puck.begin()
        puck.state(unsynced: 1)
        puck.start(1) { puck.notify(4, []) }
        puck.query()
        puck.transfer()
        puck.end()
        let checked = CheckedCapture(puck.recording, plugins: aquavate)
        #expect(checked.verdicts("AQ-312") == [.pass])
        #expect(checked.verdicts("AQ-057") == [.pass])
    }

    @Test func aStateOfAnotherLengthIsNoMissingConfirmation() {
        let puck = PuckSession()
        puck.begin()
        puck.state(unsynced: 1)
        puck.start(1) { puck.chunk(0, of: 1, [puck.record(1)]) }
        puck.acknowledge { puck.notify(1, Array(puck.stateBytes().dropLast())) }
        puck.wait(11)
        puck.delete(1) { puck.notify(1, Array(puck.stateBytes().dropLast())) }
        puck.wait(8)
        puck.ping()
        puck.end()
        let checked = CheckedCapture(puck.recording, plugins: aquavate)
        #expect(checked.accused == ["AQ-031"], "\(checked.text(of: checked.accused))")
    }

    @Test func aHistoryOfAnotherLengthIsNoMissingRead() {
        let puck = PuckSession(.prd)
        puck.begin()
        puck.read(0xF4, [1, 0])
        puck.read(0xF3, [1, 2, 3])
        puck.wait(12)
        puck.read(0xF4, [1, 0])
        puck.end()
        let checked = CheckedCapture(puck.recording, plugins: aquavate)
        #expect(checked.accused == ["AQ-074"], "\(checked.text(of: checked.accused))")
    }

    /// A drink and a deletion appear in one evaluation, and the number of records decreased in between.
    @Test func aTransferLiesBetweenADeletionAndADrink() {
        let puck = PuckSession()
        puck.begin()
        puck.state(daily: 1250, unsynced: 3)
        puck.transfer(leaving: 0)
        puck.state(level: 300, daily: 1362, unsynced: 1)
        puck.delete(2) { puck.push(unsynced: 1) }
        puck.start(1) { puck.chunk(0, of: 1, [puck.record(4, amount: 112, level: 300, time: puck.now)]) }
        puck.acknowledge { puck.push(unsynced: 0) }
        puck.state(after: 5, level: 200, daily: 1362 - 45 + 100, unsynced: 1)
        puck.end()
        let checked = CheckedCapture(puck.recording, plugins: aquavate)
        #expect(checked.verdicts("AQ-109") == [.pass])
        #expect(checked.broken == [], "\(checked.text(of: checked.broken))")
    }
}
