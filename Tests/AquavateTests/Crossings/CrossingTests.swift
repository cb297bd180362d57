import Bluetooth
import Conformance
import PDUTestKit
import TestKit
import Testing

/// Race cases: no rule fails because of packets that cross on the air, refusals, caches, stale values, disconnections
/// or overlapping procedures.
struct CrossingTests {
    @Test(arguments: Crossing.all)
    func aCrossingIsHeldAgainstNobody(_ crossing: Crossing) { check(crossing) }

    /// Ensures that a race case does not pass merely because its rule never decides.
    @Test(arguments: Crossing.faults)
    func aFaultNearACrossingIsFound(_ fault: Crossing) {
        #expect(!fault.besides.isEmpty)
        check(fault)
    }

    private func check(_ crossing: Crossing) {
        for asksOracle in [false, true] {
            let puck = PuckSession(crossing.dialect)
            crossing.script(puck)
            let checked = CheckedCapture(puck.recording, plugins: aquavate, asksOracle: asksOracle)
            // The twin's rule reports the characteristic that refuses, the profile's rule the refusal.
            let besides = crossing.besides.union(asksOracle ? crossing.differs : [])
            #expect(checked.accused == besides, "\(checked.text(of: checked.accused))")
            guard let rule = crossing.passes else { continue }
            #expect(checked.verdicts(rule).contains(.pass), "\(rule)")
        }
    }
}

extension CheckedCapture {
    /// IDs of all rules that fail, warnings included.
    var accused: Set<String> {
        Set(report.results.filter { [.fail, .warning].contains($0.verdict) }.map { report.rules[$0.rule].id })
    }
}

/// A session in which both sides conform, except for the rules that the client must break to reach the race.
struct Crossing: Sendable, CustomStringConvertible {
    var title: String
    var dialect: PuckSession.Dialect = .shipped
    var besides: Set<String> = []
    /// Oracle rules that fail too, because the twin would not have refused.
    var differs: Set<String> = []
    /// A rule that must pass nevertheless.
    var passes: String?
    var script: @Sendable (PuckSession) -> Void

    var description: String { title }

    init(
        _ title: String, _ dialect: PuckSession.Dialect = .shipped, passes: String? = nil, besides: Set<String> = [],
        differs: Set<String> = [],
        _ script: @escaping @Sendable (PuckSession) -> Void
    ) {
        self.title = title
        self.dialect = dialect
        self.passes = passes
        self.besides = besides
        self.differs = differs
        self.script = script
    }

    static let all =
        states + transfers + requests + ends + calibrations + totals + reactions + unsubscriptions + refusals + stale
        + clocks + required + outOfReach + idle + otherClients + statistics + subscriptions + writes

    /// Sessions like the race cases, in which a side breaks the named rules.
    static let faults = faultsOfLinks + faultsOfOthers
}

// MARK: - Current State

