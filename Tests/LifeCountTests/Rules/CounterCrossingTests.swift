import Bluetooth
import Conformance
import PDUTestKit
import PluginKit
import TestKit
import Testing

/// Race cases: no rule fails because of values that cross on the air or are set by a client.
struct CounterCrossingTests {
    @Test(arguments: CounterCrossing.all + CounterCrossing.connections + CounterCrossing.replays)
    func aCrossingIsHeldAgainstNobody(_ crossing: CounterCrossing) { check(crossing) }

    /// Ensures that a race case does not pass merely because its rule never decides.
    @Test(arguments: CounterCrossing.faults)
    func aFaultNearACrossingIsFound(_ fault: CounterCrossing) {
        #expect(!fault.besides.isEmpty)
        check(fault)
    }

    /// A refused subscription has no effect; a later accepted one does.
    @Test(arguments: [false, true])
    func aRefusedSubscriptionIsNone(_ isRepeated: Bool) {
        let counter = CounterSession()
        let configuration = CounterSession.layout[CounterSession.type(2), 0x2902]
        counter.connect()
        counter.link.discover(CounterSession.layout)
        counter.link.request(ATT.WriteRequest(handle: configuration, value: [1, 0]))
        counter.link.refuse(.writeRequest, configuration, .insufficientEncryption)
        if isRepeated { counter.link.subscribe(configuration) }
        counter.wait(8)
        counter.end()
        let checked = CheckedCapture(counter.hci.recording, plugins: lifeCount)
        #expect(checked.verdicts("LC-020").map(\.name) == [isRepeated ? "pass" : "inconclusive"])
    }

    /// LC-015 reports the request, and the wrong or late reply.
    @Test(arguments: [(4, 3.0, "after 3 s"), (3, 1.0, "another one")] as [(UInt8, Double, String)])
    func aReplyThatIsNoneIsNamedWithItsRequest(_ opcode: UInt8, _ seconds: Double, _ observed: String) {
        let counter = CounterSession()
        counter.begin()
        counter.link.request(ATT.WriteRequest(handle: counter.handle(5), value: [4]))
        let request = counter.hci.recording.packets.count
        counter.link.respond(ATT.WriteResponse())
        counter.wait(seconds - 0.015)
        counter.link.indicate(counter.handle(5), [0x80, opcode, 0])
        let reply = request + 2
        counter.wait(3)
        counter.status(0)
        counter.end()
        let findings = CheckedCapture(counter.hci.recording, plugins: lifeCount).findings("LC-015")
        #expect(findings.map { $0.moments.map(\.frame) } == [[request, reply]])
        #expect(findings.map(\.observed) == [observed])
    }

    private func check(_ crossing: CounterCrossing) {
        for asksOracle in [false, true] {
            let counter = CounterSession()
            counter.begin()
            crossing.script(counter)
            counter.end()
            let checked = CheckedCapture(counter.hci.recording, plugins: lifeCount, asksOracle: asksOracle)
            let accused = checked.report.results.filter { [.fail, .warning].contains($0.verdict) }
                .map { checked.report.rules[$0.rule].id }
            #expect(Set(accused) == crossing.besides.union(asksOracle ? crossing.differs : []))
        }
    }
}

/// A session in which both sides conform, except for the named rules.
struct CounterCrossing: Sendable, CustomStringConvertible {
    var title: String
    var besides: Set<String>
    /// Oracle rules that fail too, because the twin does not know events that were not notified.
    var differs: Set<String>
    var script: @Sendable (CounterSession) -> Void

    var description: String { title }

    init(
        _ title: String, besides: Set<String> = [], differs: Set<String> = [],
        _ script: @escaping @Sendable (CounterSession) -> Void
    ) {
        self.title = title
        self.besides = besides
        self.differs = differs
        self.script = script
    }

    static let all = [
        CounterCrossing("LC-016: a replayed event is on its way when the ACK is sent") { counter in
            let time = counter.now
            for number in [42, 43, 44] as [UInt32] { counter.event(number, time: time) }
            counter.request([2] + little(43 as UInt32))
            counter.event(43, header: 0x31, time: time)
            counter.link.write(counter.handle(5), [5] + little(44 as UInt32))
            counter.event(44, header: 0x31, time: time)
            counter.link.indicate(counter.handle(5), [0x80, 5, 0])
        },
        CounterCrossing("LC-018: an event comes between the request for a status and its answer") { counter in
            counter.event(42)
            counter.link.request(ATT.ReadRequest(handle: counter.handle(4)))
            counter.event(43)
            counter.link.respond(
                ATT.ReadResponse(value: little(3600 as UInt32) + little(42 as UInt32) + [87, 1, 0, 0]))
        },
        CounterCrossing("LC-010: the clock is set back") { counter in
            counter.request([1] + little(counter.now + 200) + [0, 0])
            counter.event(42, time: counter.now + 200)
            counter.link.write(counter.handle(5), [1] + little(counter.now) + [0, 0])
            // Already on its way.
            counter.event(43, time: counter.now + 200)
            counter.link.indicate(counter.handle(5), [0x80, 1, 0])
            counter.event(44)
            counter.event(45)
        },
        CounterCrossing("LC-012: the counter is moved") { counter in
            counter.event(42)
            counter.link.write(counter.handle(5), [3, 9, 0])
            counter.event(43)
            counter.link.indicate(counter.handle(5), [0x80, 3, 0])
            counter.event(44, location: 9)
        },
        CounterCrossing("LC-005: events come while the gateway is not subscribed", differs: ["LC-030"]) { counter in
            let configuration = CounterSession.layout[CounterSession.type(2), 0x2902]
            counter.event(42)
            counter.link.write(configuration, [0, 0])
            counter.wait(20)
            counter.link.write(configuration, [1, 0])
            counter.event(45)
        },
        CounterCrossing("LC-013: the gateway is not subscribed for a while") { counter in
            let configuration = CounterSession.layout[CounterSession.type(4), 0x2902]
            counter.status(0)
            counter.link.write(configuration, [0, 0])
            counter.wait(60)
            counter.link.write(configuration, [1, 0])
            counter.status(0, uptime: 3660)
        },
        CounterCrossing("LC-015: a request comes before the answer to the one before") { counter in
            counter.link.write(counter.handle(5), [4])
            counter.wait(1.8)
            counter.link.write(counter.handle(5), [3, 9, 0])
            counter.link.indicate(counter.handle(5), [0x80, 4, 0])
            counter.wait(1.5)
            counter.link.indicate(counter.handle(5), [0x80, 3, 0])
        },
        CounterCrossing("LC-020: the counter refuses the subscription") { counter in
            let configuration = CounterSession.layout[CounterSession.type(2), 0x2902]
            counter.lose()
            counter.wait(2)
            counter.connect()
            counter.link.discover(CounterSession.layout)
            counter.link.request(ATT.WriteRequest(handle: configuration, value: [1, 0]))
            counter.link.refuse(.writeRequest, configuration, .unlikelyError)
            counter.wait(8)
        },
    ]
}
