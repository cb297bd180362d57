import Bluetooth
import Bytes
import Captures
import PDUTestKit
import TestKit

/// Another client's changes between two connections, late answers, and subscriptions: AQ-048, AQ-049, AQ-053, AQ-072,
/// AQ-083 to AQ-087, AQ-204, AQ-205, AQ-210, AQ-230, AQ-237, AQ-305 and AQ-509.
extension Crossing {
    static let otherClients = [
        Crossing("another client has written to a puck without calibration") { puck in
            puck.begin()
            puck.read(2, puck.config(1, tare: 0, goal: 3000))
            puck.read(1, [UInt8](repeating: 0, count: 14))
            puck.end()
        },
        Crossing("another client has written a scale and a capacity to a puck without calibration") { puck in
            puck.begin()
            puck.read(1, [UInt8](repeating: 0, count: 14))
            puck.read(2, puck.config(435.96, tare: 271, capacity: 500, goal: 5000))
            puck.end()
        },
        Crossing("another client writes to a puck without calibration between two connections") { puck in
            puck.begin()
            puck.read(2, puck.config(1, tare: 0))
            puck.end()
            puck.wait(5)
            puck.begin()
            puck.read(2, puck.config(1, tare: 0, goal: 3000))
            puck.end()
        },
        Crossing("the bottle is calibrated between two connections", passes: "AQ-048") { puck in
            puck.begin()
            puck.read(2, puck.config(1, tare: 0))
            puck.end()
            puck.wait(40)
            puck.begin()
            puck.read(2, puck.config())
            puck.state()
            puck.end()
        },
        Crossing("a calibration has a scale that is not loaded") { puck in
            puck.begin()
            puck.state()
            puck.read(2, puck.config(1, tare: 0))
            puck.end()
        },
        Crossing("another client writes Device Settings between two connections") { puck in
            puck.begin()
            puck.write(6, hex("01000000"))
            puck.end()
            puck.wait(5)
            puck.begin()
            puck.read(6, hex("00000000"))
            puck.end()
        },
        Crossing("another client clears the history between two connections") { puck in
            puck.begin()
            puck.state(unsynced: 3)
            puck.transfer()
            puck.end()
            puck.wait(40)
            puck.begin()
            puck.state(daily: 45, unsynced: 1)
            puck.start(1, 1) { puck.chunk(0, of: 1, [puck.record(1, time: puck.now - 20)]) }
            puck.acknowledge { puck.push(unsynced: 0) }
            puck.end()
        },
    ]

    static let statistics = [
        Crossing("statistics are fetched in two connections, between which the puck wakes once more", passes: "AQ-083")
        {
            puck in
            puck.begin()
            puck.summary(motion: 11)
            puck.events(chunk: 0, of: 2, 10)
            puck.end()
            puck.wait(40)
            puck.begin()
            puck.summary(motion: 12)
            puck.events(chunk: 1, of: 2, 2)
            puck.events(chunk: 0, of: 2, 10)
            puck.end()
        },
        Crossing("a client reads Activity Stats between two chunks", passes: "AQ-083") { puck in
            puck.begin()
            puck.summary(motion: 11)
            puck.events(chunk: 0, of: 2, 10)
            puck.read(7, [0, 2, 10, 0] + puck.wakeUps(10))
            puck.events(chunk: 1, of: 2, 1)
            puck.end()
        },
        Crossing("sessions are asked for before wake-ups have come", besides: ["AQ-225"]) { puck in
            puck.begin()
            puck.summary(motion: 3, backpack: 2)
            puck.command(hex("31000000"))
            puck.command(hex("32000000"))
            puck.notify(7, [0, 1, 3, 0] + puck.wakeUps(3, kind: 1))
            puck.notify(7, [0, 1, 2, 0] + puck.sessions(2))
            puck.wait(1)
            puck.end()
        },
        Crossing("wake-ups are asked for before sessions have come", besides: ["AQ-225"]) { puck in
            puck.begin()
            puck.summary(motion: 3, backpack: 2)
            puck.command(hex("32000000"))
            puck.command(hex("31000000"))
            puck.notify(7, [0, 1, 2, 0] + puck.sessions(2))
            puck.notify(7, [0, 1, 3, 0] + puck.wakeUps(3, kind: 1))
            puck.wait(1)
            puck.end()
        },
        Crossing("a client pings before wake-ups have come", besides: ["AQ-226"]) { puck in
            puck.begin()
            puck.summary(motion: 3)
            puck.command(hex("31000000"))
            puck.ping()
            puck.notify(7, [0, 1, 3, 0] + puck.wakeUps(3, kind: 1))
            puck.wait(1)
            puck.end()
        },
        Crossing("a chunk is on its way when one is asked for that is not there", besides: ["AQ-225"]) { puck in
            puck.begin()
            puck.summary(motion: 3)
            puck.command(hex("31000000"))
            puck.command(hex("31050000"))
            puck.notify(7, [0, 1, 3, 0] + puck.wakeUps(3))
            puck.wait(1)
            puck.end()
        },
        Crossing("chunks are asked for before their number is known", besides: ["AQ-225"]) { puck in
            puck.begin()
            puck.command(hex("31010000"))
            puck.command(hex("30000000"))
            puck.notify(7, [1, 2, 1, 0] + puck.wakeUps(1))
            puck.notify(7, [11, 0, 0, 1] + hex("00000000 0000 0000"))
            puck.wait(1)
            puck.end()
        },
    ]