extension Crossing {
    static let states = [
        Crossing("the confirmation of the last ACK before the first evaluation is all zero", passes: "AQ-042") { puck in
            puck.begin()
            puck.readStatus(3)
            puck.start(3) { puck.chunk(0, of: 2, [puck.record(1), puck.record(2)]) }
            puck.acknowledge { puck.chunk(1, of: 2, [puck.record(3)]) }
            puck.acknowledge { puck.notify(1, [UInt8](repeating: 0, count: 14)) }
            puck.readStatus(0, chunkSize: 2)
            puck.wait(11)
            puck.ping()
            puck.end()
        },
        Crossing("an evaluation is on its way when the last ACK is sent", passes: "AQ-042") { puck in
            puck.begin()
            puck.read(1, [UInt8](repeating: 0, count: 14))
            puck.readStatus(3)
            puck.start(3) { puck.chunk(0, of: 2, [puck.record(1), puck.record(2)]) }
            puck.acknowledge { puck.chunk(1, of: 2, [puck.record(3)]) }
            puck.acknowledge {
                puck.state(after: 0.01, unsynced: 3)
                puck.push(unsynced: 0)
            }
            puck.readStatus(0, chunkSize: 2)
            puck.wait(11)
            puck.ping()
            puck.end()
        },
        Crossing("a drink is told amid a transfer", passes: "AQ-042") { puck in
            puck.begin()
            puck.state(daily: 1250, unsynced: 3)
            puck.start(3) { puck.chunk(0, of: 2, [puck.record(1), puck.record(2)]) }
            puck.state(level: 300, daily: 1362, unsynced: 4)
            puck.acknowledge { puck.chunk(1, of: 2, [puck.record(3)]) }
            puck.acknowledge { puck.push(unsynced: 1) }
            puck.readStatus(1, chunkSize: 2)
            puck.end()
        },
        Crossing("DELETE is confirmed long after the last evaluation", passes: "AQ-039") { puck in
            puck.begin()
            puck.state(daily: 1250, unsynced: 3)
            puck.transfer()
            puck.wait(20)
            puck.delete(2) {
                // Evaluated since then, and not notified.
                puck.notify(1, puck.stateBytes(415, nil, 1250, 83, 7, 0, puck.now - 3))
            }
            puck.state(after: 3, level: 415, daily: 1205)
            puck.end()
        },
        Crossing("the total falls once for each of two deletions", passes: "AQ-045") { puck in
            puck.begin()
            puck.state(daily: 1250, unsynced: 3)
            puck.transfer()
            puck.delete(1) { puck.push(unsynced: 0) }
            puck.wait(5.5)
            puck.delete(2) { puck.push(unsynced: 0) }
            // The first evaluation was on its way.
            puck.state(after: 0.01, daily: 1205)
            puck.state(after: 5, daily: 1160)
            puck.end()
        },
        Crossing("the total of yesterday falls with the first drink after midnight") { puck in
            puck.hci.recording.wait(milliseconds: (12 * 3600 - 60) * 1000)
            puck.begin()
            puck.state(daily: 1250)
            for _ in 0..<6 {
                puck.wait(20)
                puck.ping()
            }
            puck.state(level: 400, daily: 1250)
            puck.state(level: 300, daily: 112, unsynced: 1)
            puck.end()
        },
        Crossing("a measurement that the client asks for is told by pushes and evaluations", passes: "AQ-101") { puck in
            puck.begin()
            puck.state()
            for point in ["03000000", "03010000"] {
                puck.write(5, hex(point), after: 0) {
                    puck.push(unsynced: 0)
                    puck.state(after: 0.4, flags: 0x0F)
                    puck.wait(4.8)
                    puck.push(unsynced: 0)
                }
                puck.state(after: 0.02, level: 1, weight: -12345, flags: 0x17)
                puck.wait(10)
            }
            puck.command(hex("04 82CD0100 F9520700 E1FAD943")) { puck.push(unsynced: 0) }
            puck.end()
        },
        Crossing("the result of a measurement is read after a reconnection", passes: "AQ-102") { puck in
            puck.begin()
            puck.state()
            puck.write(5, hex("03000000"), after: 0) {
                puck.push(unsynced: 0)
                puck.state(after: 0.4, flags: 0x0F)
                puck.wait(4.8)
                puck.push(unsynced: 0)
            }
            puck.state(after: 0.02, level: 1, weight: -12345, flags: 0x17)
            puck.end()
            puck.wait(1)
            puck.begin()
            // The value of the evaluation before the end.
            puck.read(1, puck.stateBytes(1, -12345, 1250, 83, 0x17, 0, puck.now - 3))
            puck.state(after: 3)
            puck.end()
        },
        Crossing("the clock was wrong until SET_TIME") { puck in
            puck.begin(setsTime: false)
            puck.state(after: 3, time: puck.now - 4000)
            puck.setTime()
            puck.state(level: 300)
            puck.end()
        },
        Crossing("the value is read that is about to be notified", passes: "AQ-039") { puck in
            puck.begin()
            puck.state(level: 400)
            puck.wait(6)
            let bytes = puck.stateBytes(300)
            puck.read(1, bytes)
            puck.notify(1, bytes)
            puck.end()
        },
        Crossing("a client writes a state that the puck refuses") { puck in
            puck.begin()
            puck.state(unsynced: 3)
            for (number, value) in [(1, "00 00000000 0000000000 00000000"), (4, "00"), (8, "00"), (7, "00")] {
                puck.refuse(UInt16(number), hex(value), .writeNotPermitted)
            }
            puck.refuse(0x2A19, [0], .writeNotPermitted)
            puck.transfer()
            puck.end()
        },
    ]
}

