import Bluetooth
import Captures
import PDUTestKit
import TestKit

/// Requests that the puck refuses, some of which the client repeats, and late requests.
extension Crossing {
    static let refusals = [
        refused("SET_TIME is refused, and sent again", "AQ-405") { puck in
            puck.begin(setsTime: false)
            puck.refuse(5, [0x10] + little(puck.now), .unlikelyError)
            puck.wait(6)
            puck.setTime()
            puck.state(unsynced: 3)
            puck.transfer()
            puck.end()
        },
        refused("DELETE is refused, and sent again", "AQ-405") { puck in
            puck.begin()
            puck.state(daily: 1250, unsynced: 3)
            puck.transfer()
            puck.refuse(5, [0x12, 1, 0, 0, 0], .unlikelyError)
            puck.delete(1) { puck.push(unsynced: 0) }
            puck.state(after: 5, daily: 1205)
            puck.end()
        },
        refused("START is refused, and sent again", "AQ-403") { puck in
            puck.begin()
            puck.state(unsynced: 3)
            puck.refuse(3, hex("0000 0300 01 00 0200"), .unlikelyError)
            puck.transfer()
            puck.end()
        },
        refused("the last ACK is refused, and sent again", "AQ-403") { puck in
            puck.begin()
            puck.state(unsynced: 1)
            puck.start(1) { puck.chunk(0, of: 1, [puck.record(1)]) }
            puck.refuse(3, hex("0000000002000000"), .unlikelyError)
            puck.acknowledge { puck.push(unsynced: 0) }
            puck.end()
        },
        refused("the last ACK is refused, and the records are fetched again", "AQ-403") { puck in
            puck.begin()
            puck.state(unsynced: 1)
            puck.start(1) { puck.chunk(0, of: 1, [puck.record(1)]) }
            puck.refuse(3, hex("0000000002000000"), .unlikelyError)
            puck.query()
            puck.start(1) { puck.chunk(0, of: 1, [puck.record(1)]) }
            puck.acknowledge { puck.push(unsynced: 0) }
            puck.end()
        },
        refused("QUERY is refused, and the transfer goes on", "AQ-403") { puck in
            puck.begin()
            puck.state(unsynced: 3)
            puck.start(3) { puck.chunk(0, of: 2, [puck.record(1), puck.record(2)]) }
            puck.refuse(3, [UInt8](repeating: 0, count: 8), .unlikelyError)
            puck.acknowledge { puck.chunk(1, of: 2, [puck.record(3)]) }
            puck.acknowledge { puck.push(unsynced: 0) }
            puck.end()
        },
        refused("a request for statistics is refused, and others follow", "AQ-405") { puck in
            puck.begin()
            puck.refuse(5, hex("30000000"), .unlikelyError)
            puck.ping()
            puck.command(hex("30000000")) { puck.notify(7, hex("02 00 00 01 00000000 0000 0000")) }
            puck.end()
        },
        Crossing("0x03 is refused, and another request follows", besides: ["AQ-021"]) { puck in
            puck.begin()
            puck.state()
            puck.refuse(5, hex("03000000"), .unlikelyError)
            puck.ping()
            puck.end()
        },
        refused("Bottle Config is refused, and written again", "AQ-402") { puck in
            puck.begin()
            puck.read(2, puck.config())
            puck.refuse(2, puck.config(goal: 3000), .unlikelyError)
            puck.write(2, puck.config(goal: 3000))
            puck.read(2, puck.config(tare: 270, goal: 3000))
            puck.end()
        },
        Crossing("the client unsubscribes from statistics, and pings") { puck in
            puck.begin()
            puck.command(hex("30000000"))
            puck.link.write(puck.configuration(7), [0, 0])
            puck.ping()
            puck.end()
        },
        Crossing("the link is lost before the client can set the time") { puck in
            puck.begin(setsTime: false)
            puck.link.request(ATT.ReadRequest(handle: puck.handle(2)))
            puck.wait(6)
            puck.lose()
        },
        Crossing("the link is lost after a request, which shows 6 s later", besides: ["AQ-311"]) { puck in
            puck.begin()
            puck.setSupervisionTimeout(6)
            puck.command(hex("30000000"))
            puck.wait(6)
            puck.lose()
        },
        Crossing("the exchange of the MTU is refused") { puck in
            puck.advertise()
            puck.connect()
            puck.link.request(ATT.ExchangeMTURequest(clientRxMTU: 517))
            puck.link.refuse(.exchangeMTURequest, 0, .requestNotSupported)
            puck.link.discover(puck.layout)
            for number in [1, 4] as [UInt16] { puck.link.subscribe(puck.configuration(number)) }
            puck.setTime()
            puck.state(unsynced: 1)
            puck.start(1, 1) { puck.chunk(0, of: 1, [puck.record(1)]) }
            puck.acknowledge { puck.push(unsynced: 0) }
            puck.end()
        },
        Crossing("the puck asks for security, and the client pairs", besides: ["AQ-013"]) { puck in
            puck.begin()
            puck.link.carry(hex("0B 01"), on: .smp, .received)
            puck.link.carry(hex("01 03 00 01 10 07 07"), on: .smp, .sent)
            puck.end()
        },
        Crossing("a calibration is started anew a minute after the last one") { puck in
            puck.begin()
            puck.calibrate(through: 9)
            for _ in 0..<3 {
                puck.wait(19)
                puck.ping()
            }
            puck.command(hex("20000000"))
            puck.calibration(1, after: 5)
            puck.calibration(2, after: 2)
            puck.calibration(3, after: 5)
            puck.end()
        },
        Crossing("the client cancels, and ends the connection before it shows") { puck in
            puck.begin()
            puck.calibrate(through: 6)
            puck.wait(55)
            puck.command(hex("21000000"))
            puck.wait(4)
            puck.end()
        },
    ]

    /// A refusal breaks AQ-021 and differs from the twin.
    private static func refused(
        _ title: String, _ rule: String, _ script: @escaping @Sendable (PuckSession) -> Void
    ) -> Crossing {
        Crossing(title, besides: ["AQ-021"], differs: [rule], script)
    }
}
