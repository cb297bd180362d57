import Bluetooth
import PDUTestKit
import TestKit

extension RuleCase {
    /// AQ-038: an evaluation carries the current time; a pushed or read value may be old (sections 4.1 and 10.6).
    static let time = [
        RuleCase("AQ-038", .obeyed, "an evaluation of now", .pass) { $0.state() },
        RuleCase("AQ-038", .obeyed, "a push of an hour ago", .pass) { puck in
            puck.state(unsynced: 3)
            puck.transfer()
            puck.state(level: 300)
            for _ in 0..<180 {
                puck.wait(20)
                puck.ping()
            }
            puck.delete(1) { puck.notify(1, puck.stateBytes(300, nil, 1250, 83, 7, 0, puck.now - 3500)) }
        },
        RuleCase("AQ-038", .broken, "an evaluation of in 15 minutes", .broken) { puck in
            puck.wait(6)
            puck.faultNext()
            puck.state(after: 0, time: puck.now + 900)
        },
        RuleCase("AQ-038", .broken, "a push of in 10 minutes", .broken) { puck in
            puck.state(unsynced: 3)
            puck.transfer()
            puck.wait(6)
            puck.delete(1) {
                puck.faultNext()
                puck.notify(1, puck.stateBytes(412, nil, 1250, 83, 7, 0, puck.now + 600))
            }
        },
        RuleCase("AQ-038", .broken, "a read of in 10 minutes", .broken) { puck in
            puck.state()
            puck.wait(6)
            puck.read(1, puck.stateBytes(412, nil, 1250, 83, 7, 0, puck.now + 600))
            puck.faultLast()
        },
        .whole("AQ-038", .crossing, "a read of what was evaluated before SET_TIME set the clock back", .notBroken) {
            puck in
            puck.begin(setsTime: false)
            puck.state(time: puck.now + 606)
            puck.wait(5)
            puck.setTime()
            puck.read(1, puck.stateBytes(415, nil, 1250, 83, 7, 0, puck.now + 599))
            puck.end()
        },
        .whole("AQ-038", .crossing, "an evaluation on its way when SET_TIME is sent, and a read", .notBroken) { puck in
            puck.begin(setsTime: false)
            puck.setTime()
            puck.state(after: 0.01, time: puck.now - 600)
            puck.wait(6)
            puck.read(1, puck.stateBytes())
            puck.end()
        },
        RuleCase("AQ-038", .lost, "SET_TIME sets the clock ahead", .notBroken) { puck in
            puck.state()
            puck.miss { puck.setTime(puck.now + 600) }
            puck.wait(6)
            puck.read(1, puck.stateBytes(412, nil, 1250, 83, 7, 0, puck.now + 598))
        },
        .whole("AQ-038", .refused, "a read after SET_TIME", .notBroken) { puck in
            puck.begin(setsTime: false)
            puck.state(time: puck.now + 606)
            puck.refuse(5, [0x10] + little(puck.now), .unlikelyError)
            puck.wait(6)
            puck.read(1, puck.stateBytes(412, nil, 1250, 83, 7, 0, puck.now + 598))
            puck.end()
        },
        RuleCase("AQ-038", .nextConnection, "a read of what was evaluated before", .notBroken) { puck in
            puck.state()
            puck.end()
            puck.wait(20)
            puck.begin()
            puck.read(1, puck.stateBytes(412, nil, 1250, 83, 7, 0, puck.now - 24))
        },
    ]

    /// AQ-040: evaluations every 5 s, in calibration mode every 500 ms (section 10.6).
    static let pace = [
        RuleCase("AQ-040", .obeyed, "5 s", .pass) { puck in
            puck.state()
            puck.state(after: 5, level: 300)
        },
        RuleCase("AQ-040", .obeyed, "500 ms after 0x03", .pass) { puck in
            puck.state()
            puck.measure()
            puck.state(after: 0.5, level: 2, weight: -12345, flags: 0x17)
        },
        RuleCase("AQ-040", .broken, "2 s", .broken) { puck in
            puck.state()
            puck.wait(2)
            puck.faultNext()
            puck.state(after: 0, level: 300)
        },
        RuleCase("AQ-040", .broken, "200 ms after 0x03", .broken) { puck in
            puck.state()
            puck.measure()
            puck.wait(0.2)
            puck.faultNext()
            puck.state(after: 0, level: 2, weight: -12345, flags: 0x0F)
        },
        RuleCase("AQ-040", .crossing, "an evaluation on its way when CAL_SET_DATA is sent", .notBroken) { puck in
            puck.state()
            puck.measure()
            puck.wait(10)
            puck.state(after: 0, level: 3, weight: -12345, flags: 0x0F)
            puck.command(hex("04 82CD0100 F9520700 E1FAD943")) {
                puck.push(unsynced: 0)
                puck.state(after: 0.4, level: 4, weight: -12345, flags: 0x17)
            }
        },
        RuleCase("AQ-040", .lost, "0x03", .notBroken) { puck in
            puck.state()
            puck.miss { puck.link.request(puck.writeRequest(5, hex("03000000"))) }
            puck.state(after: 0.5, flags: 0x0F)
            puck.wait(5)
            puck.link.respond(PuckSession.writeResponse)
            puck.state(after: 0.5, level: 1, weight: -12345, flags: 0x17)
        },
        RuleCase("AQ-040", .refused, "0x03, and 2 s", .broken) { puck in
            puck.state()
            puck.refuse(5, hex("03000000"), .unlikelyError)
            puck.wait(2)
            puck.faultNext()
            puck.state(after: 0, level: 300)
        },
        RuleCase("AQ-040", .nextConnection, "a second after the last evaluation of the one before", .notBroken) {
            puck in
            puck.state()
            puck.end()
            puck.begin()
            puck.state(after: 0.5, level: 300)
        },
        RuleCase("AQ-040", .nextConnection, "2 s, 0x03 having been in the one before", .broken) { puck in
            puck.state()
            puck.measure()
            puck.end()
            puck.begin()
            puck.state()
            puck.wait(2)
            puck.faultNext()
            puck.state(after: 0, level: 300)
        },
    ]