// MARK: - Transfers

extension Crossing {
    static let transfers = [
        Crossing("a transfer goes on after a reconnection", besides: ["AQ-219"]) { puck in
            puck.begin()
            puck.state(unsynced: 3)
            puck.start(3) { puck.chunk(0, of: 2, [puck.record(1), puck.record(2)]) }
            puck.acknowledge { puck.chunk(1, of: 2, [puck.record(3)]) }
            puck.end()
            puck.wait(0.5)
            puck.begin()
            puck.acknowledge { puck.push(unsynced: 0) }
            puck.readStatus(0, chunkSize: 2)
            puck.end()
        },
        Crossing("a chunk of the connection before is asked for", besides: ["AQ-219"]) { puck in
            puck.begin()
            puck.state(unsynced: 3)
            puck.start(3) { puck.chunk(0, of: 2, [puck.record(1), puck.record(2)]) }
            puck.end()
            puck.wait(0.5)
            puck.begin()
            puck.acknowledge { puck.chunk(1, of: 2, [puck.record(3)]) }
            puck.query()
            puck.end()
        },
        Crossing("a chunk is on its way when QUERY is sent") { puck in
            puck.begin()
            puck.state(unsynced: 3)
            puck.start(3)
            puck.query()
            puck.chunk(0, of: 2, [puck.record(1), puck.record(2)])
            puck.wait(1)
            puck.end()
        },
        Crossing("a drink is counted before it is told") { puck in
            puck.begin()
            puck.state(unsynced: 0)
            puck.wait(6)
            puck.readStatus(1)
            puck.state(after: 0.1, level: 300, daily: 1362, unsynced: 1)
            puck.end()
        },
        Crossing("the history is cleared, which nothing tells") { puck in
            puck.begin()
            puck.state(daily: 0, unsynced: 3)
            puck.command(hex("06000000"))
            // Already on its way.
            puck.state(level: 300, daily: 0, unsynced: 3)
            puck.readStatus(0)
            puck.end()
        },
        Crossing("START is refused", besides: ["AQ-021"], differs: ["AQ-403"]) { puck in
            puck.begin()
            puck.state(unsynced: 3)
            puck.refuse(3, hex("0000 0300 01 00 0200"), .unlikelyError)
            puck.wait(6)
            puck.ping()
            puck.readStatus(3)
            puck.end()
        },
        Crossing("the last ACK is refused", besides: ["AQ-021"], differs: ["AQ-403"]) { puck in
            puck.begin()
            puck.state(unsynced: 1)
            puck.start(1) { puck.chunk(0, of: 1, [puck.record(1)]) }
            puck.refuse(3, hex("0000000002000000"), .unlikelyError)
            puck.wait(11)
            puck.ping()
            puck.end()
        },
    ]
}

// MARK: - Requests

