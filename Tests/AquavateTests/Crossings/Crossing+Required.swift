import Bluetooth
import PDUTestKit
import TestKit

/// The PRD dialect: records stored during a fetch, and charge levels measured between two reads.
extension Crossing {
    static let required = [
        Crossing("a drink is recorded between the number and the records", .prd) { puck in
            puck.begin()
            puck.read(0xF4, [1, 0])
            puck.read(0xF3, record(1) + record(2))
            puck.notify(0xF3, record(2))
            puck.acknowledge(2)
            puck.read(0xF4, [0, 0])
            puck.end()
        },
        Crossing("a drink is counted before it is notified", .prd, passes: "AQ-309") { puck in
            puck.begin()
            puck.fetch(1, record(1))
            puck.acknowledge(1)
            puck.read(0xF4, [1, 0])
            puck.notify(0xF3, record(2))
            puck.read(0xF3, record(2))
            puck.acknowledge(2)
            puck.read(0xF4, [0, 0])
            puck.end()
        },
        Crossing("drinks are recorded that the client does not want to be told", .prd, passes: "AQ-309") { puck in
            puck.begin(subscribes: [0xF1, 0xF5])
            puck.fetch(1, record(1))
            puck.acknowledge(1)
            puck.read(0xF4, [2, 0])
            puck.read(0xF3, record(2) + record(3))
            puck.acknowledge(3)
            puck.read(0xF4, [0, 0])
            puck.end()
        },
        Crossing("an acknowledgement is refused, and the records are read again", .prd, differs: ["AQ-414"]) { puck in
            puck.begin()
            puck.fetch(1, record(1))
            puck.refuse(0xF4, little(1 as UInt32), .unlikelyError)
            puck.read(0xF3, record(1))
            puck.acknowledge(1)
            puck.read(0xF4, [0, 0])
            puck.end()
        },
        Crossing("the connection ends before the acknowledgement", .prd) { puck in
            puck.begin()
            puck.fetch(1, record(1))
            puck.end()
            puck.wait(1)
            puck.begin()
            puck.fetch(1, record(1))
            puck.acknowledge(1)
            puck.end()
        },
        Crossing("another client fetches the records unseen", .prd) { puck in
            puck.begin()
            puck.fetch(2, record(1) + record(2))
            puck.end()
            puck.wait(40)
            puck.begin()
            puck.fetch(1, record(3))
            puck.acknowledge(3)
            puck.end()
        },
        Crossing("a drink is notified between the request for the number and its answer", .prd) { puck in
            puck.begin()
            puck.fetch(1, record(1))
            puck.acknowledge(1)
            puck.link.request(ATT.ReadRequest(handle: puck.handle(0xF4)))
            puck.notify(0xF3, record(2))
            puck.link.respond(ATT.ReadResponse(value: [0, 0]))
            puck.fetch(1, record(2))
            puck.acknowledge(2)
            puck.read(0xF4, [0, 0])
            puck.end()
        },
        Crossing("a drink is notified before an acknowledgement is answered", .prd) { puck in
            puck.begin()
            puck.fetch(1, record(1))
            puck.write(0xF4, little(1 as UInt32)) { puck.notify(0xF3, record(2)) }
            puck.fetch(1, record(2))
            puck.acknowledge(2)
            puck.read(0xF4, [0, 0])
            puck.end()
        },
        Crossing("a drink is notified while records are read", .prd) { puck in
            puck.begin()
            puck.read(0xF4, [1, 0])
            puck.link.request(ATT.ReadRequest(handle: puck.handle(0xF3)))
            puck.notify(0xF3, record(2))
            puck.link.respond(ATT.ReadResponse(value: record(1)))
            puck.acknowledge(1)
            puck.fetch(1, record(2))
            puck.acknowledge(2)
            puck.read(0xF4, [0, 0])
            puck.end()
        },
        Crossing("more records wait than one read gives, and drinks come meanwhile", .prd) { puck in
            puck.begin()
            puck.fetch(15, (1...15).flatMap { puck.pending($0) })
            puck.notify(0xF3, puck.pending(16))
            puck.write(0xF4, little(15 as UInt32))
            puck.wait(6)
            puck.read(0xF4, [2, 0])
            puck.notify(0xF3, puck.pending(17))
            puck.read(0xF3, puck.pending(16) + puck.pending(17))
            puck.write(0xF4, little(17 as UInt32))
            puck.read(0xF4, [0, 0])
            puck.end()
        },
        Crossing("drinks come that the client does not want to be told", .prd) { puck in
            puck.begin(subscribes: [0xF1, 0xF5])
            puck.fetch(1, record(1))
            puck.acknowledge(1)
            puck.wait(20)
            puck.fetch(2, record(2) + record(3))
            puck.acknowledge(3)
            puck.read(0xF4, [0, 0])
            puck.end()
        },
        Crossing("the charge is measured between two reads of it", .prd) { puck in
            puck.begin()
            puck.read(0xF5, [83, 0x0F, 0])
            puck.read(0x2A19, [70])
            puck.read(0xF5, [70, 0x0F, 0])
            puck.end()
        },
        Crossing("a record gets its time when the client sets the time", .prd) { puck in
            puck.begin()
            puck.read(0xF4, [1, 0])
            puck.read(0xF3, undated(record(1)))
            puck.write(0xF4, hex("10 40407F69"))
            puck.read(0xF4, [1, 0])
            puck.read(0xF3, record(1))
            puck.acknowledge(1)
            puck.read(0xF4, [0, 0])
            puck.end()
        },
        Crossing("a calibration moves the level without a record", .prd) { puck in
            puck.begin()
            puck.fetch(1, record(1))
            puck.acknowledge(1)
            puck.read(0xF2, hex("3E03 0F010000"))
            puck.write(0xF4, hex("20 F401"))
            puck.notify(0xF5, [83, 0x0F, 0, 2])
            puck.notify(0xF5, [83, 0x0F, 0, 9])
            puck.notify(0xF5, [83, 0x0F, 0, 0])
            puck.write(0xF4, hex("21 00"))
            puck.wait(6)
            var second = record(2)
            second.replaceSubrange(10..<12, with: little(800 as Int16))
            puck.notify(0xF3, second)
            puck.fetch(1, second)
            puck.acknowledge(2)
            puck.read(0xF4, [0, 0])
            puck.end()
        },
    ]

    /// A record with time 0.
    private static func undated(_ record: [UInt8]) -> [UInt8] {
        var record = record
        record.replaceSubrange(4..<8, with: [0, 0, 0, 0])
        return record
    }

    private static func record(_ id: UInt32) -> [UInt8] {
        let level = 745 - 45 * Int16(id)
        return little(id) + little(1_769_940_000 + 60 * id) + little(45 as Int16) + little(level) + [0, 1, 0, 0]
    }
}

extension PuckSession {
    /// Acknowledges the records up to an ID.
    fileprivate func acknowledge(_ id: UInt32) { write(0xF4, little(id)) }
}
