import Bluetooth
import PDUTestKit
import TestKit

/// Values read just before a newer one is notified, and values older than they look.
extension Crossing {
    static let stale = [
        Crossing("the battery is asked for before its level is told, and answered after it") { puck in
            puck.begin()
            puck.notify(0x2A19, [83])
            puck.wait(60)
            puck.link.request(ATT.ReadRequest(handle: puck.handle(0x2A19)))
            puck.notify(0x2A19, [82])
            puck.link.respond(ATT.ReadResponse(value: [83]))
            puck.wait(6)
            puck.notify(0x2A19, [81])
            puck.end()
        },
        Crossing("the state of a calibration before is read", passes: "AQ-091") { puck in
            puck.begin()
            puck.calibrate(through: 3)
            puck.end()
            puck.wait(80)
            puck.begin()
            // The calibration has ended outside the capture.
            puck.read(8, hex("03 00 00000000 00000000 0000"))
            puck.calibrate(through: 6)
            puck.end()
        },
        Crossing("a calibration state is read when it is about to be told", passes: "AQ-091") { puck in
            puck.begin()
            puck.calibrate(through: 2)
            puck.wait(5)
            puck.read(8, hex("03 00 00000000 00000000 0000"))
            puck.calibration(3, after: 0)
            puck.wait(4)
            puck.link.request(ATT.ReadRequest(handle: puck.handle(8)))
            puck.calibration(4, after: 0)
            puck.link.respond(ATT.ReadResponse(value: hex("03 00 00000000 00000000 0000")))
            puck.calibration(6, after: 6)
            puck.end()
        },
        Crossing("the client subscribes again amid a calibration", passes: "AQ-091") { puck in
            puck.begin()
            puck.calibrate(through: 4)
            puck.link.write(puck.configuration(8), [0, 0])
            puck.wait(20)
            puck.ping()
            puck.link.write(puck.configuration(8), [1, 0])
            puck.calibration(9, after: 10)
            puck.end()
        },
        Crossing("TARE is served after Bottle Config is written") { puck in
            puck.begin()
            puck.read(2, puck.config())
            puck.command(hex("01000000"))
            puck.write(2, puck.config(goal: 3000))
            puck.read(2, puck.config(tare: 300, goal: 3000))
            puck.end()
        },
        Crossing("TARE is served after a write that changes nothing", besides: ["AQ-222"]) { puck in
            puck.begin()
            puck.read(2, puck.config())
            puck.write(2, puck.config(50, goal: 3000))
            puck.command(hex("01000000"))
            puck.read(2, puck.config(tare: 300))
            puck.end()
        },
        Crossing("a chunk is on its way when QUERY and START are sent") { puck in
            puck.begin()
            puck.state(unsynced: 3)
            puck.start(3)
            puck.query()
            puck.start(3) {
                puck.chunk(0, of: 2, [puck.record(1), puck.record(2)])
                puck.chunk(0, of: 2, [puck.record(1), puck.record(2)])
            }
            puck.acknowledge { puck.chunk(1, of: 2, [puck.record(3)]) }
            puck.acknowledge { puck.push(unsynced: 0) }
            for _ in 0..<2 {
                puck.wait(20)
                puck.ping()
            }
            puck.end()
        },
        Crossing("a record is deleted that another client has fetched unseen") { puck in
            puck.begin()
            puck.state(daily: 1250, unsynced: 3)
            puck.transfer()
            puck.end()
            puck.wait(40)
            puck.begin()
            puck.state(daily: 1295)
            puck.delete(5) { puck.push(unsynced: 0) }
            puck.state(after: 5, daily: 1250)
            puck.end()
        },
    ]

    static let clocks = [
        Crossing("the clock is set back between two drinks of a transfer") { puck in
            // One minute ahead.
            let stored = puck.now + 55
            puck.begin(setsTime: false)
            puck.state(after: 2, daily: 145, unsynced: 1, time: puck.now + 62)
            puck.setTime()
            puck.state(level: 300, daily: 257, unsynced: 2)
            let time = puck.now - 1
            let records = [puck.record(1, time: stored), puck.record(2, amount: 112, level: 300, time: time)]
            puck.start(2, 2) { puck.chunk(0, of: 1, records) }
            puck.acknowledge { puck.push(unsynced: 0) }
            puck.end()
        },
        Crossing("the clock was set back between two wake-ups") { puck in
            puck.begin()
            puck.command(hex("30000000")) { puck.notify(7, hex("02 00 00 01 00000000 0000 0000")) }
            let times = [puck.now + 60, puck.now + 10]
            puck.command(hex("31000000")) {
                puck.notify(7, [0, 1, 2, 0] + times.flatMap { little($0) + hex("0A00 00 00") })
            }
            puck.end()
        },
    ]
}