    /// AQ-040: the puck evaluates at the pace of calibration mode, then refuses 0x03.
    static let refusedMeasurementAmidEvaluation = RuleCase(
        "AQ-040", .refused, "an evaluation after 500 ms, before 0x03 is refused", .broken
    ) { puck in
        puck.state()
        puck.link.request(puck.writeRequest(5, hex("03000000")))
        puck.wait(0.5)
        puck.faultNext()
        puck.state(after: 0, level: 300)
        puck.link.refuse(.writeRequest, puck.handle(5), .unlikelyError)
    }

    /// The last acknowledgement is refused after an evaluation that counts another drink: AQ-046.
    static let refusedAcknowledgementAmidDrink = RuleCase(
        "AQ-046", .refused, "10 ml for a drink of 50 ml, evaluated before the last acknowledgement is refused", .broken
    ) { puck in
        puck.state(unsynced: 1)
        puck.start(1, 1) { puck.chunk(0, of: 1, [puck.record(1)]) }
        puck.link.request(puck.writeRequest(3, hex("0000000002000000")))
        puck.wait(6)
        puck.drinkTime = puck.now
        puck.state(after: 0, level: 362, daily: 1260, unsynced: 2)
        puck.faultLast()
        puck.link.refuse(.writeRequest, puck.handle(3), .unlikelyError)
        puck.acknowledge { puck.push(unsynced: 1) }
        puck.fetch(2, amount: 50)
    }

    /// AQ-046: the daily total grows by the amounts of the records (sections 7.4 and 10.5).
    static let dailyTotal = [
        RuleCase("AQ-046", .obeyed, "a drink", .pass) { puck in
            puck.state()
            puck.drink(112, growth: 112)
            puck.fetch(1, amount: 112)
        },
        RuleCase("AQ-046", .obeyed, "a drink after a transfer", .pass) { puck in
            puck.state(unsynced: 3)
            puck.transfer()
            puck.drink(50, growth: 50)
            puck.fetch(4, amount: 50)
        },
        RuleCase("AQ-046", .broken, "10 ml for a drink of 50 ml after a transfer", .broken) { puck in
            puck.state(unsynced: 3)
            puck.transfer()
            puck.drink(50, growth: 10)
            puck.faultLast()
            puck.fetch(4, amount: 50)
        },
        RuleCase("AQ-046", .broken, "10 ml for a drink of 50 ml, evaluated before the transfer", .broken) { puck in
            puck.state(unsynced: 0)
            puck.drink(50, growth: 10)
            puck.faultLast()
            puck.fetch(1, amount: 50)
        },
        RuleCase("AQ-046", .crossing, "an evaluation on its way when the last acknowledgement is sent", .notBroken) {
            puck in
            puck.state(unsynced: 1)
            puck.start(1, 1) { puck.chunk(0, of: 1, [puck.record(1)]) }
            puck.wait(4)
            puck.acknowledge {
                puck.state(after: 0.01, level: 300, daily: 1362, unsynced: 2)
                puck.push(unsynced: 1)
            }
            puck.fetch(2, amount: 112, time: puck.now)
        },
        RuleCase("AQ-046", .lost, "the chunk", .notBroken) { puck in
            puck.state()
            puck.drink(50, growth: 10)
            puck.start(1, 1) { puck.miss { puck.chunk(0, of: 1, [puck.record(1, amount: 50, time: puck.now)]) } }
            puck.acknowledge { puck.push(unsynced: 0) }
        },
        RuleCase("AQ-046", .refused, "the last acknowledgement, which is sent again", .pass) { puck in
            puck.state(unsynced: 1)
            puck.start(1, 1) { puck.chunk(0, of: 1, [puck.record(1)]) }
            puck.refuse(3, hex("0000000002000000"), .unlikelyError)
            puck.acknowledge { puck.push(unsynced: 0) }
            puck.drink(50, growth: 50)
            puck.fetch(2, amount: 50)
        },
        RuleCase("AQ-046", .nextConnection, "a drink between two connections", .notBroken) { puck in
            puck.state()
            puck.end()
            puck.wait(10)
            puck.begin()
            puck.drink(50, growth: 10)
            puck.fetch(1, amount: 50)
        },
    ]