    static let subscriptions = [
        Crossing("a command is sent before the subscription is answered", besides: ["AQ-302"]) { puck in
            puck.begin(subscribes: [])
            puck.link.request(ATT.WriteRequest(handle: puck.configuration(8), value: [1, 0]))
            puck.link.request(ATT.WriteRequest(handle: puck.handle(5), value: hex("20000000")))
            puck.link.respond(ATT.WriteResponse())
            puck.link.respond(ATT.WriteResponse())
            puck.calibration(1, after: 0.3)
            puck.calibration(2, after: 2)
            puck.end()
        },
        Crossing("a subscription is refused before a command") { puck in
            puck.begin(subscribes: [])
            puck.link.request(ATT.WriteRequest(handle: puck.configuration(8), value: [1, 0]))
            puck.link.refuse(.writeRequest, puck.configuration(8), .insufficientResources)
            puck.command(hex("20000000"))
            puck.wait(9)
            puck.end()
        },
        Crossing("a subscription is refused before a request for statistics") { puck in
            puck.begin(subscribes: [1, 4, 8, 0x2A19])
            puck.link.request(ATT.WriteRequest(handle: puck.configuration(7), value: [1, 0]))
            puck.link.refuse(.writeRequest, puck.configuration(7), .insufficientResources)
            puck.command(hex("30000000"))
            puck.wait(3)
            puck.ping()
            puck.end()
        },
        Crossing("the puck writes to the phone's server without asking for a response") { puck in
            puck.begin()
            puck.link.carry(ATT.encode(ATT.WriteCommand(handle: puck.handle(5), value: [1])), on: .att, .received)
            puck.end()
        },
        Crossing("a command is written in parts") { puck in
            puck.begin()
            puck.link.request(ATT.PrepareWriteRequest(handle: puck.handle(5), offset: 0, value: hex("02000000")))
            puck.link.respond(ATT.PrepareWriteResponse(handle: puck.handle(5), offset: 0, value: hex("02000000")))
            puck.link.request(ATT.ExecuteWriteRequest(flags: 1))
            puck.link.respond(ATT.ExecuteWriteResponse())
            puck.end()
        },
    ]

    static let writes = [
        Crossing("SET_TIME waits behind a write that takes its time", passes: "AQ-210", besides: ["AQ-209", "AQ-303"]) {
            puck in
            puck.begin(setsTime: false)
            let time = puck.now
            puck.write(6, hex("01000000"), after: 28)
            puck.setTime(time)
            puck.end()
        },
        Crossing("the recorder had no clock") { puck in
            let time = puck.now
            puck.hci.recording.time = Timestamp(seconds: 5, nanoseconds: 0)
            puck.begin(setsTime: false)
            puck.setTime(time)
            puck.state(unsynced: 1, time: time + 6)
            puck.start(1, 1) { puck.chunk(0, of: 1, [puck.record(1)]) }
            puck.acknowledge { puck.push(unsynced: 0) }
            puck.end()
        },
        Crossing(
            "a calibration is set with readings below 0, and refused once", besides: ["AQ-021"], differs: ["AQ-405"]
        ) { puck in
            puck.begin()
            puck.state()
            let command =
                hex("04") + little(-70_000 as Int32) + little(291_847 as Int32) + little(Float(436).bitPattern)
            puck.refuse(5, command, .unlikelyError)
            puck.command(command) { puck.push(unsynced: 0) }
            puck.end()
        },
        Crossing("a read of records is answered after the acknowledgement", .prd, besides: ["AQ-302"]) {
            puck in
            puck.begin()
            puck.fetch(1, puck.pending(1))
            puck.link.request(ATT.ReadRequest(handle: puck.handle(0xF3)))
            puck.link.request(ATT.WriteRequest(handle: puck.handle(0xF4), value: little(1 as UInt32)))
            puck.link.respond(ATT.ReadResponse(value: puck.pending(1)))
            puck.link.respond(ATT.WriteResponse())
            puck.end()
        },
        Crossing("a record is acknowledged that was notified", .prd) { puck in
            puck.begin()
            puck.read(0xF4, [0, 0])
            puck.read(0xF3, [])
            puck.notify(0xF3, puck.pending(1))
            puck.write(0xF4, little(1 as UInt32))
            puck.read(0xF4, [0, 0])
            puck.end()
        },
        Crossing(
            "a short chunk that nothing asked for comes as the one before is acknowledged",
            besides: ["AQ-057", "AQ-060"], differs: ["AQ-404"]
        ) { puck in
            puck.begin()
            puck.state(unsynced: 3)
            puck.start(3) {
                puck.chunk(0, of: 2, [puck.record(1), puck.record(2)])
                puck.chunk(0, of: 2, [puck.record(1)], count: 2)
            }
            puck.acknowledge { puck.chunk(1, of: 2, [puck.record(3)]) }
            puck.acknowledge { puck.push(unsynced: 0) }
            puck.end()
        },
        Crossing("the oldest record is read when the newest overwrites it", .prd, passes: "AQ-509") { puck in
            puck.begin()
            puck.notify(0xF3, puck.pending(600))
            puck.read(0xF4, little(600 as UInt16))
            puck.link.request(ATT.ReadRequest(handle: puck.handle(0xF3)))
            puck.notify(0xF3, puck.pending(601))
            puck.link.respond(ATT.ReadResponse(value: (1...15).flatMap { puck.pending($0) }))
            puck.wait(1)
            puck.write(0xF4, little(15 as UInt32))
            puck.end()
        },
    ]

