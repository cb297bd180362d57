import Bluetooth
import Conformance
import PDUTestKit
import PluginKit
import TestKit
import Testing

/// Every rule that traffic can decide, against a session that conforms and one that breaks it.
struct RulePairTests {
    @Test(arguments: RulePair.counter)
    func aSessionThatObeysTheRulePassesIt(_ pair: RulePair) {
        #expect(pair.faultOfObedience(lifeCount) == nil)
    }

    @Test(arguments: RulePair.counter)
    func aSessionThatBreaksTheRuleFailsItAlone(_ pair: RulePair) {
        #expect(pair.faultOfOffence(lifeCount) == nil)
    }

    @Test(arguments: RulePair.counter)
    func aPartOfASessionThatObeysBreaksNoRule(_ pair: RulePair) {
        for imperfection in Imperfection.some { #expect(pair.accusations(for: imperfection, lifeCount) == nil) }
    }

    @Test(arguments: RulePair.counter)
    func noTimeTraps(_ pair: RulePair) {
        #expect(pair.framesLostAtExtremeTimes(lifeCount) == 0)
    }

    /// LC-018 compares the numbers of one boot only.
    @Test func aCounterThatBeganAnewTellsALowerNumber() {
        let counter = CounterSession()
        counter.begin()
        counter.event(42)
        counter.status(42)
        counter.lose()
        counter.wait(2)
        counter.begin()
        counter.status(0, uptime: 1)
        let checked = CheckedCapture(counter.hci.recording, plugins: lifeCount)
        #expect(checked.findings("LC-018").isEmpty)
        #expect(checked.verdicts("LC-018").map(\.name).contains("pass"))
    }

    /// LC-006: a counter loses its connection when it reboots.
    @Test func aConfirmedResetAfterARebootIsAsItShouldBe() {
        let counter = CounterSession()
        counter.begin()
        counter.event(42)
        counter.lose()
        counter.wait(2)
        counter.begin(boots: 4)
        counter.event(0, header: 0x51)
        let checked = CheckedCapture(counter.hci.recording, plugins: lifeCount)
        #expect(checked.findings("LC-006").isEmpty)
        #expect(checked.verdicts("LC-006").map(\.name).contains("pass"))
    }

    /// LC-023 counts replayed events as received.
    @Test func whatWasReplayedIsNotMissing() {
        let counter = CounterSession()
        counter.begin()
        counter.event(42)
        for number in 43...45 as ClosedRange<UInt32> { counter.event(number, header: 0x31) }
        counter.status(45)
        counter.wait(30)
        counter.status(45)
        let checked = CheckedCapture(counter.hci.recording, plugins: lifeCount)
        #expect(checked.findings("LC-023").isEmpty)
        #expect(checked.findings("LC-018").isEmpty)
    }

    @Test func everyRuleHasAPair() throws {
        let judged = try ProfileUnderTest(plugin: "LifeCount").profile.judgedRules
        #expect(judged.subtracting(RulePair.counter.map(\.rule)).sorted() == [])
        #expect(RulePair.counter.count == judged.count)
    }
}

extension RulePair {
    static let counter: [RulePair] = [
        event("LC-001") { $0.event(42, cut: $1 ? 1 : 0) },
        event("LC-002") { $0.event(42, header: $1 ? 0x12 : 0x11) },
        event("LC-003") { $0.event(42, delta: $1 ? 2 : -1) },
        event("LC-004") { $0.event(42, header: $1 ? 0x91 : 0x11) },
        event("LC-005") { counter, isBroken in
            counter.event(42)
            counter.faultNext()
            counter.event(isBroken ? 45 : 43)
        },
        event("LC-006") { counter, isBroken in
            counter.event(42)
            counter.faultNext()
            counter.event(0, header: isBroken ? 0x11 : 0x51)
        },
        event("LC-007") { counter, isBroken in
            let time = counter.now
            counter.event(42, time: time)
            counter.faultNext()
            counter.event(42, header: isBroken ? 0x11 : 0x31, time: time)
        },
        event("LC-008") { counter, isBroken in
            let time = counter.now
            counter.event(42, time: time)
            counter.faultNext()
            counter.event(42, delta: isBroken ? -1 : 1, header: 0x31, time: time)
        },
        event("LC-009") { $0.event(42, milliseconds: $1 ? 1000 : 999) },
        event("LC-010") { counter, isBroken in
            counter.event(42)
            counter.faultNext()
            counter.event(43, time: counter.now - (isBroken ? 60 : 0))
        },
        event("LC-011") { $0.event(42, device: $1 ? 0x1E0F_A5C4 : 0x1E0F_A5C3) },
        event("LC-012") { $0.event(42, location: $1 ? 8 : 0) },
        event("LC-013") { counter, isBroken in
            counter.status(0)
            counter.wait(isBroken ? 40 : 30)
            counter.faultNext()
            counter.status(0)
        },
        event("LC-014") { $0.event(42, time: $0.now + ($1 ? 600 : 200)) },
        event("LC-015") { counter, isBroken in
            counter.request([4], answers: !isBroken)
            counter.wait(3)
            counter.status(0)
        },
        event("LC-016") { counter, isBroken in
            let time = counter.now
            for number in [42, 43, 44] as [UInt32] { counter.event(number, time: time) }
            counter.request([5] + little(43 as UInt32))
            counter.request([2] + little(43 as UInt32))
            counter.faultNext()
            counter.event(isBroken ? 43 : 44, header: 0x31, time: time)
        },
        event("LC-017") { $0.status(0, battery: $1 ? 101 : 255) },
        event("LC-018") { counter, isBroken in
            counter.event(42)
            counter.faultNext()
            counter.status(isBroken ? 41 : 42)
        },
        session("LC-020") { counter, isBroken in
            counter.connect()
            counter.link.discover(CounterSession.layout)
            if isBroken { counter.wait(6) }
            counter.link.subscribe(CounterSession.layout[CounterSession.type(2), 0x2902])
            counter.end()
        },
        session("LC-021") { counter, isBroken in
            counter.begin(setsTime: !isBroken)
            counter.event(42)
            counter.faultNext()
            counter.request([5] + little(42 as UInt32))
            counter.end()
        },
        event("LC-022") { counter, isBroken in
            counter.event(42)
            counter.faultNext()
            counter.request([5] + little((isBroken ? 43 : 42) as UInt32))
        },
        event("LC-023") { counter, isBroken in
            counter.event(42)
            counter.faultNext()
            counter.status(45)
            if !isBroken { counter.request([2] + little(43 as UInt32)) }
            counter.wait(12)
            counter.link.read(CounterSession.layout[CounterSession.type(4)], hex("100E0000 2D000000 57 01 0000"))
        },
        session("LC-024") { counter, isBroken in
            counter.begin()
            counter.lose()
            counter.wait(isBroken ? 0.2 : 1)
            counter.connect()
            counter.end()
        },
        session("LC-025") { counter, isBroken in
            counter.begin(subscribes: isBroken ? [2] : [2, 5], setsTime: false)
            counter.faultNext()
            counter.request([4])
            counter.end()
        },
    ]

    private static func session(
        _ rule: String, _ script: @escaping @Sendable (CounterSession, Bool) -> Void
    ) -> RulePair {
        RulePair(rule) { isBroken in
            let session = CounterSession()
            script(session, isBroken)
            return (session.hci.recording, session.fault)
        }
    }

    /// A pair with a connected counter. The first frame of the script breaks the rule, unless the script marks another
    /// one.
    private static func event(
        _ rule: String, _ script: @escaping @Sendable (CounterSession, Bool) -> Void
    ) -> RulePair {
        session(rule) { counter, isBroken in
            counter.begin()
            counter.faultNext()
            script(counter, isBroken)
            counter.end()
        }
    }
}
