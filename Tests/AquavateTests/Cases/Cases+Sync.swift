import Bluetooth
import PDUTestKit
import TestKit

extension RuleCase {
    /// AQ-069: only the last acknowledgement makes records synced (section 6.1).
    static let unsyncedCount = [
        RuleCase("AQ-069", .obeyed, "QUERY amid a transfer", .pass) { puck in
            puck.beginTransfer()
            puck.query()
            puck.readStatus(3)
        },
        RuleCase("AQ-069", .obeyed, "the history is cleared amid a transfer", .notBroken) { puck in
            puck.beginTransfer()
            puck.command(hex("06000000"))
            puck.readStatus(0)
        },
        RuleCase("AQ-069", .broken, "QUERY amid a transfer", .broken) { puck in
            puck.beginTransfer()
            puck.query()
            puck.readStatus(1)
            puck.faultLast()
        },
        RuleCase("AQ-069", .broken, "the number falls before the last acknowledgement", .broken) { puck in
            puck.beginTransfer()
            puck.readStatus(1, 1)
            puck.faultLast()
        },
        RuleCase("AQ-069", .crossing, "an evaluation on its way when the last acknowledgement is sent", .notBroken) {
            puck in
            puck.beginTransfer()
            puck.acknowledge { puck.chunk(1, of: 2, [puck.record(3)]) }
            puck.acknowledge {
                puck.state(after: 0.01, level: 300, unsynced: 3)
                puck.push(unsynced: 0)
            }
            puck.readStatus(0)
        },
        RuleCase("AQ-069", .crossing, "the last chunk has no head, and its acknowledgement is the last one", .notBroken)
        {
            puck in
            puck.beginTransfer()
            puck.acknowledge { puck.notify(4, [1, 0, 2]) }
            puck.read(4, hex("0100 0200 01 00") + puck.record(3))
            puck.acknowledge { puck.push(unsynced: 0) }
            puck.readStatus(0)
        },
        RuleCase("AQ-069", .lost, "the last acknowledgement", .notBroken) { puck in
            puck.beginTransfer()
            puck.acknowledge { puck.chunk(1, of: 2, [puck.record(3)]) }
            puck.miss { puck.link.request(puck.writeRequest(3, hex("0000000002000000"))) }
            puck.push(unsynced: 0)
            puck.link.respond(PuckSession.writeResponse)
            puck.readStatus(0)
        },
        RuleCase("AQ-069", .refused, "the last acknowledgement", .broken) { puck in
            puck.beginTransfer()
            puck.acknowledge { puck.chunk(1, of: 2, [puck.record(3)]) }
            puck.refuse(3, hex("0000000002000000"), .unlikelyError)
            puck.readStatus(0, 1)
            puck.faultLast()
        },
        RuleCase("AQ-069", .refused, "QUERY, and the transfer goes on", .notBroken) { puck in
            puck.beginTransfer()
            puck.refuse(3, [UInt8](repeating: 0, count: 8), .unlikelyError)
            puck.acknowledge { puck.chunk(1, of: 2, [puck.record(3)]) }
            puck.acknowledge { puck.push(unsynced: 0) }
            puck.readStatus(0)
        },
        RuleCase("AQ-069", .nextConnection, "the number is lower", .broken) { puck in
            puck.beginTransfer()
            puck.end()
            puck.wait(1)
            puck.begin()
            puck.readStatus(1)
            puck.faultLast()
        },
        RuleCase("AQ-069", .nextConnection, "another client may have fetched records", .notBroken) { puck in
            puck.beginTransfer()
            puck.end()
            puck.wait(60)
            puck.begin()
            puck.readStatus(1)
        },
    ]