    static let faultsOfOthers = [
        Crossing("a command that the dialect prd does not have is written", .prd, besides: ["AQ-313"]) { puck in
            puck.begin()
            puck.write(0xF4, hex("7F 0000"))
            puck.end()
        },
        Crossing("Bottle Config changes by itself", besides: ["AQ-049"], differs: ["AQ-402"]) { puck in
            puck.begin()
            puck.read(2, puck.config(1, tare: 0))
            puck.read(2, puck.config(1, tare: 0, goal: 3000))
            puck.end()
        },
        Crossing("a calibrated puck reads a goal out of range before its first state", besides: ["AQ-048"]) { puck in
            puck.begin()
            puck.read(2, puck.config(goal: 5000))
            puck.state()
            puck.end()
        },
        Crossing("an ID is used twice in a connection", besides: ["AQ-072"], differs: ["AQ-404"]) { puck in
            puck.begin()
            puck.state(unsynced: 3)
            puck.start(3, 3) { puck.chunk(0, of: 1, [puck.record(1), puck.record(2), puck.record(3)]) }
            puck.query()
            puck.start(3, 3) {
                puck.chunk(0, of: 1, [puck.record(1, time: 1_769_940_061), puck.record(2), puck.record(3)])
            }
            puck.query()
            puck.end()
        },
        Crossing("a chunk that is not there is answered", besides: ["AQ-087", "AQ-225"], differs: ["AQ-407"]) { puck in
            puck.begin()
            puck.summary(motion: 3)
            puck.events(chunk: 0, of: 1, 3)
            puck.command(hex("31010000")) { puck.notify(7, [1, 2, 0, 0]) }
            puck.end()
        },
        Crossing("a cut chunk is acknowledged", besides: ["AQ-060", "AQ-305"], differs: ["AQ-404"]) { puck in
            puck.begin()
            puck.state(unsynced: 2)
            puck.start(2, 2) { puck.chunk(0, of: 1, [puck.record(1)], count: 2) }
            puck.acknowledge { puck.push(unsynced: 0) }
            puck.end()
        },
    ]
}

extension PuckSession {
    /// Requests the summary of statistics.
    fileprivate func summary(motion: UInt8, backpack: UInt8 = 0) {
        command(hex("30000000")) { notify(7, [motion, backpack, 0, 1] + hex("00000000 0000 0000")) }
    }

    /// Requests a chunk of wake events.
    fileprivate func events(chunk: UInt8, of total: UInt8, _ count: UInt8) {
        command([0x31, chunk, 0, 0]) {
            notify(7, [chunk, total, count, 0] + wakeUps(count, from: 1_769_900_000 + 1000 * UInt32(chunk)))
        }
    }

    fileprivate func wakeUps(_ count: UInt8, from time: UInt32 = 1_769_900_000, kind: UInt8 = 0) -> [UInt8] {
        (0..<UInt32(count)).flatMap { little(time + 60 * $0) + hex("0A00 00") + [kind] }
    }

    fileprivate func sessions(_ count: UInt32) -> [UInt8] {
        (0..<count).flatMap { little(1_769_800_000 + 9000 * $0) + hex("28230000 0100 00 00") }
    }

    /// Alternating drinks and refills, encoded as the PRD dialect stores them.
    func pending(_ id: UInt32) -> [UInt8] {
        let isDrink = id % 2 == 1
        return little(id) + little(1_769_900_000 + 60 * id) + little((isDrink ? 45 : -45) as Int16)
            + little((isDrink ? 655 : 700) as Int16) + [0, isDrink ? 1 : 4, 0, 0]
    }
}
