import Bluetooth
import PDUTestKit
import TestKit

extension RulePair {
    /// AQ-212 to AQ-219.
    static let syncDiscipline: [RulePair] = [
        .connected("AQ-212") { puck, isBroken in
            puck.state(unsynced: 3)
            puck.faultNext()
            puck.start(3, isBroken ? 20 : 17) {
                puck.chunk(0, of: 1, [puck.record(1), puck.record(2), puck.record(3)])
            }
            puck.acknowledge { puck.push(unsynced: 0) }
        },
        .connected("AQ-213") { puck, isBroken in
            puck.state(unsynced: isBroken ? 0 : 3)
            puck.faultNext()
            if isBroken {
                puck.start(3)
                puck.query()
            } else {
                puck.transfer()
            }
        },
        .connected("AQ-214") { puck, isBroken in
            puck.state(unsynced: 4)
            puck.start(4) { puck.chunk(0, of: 2, [puck.record(1), puck.record(2)]) }
            if isBroken {
                // The chunk comes before the response.
                puck.fault(earlier: 1)
                puck.wait(31)
                puck.ping()
            } else {
                puck.acknowledge { puck.chunk(1, of: 2, [puck.record(3), puck.record(4)]) }
                puck.acknowledge { puck.push(unsynced: 0) }
            }
        },
        .connected("AQ-215") { puck, isBroken in
            puck.state(unsynced: 1)
            puck.start(1, 1) { puck.chunk(0, of: 1, [puck.record(1)]) }
            puck.acknowledge { puck.push(unsynced: 0) }
            guard isBroken else { return }
            puck.read(4, hex("0000 0100 01 00") + puck.record(1))
            puck.faultNext()
            puck.acknowledge()
        },
        .connected("AQ-217") { puck, isBroken in
            puck.state(unsynced: 3)
            puck.start(3) { puck.chunk(0, of: 2, [puck.record(1), puck.record(2)]) }
            puck.query()
            puck.faultNext()
            if isBroken { puck.acknowledge() } else { puck.transfer() }
        },
        RulePair("AQ-219") { puck, isBroken in
            puck.begin()
            puck.state(unsynced: 3)
            puck.start(3) { puck.chunk(0, of: 2, [puck.record(1), puck.record(2)]) }
            puck.end()
            puck.begin()
            puck.faultNext()
            if isBroken { puck.acknowledge() } else { puck.query() }
            puck.end()
        },
        .connected("AQ-216") { puck, isBroken in
            puck.state(unsynced: 1)
            puck.start(1, 1) { puck.chunk(0, of: 1, [puck.record(1)]) }
            puck.faultNext()
            puck.write(3, hex(isBroken ? "0000010002000000" : "0000000002000000")) { puck.push(unsynced: 0) }
        },
    ]

    /// AQ-220, AQ-221, AQ-225 to AQ-231.
    static let commands: [RulePair] = [
        .connected("AQ-220") { puck, isBroken in
            puck.state(unsynced: 3)
            puck.transfer()
            puck.faultNext()
            puck.delete(isBroken ? 0 : 1) { puck.push(unsynced: 0) }
        },
        .connected("AQ-221") { puck, isBroken in
            puck.state(unsynced: 3)
            puck.transfer()
            puck.delete(1) { if !isBroken { puck.push(unsynced: 0) } }
            puck.faultNext()
            puck.delete(2) { puck.push(unsynced: 0) }
        },
        .connected("AQ-225") { puck, isBroken in
            puck.command(hex("30000000")) { puck.notify(7, hex("01 00 00 01 00000000 0000 0000")) }
            puck.faultNext()
            if isBroken {
                puck.command(hex("31020000"))
            } else {
                puck.command(hex("31000000")) { puck.notify(7, hex("00 01 01 00 20247F69 3C00 00 00")) }
            }
        },
        .connected("AQ-226") { puck, isBroken in
            puck.command(hex("30000000")) { if !isBroken { puck.notify(7, [UInt8](repeating: 0, count: 12)) } }
            puck.faultNext()
            puck.ping()
            if isBroken { puck.notify(7, [UInt8](repeating: 0, count: 12)) }
        },
        .connected("AQ-227") { puck, isBroken in
            puck.calibrate(through: 9)
            puck.wait(isBroken ? 1 : 4)
            puck.faultNext()
            puck.command(hex("20000000"))
            puck.calibration(1, after: 0.3)
            puck.calibration(2, after: 2)
        },
        .connected("AQ-228") { puck, isBroken in
            if isBroken {
                puck.calibrate(through: 6)
                puck.wait(60)
                puck.command(hex("21000000"))
                puck.calibration(0, after: 1)
                puck.wait(4)
            }
            puck.calibrate(through: 6)
            puck.wait(isBroken ? 60 : 100)
            puck.faultNext()
            if isBroken {
                puck.command(hex("21000000"))
                puck.calibration(0, after: 1)
            } else {
                puck.calibration(7, after: 0)
            }
        },
        .connected("AQ-229") { puck, isBroken in
            puck.calibrate(through: 7)
            puck.wait(7)
            puck.faultNext()
            puck.calibration(9, after: 0)
            for _ in 0..<(isBroken ? 4 : 0) {
                puck.wait(20)
                puck.ping()
            }
        },
        .connected("AQ-230") { puck, isBroken in
            puck.state()
            puck.faultNext()
            puck.command(hex("04 82CD0100 F9520700") + little((isBroken ? 300 : 435.96 as Float).bitPattern)) {
                puck.push(unsynced: 0)
            }
        },
        .connected("AQ-231") { puck, isBroken in
            puck.state()
            puck.write(5, hex("03000000"), after: 4.5) {
                puck.push(unsynced: 0)
                puck.state(after: 0.5, flags: 0x0F)
            }
            puck.state(after: 0.6, level: 6, weight: 0, flags: 0x17)
            puck.wait(isBroken ? 1 : 10)
            puck.faultNext()
            puck.ping()
        },
    ]