    /// AQ-213: the client sends START only with unsynced records and outside a transfer (section 11.3).
    static let starts = [
        RuleCase("AQ-213", .obeyed, "three records", .pass) { puck in
            puck.state(unsynced: 3)
            puck.transfer()
        },
        RuleCase("AQ-213", .broken, "the client has read 0 in Sync Control", .broken) { puck in
            puck.state(unsynced: 3)
            puck.readStatus(0)
            puck.wait(0.7)
            puck.faultNext()
            puck.start(3)
            puck.query()
        },
        RuleCase("AQ-213", .broken, "the client has read 0 in Current State", .broken) { puck in
            puck.state(unsynced: 3)
            puck.read(1, puck.stateBytes())
            puck.faultNext()
            puck.start(3)
            puck.query()
        },
        RuleCase("AQ-213", .broken, "the client has read 0 that it was notified of", .broken) { puck in
            puck.state(unsynced: 3)
            puck.state(level: 300)
            puck.readStatus(0)
            puck.faultNext()
            puck.start(3)
            puck.query()
        },
        RuleCase("AQ-213", .broken, "amid a transfer", .broken) { puck in
            puck.beginTransfer()
            puck.faultNext()
            puck.start(3)
            puck.query()
        },
        RuleCase("AQ-213", .crossing, "0 is notified when START is sent", .notBroken) { puck in
            puck.state(unsynced: 3)
            puck.state(level: 300)
            puck.wait(0.7)
            puck.start(3)
            puck.query()
        },
        RuleCase("AQ-213", .lost, "the notification of a drink", .notBroken) { puck in
            puck.readStatus(0)
            puck.miss { puck.state(after: 0, unsynced: 1) }
            puck.start(1) { puck.chunk(0, of: 1, [puck.record(1)]) }
            puck.acknowledge { puck.push(unsynced: 0) }
        },
        RuleCase("AQ-213", .refused, "START, which is sent again", .pass) { puck in
            puck.state(unsynced: 3)
            puck.refuse(3, hex("0000 0300 01 00 0200"), .unlikelyError)
            puck.transfer()
        },
        RuleCase("AQ-213", .nextConnection, "without a look at the number", .broken) { puck in
            puck.state(unsynced: 3)
            puck.end()
            puck.begin()
            puck.faultNext()
            puck.transfer()
        },
        RuleCase("AQ-213", .nextConnection, "a transfer of the one before was not completed", .pass) { puck in
            puck.beginTransfer()
            puck.end()
            puck.begin()
            puck.readStatus(3, 1)
            puck.transfer()
        },
    ]