    /// AQ-102: the raw reading ends with the connection (section 9.4, step 4).
    static let rawReading = [
        measured("AQ-102", .obeyed, "the next evaluation has none", .pass) { puck in
            puck.state(after: 3)
        },
        measured("AQ-102", .broken, "an evaluation has it", .broken) { puck in
            puck.wait(3)
            puck.faultNext()
            puck.state(after: 0, level: 2, weight: -12345, flags: 0x17)
        },
        measured("AQ-102", .broken, "a read of a new evaluation has it", .broken) { puck in
            puck.wait(12)
            puck.read(1, puck.stateBytes(1, -12345, 1250, 83, 0x17, 0, puck.now - 2))
            puck.faultLast()
        },
        measured("AQ-102", .crossing, "a read has what was evaluated before the end", .notBroken) { puck in
            puck.read(1, puck.stateBytes(1, -12345, 1250, 83, 0x17, 0, puck.now - 2))
        },
        RuleCase("AQ-102", .lost, "0x03 of the next connection", .notBroken) { puck in
            puck.state()
            puck.measure()
            puck.end()
            puck.wait(1)
            puck.begin()
            puck.miss { puck.link.request(puck.writeRequest(5, hex("03000000"))) }
            puck.wait(5)
            puck.link.respond(PuckSession.writeResponse)
            puck.state(after: 0.5, level: 1, weight: -12345, flags: 0x17)
        },
        measured("AQ-102", .refused, "0x03 of the next connection", .broken) { puck in
            puck.refuse(5, hex("03000000"), .unlikelyError)
            puck.wait(3)
            puck.faultNext()
            puck.state(after: 0, level: 2, weight: -12345, flags: 0x17)
        },
        measured("AQ-102", .nextConnection, "the third one still has it", .broken) { puck in
            puck.read(1, puck.stateBytes(1, -12345, 1250, 83, 0x17, 0, puck.now - 2))
            puck.end()
            puck.wait(1)
            puck.begin()
            puck.wait(3)
            puck.faultNext()
            puck.state(after: 0, level: 2, weight: -12345, flags: 0x17)
        },
        RuleCase("AQ-102", .nextConnection, "the result was not reported before the end", .broken) { puck in
            puck.state()
            puck.write(5, hex("03000000"), after: 5)
            puck.end()
            puck.wait(1)
            puck.begin()
            puck.wait(3)
            puck.faultNext()
            puck.state(after: 0, level: 2, weight: -12345, flags: 0x17)
        },
    ]

    /// AQ-102: an evaluation shows a raw reading, then the puck refuses 0x03.
    static let refusedMeasurement = measured(
        "AQ-102", .refused, "an evaluation before 0x03 of the next connection is refused", .broken
    ) { puck in
        puck.link.request(puck.writeRequest(5, hex("03000000")))
        puck.wait(3)
        puck.faultNext()
        puck.state(after: 0, level: 2, weight: -12345, flags: 0x17)
        puck.link.refuse(.writeRequest, puck.handle(5), .unlikelyError)
    }

    /// A case that continues after a connection in which the client has measured.
    private static func measured(
        _ rule: String, _ situation: Situation, _ title: String, _ outcome: Outcome,
        _ script: @escaping @Sendable (PuckSession) -> Void
    ) -> RuleCase {
        RuleCase(rule, situation, title, outcome) { puck in
            puck.state()
            puck.measure()
            puck.end()
            puck.wait(1)
            puck.begin()
            script(puck)
        }
    }
}

extension PuckSession {
    /// 0x03 with all its effects; the raw reading comes last.
    fileprivate func measure() {
        write(5, hex("03000000"), after: 0) {
            push(unsynced: 0)
            state(after: 0.4, flags: 0x0F)
            wait(4.8)
            push(unsynced: 0)
        }
        state(after: 0.5, level: 1, weight: -12345, flags: 0x17)
    }

    /// A drink, and the evaluation that detects it.
    fileprivate func drink(_ amount: Int16, growth: UInt16) {
        wait(6)
        drinkTime = now
        state(after: 0, level: 412 - UInt16(amount), daily: 1250 + growth, unsynced: 1)
    }

    /// Fetches the record of the last drink.
    fileprivate func fetch(_ id: UInt32, amount: Int16, time: UInt32? = nil) {
        start(1, 1) { chunk(0, of: 1, [record(id, amount: amount, level: 412 - amount, time: time ?? drinkTime)]) }
        acknowledge { push(unsynced: 0) }
    }
}