extension Crossing {
    static let requests = [
        Crossing("requests overlap, and each is answered in turn", besides: ["AQ-225", "AQ-302"]) { puck in
            puck.begin()
            puck.command(hex("30000000")) { puck.notify(7, hex("17 02 00 01 00000000 0000 0000")) }
            for chunk in [0, 1] as [UInt8] {
                puck.link.request(ATT.WriteRequest(handle: puck.handle(5), value: [0x31, chunk, 0, 0]))
            }
            for chunk in [0, 1] as [UInt8] {
                puck.notify(7, [chunk, 3, 10, 0] + (0..<10).flatMap { little(UInt32(1000 + $0)) + hex("0A00 00 00") })
                puck.link.respond(ATT.WriteResponse())
            }
            puck.wait(1)
            puck.command(hex("02000000"))
            puck.end()
        },
        Crossing("a read overlaps with a write", besides: ["AQ-302"]) { puck in
            puck.begin()
            puck.link.request(ATT.ReadRequest(handle: puck.handle(6)))
            puck.link.request(ATT.ReadRequest(handle: puck.handle(3)))
            puck.link.respond(ATT.ReadResponse(value: hex("00 00 0000")))
            puck.link.respond(ATT.ReadResponse(value: hex("0000 0300 00 00 1400")))
            puck.read(6, hex("00 00 0000"))
            puck.end()
        },
        Crossing("a chunk of activity is asked for without a summary", besides: ["AQ-225"]) { puck in
            puck.begin()
            puck.command(hex("31010000")) {
                puck.notify(7, [1, 3, 10, 0] + (0..<10).flatMap { little(UInt32(1000 + $0)) + hex("0A00 00 00") })
            }
            puck.end()
        },
        Crossing("DELETE is refused", besides: ["AQ-021"], differs: ["AQ-405"]) { puck in
            puck.begin()
            puck.state(daily: 1250, unsynced: 3)
            puck.transfer()
            puck.refuse(5, [0x12, 1, 0, 0, 0], .unlikelyError)
            puck.wait(8)
            puck.ping()
            puck.end()
        },
        Crossing("the client unsubscribes after DELETE") { puck in
            puck.begin()
            puck.state(daily: 1250, unsynced: 3)
            puck.transfer()
            puck.link.write(puck.configuration(1), [0, 0])
            puck.wait(6)
            puck.ping()
            puck.end()
        },
        Crossing("settings that are refused are not read", besides: ["AQ-021"], differs: ["AQ-406"]) { puck in
            puck.begin()
            puck.read(6, hex("00 00 0000"))
            puck.refuse(6, hex("01 00 0000"), .unlikelyError)
            puck.read(6, hex("00 00 0000"))
            puck.end()
        },
        Crossing("a calibration is begun at the bottle after one that finished", passes: "AQ-098") { puck in
            puck.begin()
            puck.state(after: 3)
            puck.calibrate(through: 9)
            puck.wait(5)
            puck.ping()
            puck.wait(5)
            let states: [(UInt8, Double)] = [(1, 1), (2, 2), (3, 5), (4, 4), (6, 7)]
            for (state, seconds) in states {
                puck.wait(seconds)
                puck.notify(8, [state, 0] + hex("82CD0100F9520700") + [0, 0])
            }
            puck.end()
        },
    ]

    static let ends = [
        Crossing("the link is lost and the puck is heard at once", besides: ["AQ-311"]) { puck in
            puck.begin()
            puck.ping()
            puck.wait(12)
            puck.lose()
            puck.wait(1)
            puck.advertise()
        },
        Crossing("SET_TIME withdraws the activity before it") { puck in
            puck.begin(setsTime: false)
            puck.ping()
            puck.setTime()
            puck.wait(20)
            puck.lose()
            puck.wait(20)
            puck.advertise()
        },
        Crossing("the connection ends before DELETE shows its effect") { puck in
            puck.begin()
            puck.state(daily: 1250, unsynced: 3)
            puck.transfer()
            puck.delete(2) { puck.push(unsynced: 0) }
            puck.wait(3)
            puck.end()
        },
        Crossing("the puck stores what is fetched before it answers the last acknowledgement", passes: "AQ-303") {
            puck in
            puck.begin()
            puck.state(unsynced: 3)
            puck.start(3) { puck.chunk(0, of: 2, [puck.record(1), puck.record(2)]) }
            puck.acknowledge { puck.chunk(1, of: 2, [puck.record(3)]) }
            puck.write(3, hex("0000000002000000"), after: 3)
            puck.push(unsynced: 0)
            puck.end()
        },
        Crossing("a client has nothing more to do with a chunk but to leave") { puck in
            puck.begin()
            puck.state(unsynced: 3)
            puck.start(3) { puck.chunk(0, of: 2, [puck.record(1), puck.record(2)]) }
            puck.wait(6)
            puck.end()
        },
    ]
}

extension PuckSession {
    /// A write that the puck refuses.
    func refuse(_ number: UInt16, _ value: [UInt8], _ error: ATT.ErrorCode) {
        link.request(ATT.WriteRequest(handle: handle(number), value: value))
        link.refuse(.writeRequest, handle(number), error)
    }
}