    /// AQ-214: one acknowledgement for each notified chunk (section 6.1).
    static let acknowledgements = [
        RuleCase("AQ-214", .obeyed, "two chunks", .pass) { puck in
            puck.state(unsynced: 3)
            puck.transfer()
        },
        RuleCase("AQ-214", .obeyed, "QUERY in place of an acknowledgement", .notBroken) { puck in
            puck.beginTransfer()
            puck.query()
            puck.wait(31)
            puck.ping()
        },
        RuleCase("AQ-214", .obeyed, "each of two chunks that START was answered by", .notBroken) { puck in
            puck.state(unsynced: 3)
            puck.start(3) {
                puck.chunk(0, of: 2, [puck.record(1), puck.record(2)])
                puck.chunk(1, of: 2, [puck.record(3)])
            }
            puck.acknowledge()
            puck.acknowledge { puck.push(unsynced: 0) }
        },
        RuleCase("AQ-214", .obeyed, "each of two chunks where one is all", .notBroken) { puck in
            puck.state(unsynced: 1)
            puck.start(1) {
                puck.chunk(0, of: 1, [puck.record(1)])
                puck.chunk(0, of: 1, [puck.record(1)])
            }
            puck.acknowledge { puck.push(unsynced: 0) }
            puck.acknowledge()
        },
        RuleCase("AQ-214", .obeyed, "a chunk that came unasked after a transfer", .notBroken) { puck in
            puck.state(unsynced: 3)
            puck.transfer()
            puck.wait(6)
            puck.chunk(0, of: 1, [puck.record(3)])
            puck.acknowledge()
        },
        RuleCase("AQ-214", .obeyed, "a chunk without a head, that was read", .notBroken) { puck in
            puck.state(unsynced: 1)
            puck.start(1) { puck.notify(4, [0, 0, 1]) }
            puck.read(4, hex("0000 0100 01 00") + puck.record(1))
            puck.acknowledge { puck.push(unsynced: 0) }
        },
        RuleCase("AQ-214", .broken, "none within 30 s", .broken) { puck in
            puck.state(unsynced: 3)
            puck.start(3) {
                puck.faultNext()
                puck.chunk(0, of: 2, [puck.record(1), puck.record(2)])
            }
            puck.wait(31)
            puck.ping()
        },
        RuleCase("AQ-214", .broken, "START in place of one", .broken) { puck in
            puck.beginTransfer()
            puck.faultNext()
            puck.start(3) { puck.chunk(0, of: 2, [puck.record(1), puck.record(2)]) }
            puck.query()
        },
        RuleCase("AQ-214", .broken, "one more", .broken) { puck in
            puck.state(unsynced: 3)
            puck.transfer()
            puck.faultNext()
            puck.acknowledge()
        },
        RuleCase("AQ-214", .broken, "a second one after QUERY", .broken) { puck in
            puck.beginTransfer()
            puck.query()
            puck.acknowledge()
            puck.faultNext()
            puck.acknowledge()
        },
        RuleCase("AQ-214", .crossing, "a chunk on its way when START is sent again", .notBroken) { puck in
            puck.state(unsynced: 3)
            puck.start(3)
            puck.wait(4)
            puck.chunk(0, of: 2, [puck.record(1), puck.record(2)])
            puck.wait(0.1)
            puck.start(3) { puck.chunk(0, of: 2, [puck.record(1), puck.record(2)]) }
            puck.query()
        },
        RuleCase("AQ-214", .lost, "the chunk", .notBroken) { puck in
            puck.state(unsynced: 1)
            puck.start(1) { puck.miss { puck.chunk(0, of: 1, [puck.record(1)]) } }
            puck.acknowledge { puck.push(unsynced: 0) }
        },
        RuleCase("AQ-214", .lost, "the acknowledgement, before the next START", .notBroken) { puck in
            puck.state(unsynced: 1)
            puck.start(1) { puck.chunk(0, of: 1, [puck.record(1)]) }
            puck.miss { puck.link.request(puck.writeRequest(3, hex("0000000002000000"))) }
            puck.push(unsynced: 0)
            puck.link.respond(PuckSession.writeResponse)
            puck.state(level: 300, unsynced: 1)
            puck.start(1) { puck.chunk(0, of: 1, [puck.record(2)]) }
            puck.acknowledge { puck.push(unsynced: 0) }
        },
        RuleCase("AQ-214", .refused, "an acknowledgement, which is sent again", .pass) { puck in
            puck.beginTransfer()
            puck.refuse(3, hex("0000000002000000"), .unlikelyError)
            puck.acknowledge { puck.chunk(1, of: 2, [puck.record(3)]) }
            puck.acknowledge { puck.push(unsynced: 0) }
        },
        RuleCase("AQ-214", .nextConnection, "a chunk of the one before is fetched again", .pass) { puck in
            puck.beginTransfer()
            puck.end()
            puck.begin()
            puck.readStatus(3, 1)
            puck.transfer()
        },
    ]

    /// AQ-214: the puck refuses START in place of an acknowledgement, and the acknowledgement follows.
    static let refusedStart = RuleCase(
        "AQ-214", .refused, "START amid a transfer, and the acknowledgement after it", .notBroken
    ) { puck in
        puck.beginTransfer()
        puck.refuse(3, hex("0000 0300 01 00 0200"), .unlikelyError)
        puck.acknowledge { puck.chunk(1, of: 2, [puck.record(3)]) }
        puck.acknowledge { puck.push(unsynced: 0) }
    }
}

extension PuckSession {
    /// START for three records, and the first of two chunks.
    fileprivate func beginTransfer() {
        state(unsynced: 3)
        start(3) { chunk(0, of: 2, [record(1), record(2)]) }
    }
}
