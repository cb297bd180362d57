import Bluetooth
import PDUTestKit
import TestKit

/// The daily total of AQ-046, values that the client has not received yet, and unsubscriptions.
extension Crossing {
    static let totals = [
        Crossing("a drink is sent before the evaluation that counts it") { puck in
            puck.begin()
            puck.state(daily: 1250)
            puck.wait(6)
            let time = puck.now - 1
            puck.readStatus(1)
            puck.start(1, 1) { puck.chunk(0, of: 1, [puck.record(1, amount: 112, level: 300, time: time)]) }
            puck.state(after: 0.01, level: 300, daily: 1362, unsynced: 1)
            puck.acknowledge { puck.push(unsynced: 0) }
            let later = puck.now + 6
            puck.state(after: 8, level: 255, daily: 1407, unsynced: 1)
            puck.start(1, 1) { puck.chunk(0, of: 1, [puck.record(2, amount: 45, level: 255, time: later)]) }
            puck.acknowledge { puck.push(unsynced: 0) }
            puck.end()
        },
        Crossing("a drink follows a deletion") { puck in
            puck.begin()
            puck.state(daily: 1250, unsynced: 3)
            puck.transfer()
            puck.delete(2) { puck.push(unsynced: 0) }
            let time = puck.now + 3
            puck.state(after: 5, level: 300, daily: 1250 - 45 + 112, unsynced: 1)
            puck.start(1, 1) { puck.chunk(0, of: 1, [puck.record(4, amount: 112, level: 300, time: time)]) }
            puck.acknowledge { puck.push(unsynced: 0) }
            puck.end()
        },
        Crossing("an evaluation is on its way when DELETE is sent, and a drink follows") { puck in
            puck.begin()
            puck.state(daily: 1250, unsynced: 3)
            puck.transfer()
            puck.wait(6)
            puck.write(5, [0x12] + little(2 as UInt32), after: 0) {
                puck.state(after: 0.01, level: 430, daily: 1250)
                puck.push(unsynced: 0)
            }
            let time = puck.now + 3
            puck.state(after: 5, level: 300, daily: 1250 - 45 + 112, unsynced: 1)
            puck.start(1, 1) { puck.chunk(0, of: 1, [puck.record(4, amount: 112, level: 300, time: time)]) }
            puck.acknowledge { puck.push(unsynced: 0) }
            puck.end()
        },
        Crossing("the clock is set back between two drinks") { puck in
            // One minute ahead.
            let stored = puck.now + 55
            puck.begin(setsTime: false)
            puck.state(after: 2, daily: 145, unsynced: 1, time: puck.now + 62)
            puck.setTime()
            puck.start(1, 1) { puck.chunk(0, of: 1, [puck.record(1, amount: 45, time: stored)]) }
            puck.wait(15)
            puck.acknowledge { puck.push(unsynced: 0) }
            puck.state(after: 10, level: 400, daily: 145)
            puck.ping()
            puck.wait(20)
            puck.ping()
            let time = puck.now + 10
            puck.state(after: 15, level: 300, daily: 257, unsynced: 1)
            puck.start(1, 1) { puck.chunk(0, of: 1, [puck.record(2, amount: 112, level: 300, time: time)]) }
            puck.acknowledge { puck.push(unsynced: 0) }
            puck.end()
        },
        Crossing("the total of yesterday is smaller than the first drink of today") { puck in
            puck.hci.recording.wait(milliseconds: (12 * 3600 - 60) * 1000)
            puck.begin()
            puck.state(daily: 100)
            for _ in 0..<6 {
                puck.wait(20)
                puck.ping()
            }
            puck.state(level: 400, daily: 100)
            let time = puck.now + 8
            puck.state(after: 10, level: 200, daily: 212, unsynced: 1)
            puck.start(1, 1) { puck.chunk(0, of: 1, [puck.record(1, amount: 212, level: 200, time: time)]) }
            puck.acknowledge { puck.push(unsynced: 0) }
            puck.end()
        },
    ]