    /// AQ-301 to AQ-314, without those about records and timers.
    static let traffic: [RulePair] = [
        .table("AQ-301", .shipped, PuckLayout.mixed) { $0.services.last?.start },
        .connected("AQ-302") { puck, isBroken in
            puck.wait(1)
            puck.write(5, hex("02000000"), after: isBroken ? 31 : 0)
            puck.faultLast()
        },
        .connected("AQ-303") { puck, isBroken in
            puck.write(5, hex("02000000"), after: isBroken ? 1.5 : 0.2)
            puck.faultLast()
        },
        .connected("AQ-304") { puck, isBroken in
            puck.state(unsynced: 4)
            puck.start(3) { puck.chunk(0, of: 2, [puck.record(1), puck.record(2)]) }
            puck.acknowledge {
                puck.faultNext()
                puck.chunk(1, of: 2, [puck.record(3)] + (isBroken ? [puck.record(4)] : []))
            }
            puck.acknowledge { puck.push(unsynced: isBroken ? 0 : 1) }
        },
        // The chunk does not fit into a notification, which breaks another rule.
        .connected("AQ-305", besides: ["AQ-060", "AQ-212"]) { puck, isBroken in
            puck.state(unsynced: 20)
            let records = (1...20).map { puck.record($0) }
            puck.start(20, 20) {
                puck.notify(4, Array((hex("0000 0100 14 00") + records.flatMap { $0 }).prefix(244)))
            }
            if !isBroken { puck.link.readLong(puck.handle(4), hex("0000 0100 14 00") + records.flatMap { $0 }) }
            puck.faultNext()
            puck.acknowledge { puck.push(unsynced: 0) }
        },
        .connected("AQ-306", implies: ["AQ-057"]) { puck, isBroken in
            puck.state(unsynced: 3)
            puck.start(3)
            puck.wait(isBroken ? 6 : 1)
            puck.faultNext()
            puck.chunk(0, of: 2, [puck.record(1), puck.record(2)])
            puck.query()
        },
        .connected("AQ-307") { puck, isBroken in
            puck.wait(6)
            puck.faultNext()
            puck.state(after: 0, unsynced: 3)
            if isBroken {
                puck.wait(12)
                puck.ping()
            } else {
                puck.transfer()
            }
        },
        .connected("AQ-309") { puck, isBroken in
            puck.state(unsynced: 3)
            puck.transfer()
            puck.readStatus(isBroken ? 2 : 0)
            puck.faultLast()
        },
        .connected("AQ-312") { puck, isBroken in
            puck.readStatus(0)
            puck.start(3)
            if !isBroken { puck.query() }
            puck.faultNext()
            puck.start(3)
            puck.query()
        },
        .connected("AQ-313", implies: ["AQUAVATE-SYNC-CONTROL-WRITE"]) { puck, isBroken in
            puck.faultNext()
            puck.write(3, hex(isBroken ? "00000000000000" : "0000000000000000"))
        },
        .connected("AQ-314") { puck, isBroken in
            puck.state(unsynced: 1)
            puck.start(1, 1) {
                puck.faultNext()
                if isBroken {
                    puck.notify(4, hex("0000 0100 01 00 30327F69 2D00 1103 00 00"))
                } else {
                    puck.chunk(0, of: 1, [puck.record(1)])
                }
            }
            puck.query()
        },
    ]
}