    /// The client acts before it receives the puck's value.
    static let reactions = [
        Crossing("START is sent when the puck tells that nothing is left") { puck in
            puck.begin()
            puck.state(unsynced: 3)
            puck.transfer()
            puck.start(3)
            puck.query()
            puck.end()
        },
        Crossing("unsynced records are told when a measurement begins") { puck in
            puck.begin()
            puck.state()
            puck.state(level: 300, unsynced: 1)
            puck.write(5, hex("03000000"), after: 0) {
                puck.push(unsynced: 1)
                puck.state(after: 0.4, level: 300, flags: 0x0F, unsynced: 1)
                puck.wait(4.8)
                puck.push(unsynced: 1)
            }
            puck.state(after: 0.02, level: 1, weight: -12345, flags: 0x17, unsynced: 1)
            puck.wait(10)
            puck.ping()
            puck.end()
        },
        Crossing("the display is drawn when a measurement begins", passes: "AQ-101") { puck in
            puck.begin()
            puck.state()
            puck.state(level: 300)
            puck.write(5, hex("03000000"), after: 0) {
                puck.push(unsynced: 0)
                puck.state(after: 3.2, level: 300, flags: 0x0F)
                puck.wait(2)
                puck.push(unsynced: 0)
            }
            puck.state(after: 0.02, level: 1, weight: -12345, flags: 0x17)
            puck.wait(10)
            puck.end()
        },
        Crossing("the battery is read when its level is about to be told") { puck in
            puck.begin()
            puck.notify(0x2A19, [83])
            puck.wait(60)
            puck.read(0x2A19, [82])
            puck.notify(0x2A19, [82])
            puck.end()
        },
        Crossing("an ACK out of a transfer is sent before the chunk arrives", besides: ["AQ-217"]) { puck in
            puck.begin()
            puck.state(unsynced: 3)
            puck.start(3)
            puck.query()
            puck.acknowledge()
            puck.chunk(0, of: 2, [puck.record(1), puck.record(2)])
            puck.wait(1)
            puck.end()
        },
    ]

    static let unsubscriptions = [
        Crossing("the client unsubscribes from drinks after START") { puck in
            puck.begin()
            puck.state(unsynced: 3)
            puck.start(3)
            puck.link.write(puck.configuration(4), [0, 0])
            puck.wait(6)
            puck.query()
            puck.end()
        },
        Crossing("the client unsubscribes from states after the last ACK") { puck in
            puck.begin()
            puck.state(unsynced: 1)
            puck.start(1) { puck.chunk(0, of: 1, [puck.record(1)]) }
            puck.acknowledge()
            puck.link.write(puck.configuration(1), [0, 0])
            puck.wait(11)
            puck.ping()
            puck.end()
        },
        Crossing("the client unsubscribes from states after DELETE, and waits") { puck in
            puck.begin()
            puck.state(daily: 1250, unsynced: 3)
            puck.transfer()
            puck.delete(2) { puck.push(unsynced: 0) }
            puck.link.write(puck.configuration(1), [0, 0])
            puck.wait(8)
            puck.ping()
            puck.end()
        },
        Crossing("the client unsubscribes from statistics after a request") { puck in
            puck.begin()
            puck.command(hex("30000000"))
            puck.link.write(puck.configuration(7), [0, 0])
            puck.wait(6)
            puck.ping()
            puck.end()
        },
        Crossing("the client unsubscribes amid a measurement", besides: ["AQ-231"]) { puck in
            puck.begin()
            puck.state()
            puck.write(5, hex("03000000"), after: 0) {
                puck.push(unsynced: 0)
                puck.state(after: 0.4, flags: 0x0F)
                puck.wait(4.8)
            }
            puck.link.write(puck.configuration(1), [0, 0])
            puck.wait(10)
            puck.ping()
            puck.end()
        },
    ]
}
