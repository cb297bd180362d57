import Bluetooth
import Bytes
import Captures
import PDUTestKit
import TestKit

extension RulePair {
    /// AQ-201 to AQ-211, AQ-222 to AQ-224, AQ-232, AQ-233, AQ-236, AQ-239, AQ-240.
    static let client: [RulePair] = [
        RulePair("AQ-201") { puck, isBroken in
            puck.begin(discovers: !isBroken, subscribes: [], setsTime: false)
            puck.faultNext()
            puck.ping()
            puck.end()
        },
        .connected("AQ-202") { puck, isBroken in
            puck.faultNext()
            puck.link.write(puck.configuration(1), isBroken ? [2, 0] : [1, 0])
        },
        RulePair("AQ-203") { puck, isBroken in
            puck.begin(subscribes: isBroken ? [1] : [1, 4])
            puck.state(unsynced: 3)
            puck.faultNext()
            puck.start(3)
            puck.query()
            puck.end()
        },
        RulePair("AQ-203") { puck, isBroken in
            puck.begin()
            puck.state(unsynced: 3)
            if isBroken { puck.link.write(puck.configuration(4), [0, 0]) }
            puck.faultNext()
            puck.start(3)
            puck.query()
            puck.end()
        },
        RulePair("AQ-204") { puck, isBroken in
            puck.begin(subscribes: isBroken ? [] : [8])
            puck.faultNext()
            puck.command(hex("20000000"))
            if !isBroken {
                puck.calibration(1, after: 0.3)
                puck.calibration(2, after: 2)
            }
            puck.end()
        },
        .connected("AQ-205") { puck, isBroken in
            puck.faultNext()
            if isBroken { puck.link.writeCommand(puck.handle(5), hex("02000000")) } else { puck.ping() }
        },
        command("AQ-206") { $0 ? "020000" : "02000000" },
        command("AQ-207") { $0 ? "07000000" : "02000000" },
        command("AQ-208") { $0 ? "02000100" : "02000000" },
        RulePair("AQ-209") { puck, isBroken in
            puck.begin(setsTime: !isBroken)
            puck.state(unsynced: 3)
            puck.faultNext()
            puck.transfer()
            puck.end()
        },
        RulePair("AQ-210") { puck, isBroken in
            puck.begin(setsTime: false)
            puck.faultNext()
            puck.setTime(puck.now + (isBroken ? 3600 : 0))
            puck.end()
        },
        .connected("AQ-211") { puck, isBroken in
            puck.readStatus(3)
            puck.faultNext()
            puck.write(3, hex("\(isBroken ? "0100" : "0000") 0300 01 00 0200")) {
                puck.chunk(0, of: 2, [puck.record(1), puck.record(2)])
            }
            puck.query()
        },
        .connected("AQ-222") { puck, isBroken in
            puck.read(2, puck.config())
            puck.faultNext()
            puck.write(2, puck.config(tare: isBroken ? 300 : 271, goal: 3000))
        },
        .connected("AQ-223") { puck, isBroken in
            puck.read(2, puck.config())
            puck.faultNext()
            puck.write(2, puck.config(goal: isBroken ? 2500 : 3000))
        },
        .connected("AQ-224") { puck, isBroken in
            puck.faultNext()
            puck.write(6, hex(isBroken ? "03000000" : "01000000"))
        },
        RulePair("AQ-232") { puck, isBroken in
            puck.begin()
            for _ in 0..<2 {
                puck.ping()
                puck.wait(isBroken ? 28 : 20)
            }
            puck.faultNext()
            puck.ping()
            puck.wait(isBroken ? 31 : 5)
            if isBroken { puck.lose() } else { puck.end() }
        },
        RulePair("AQ-233") { puck, isBroken in
            puck.begin()
            puck.wait(isBroken ? 70 : 50)
            puck.faultNext()
            puck.end()
        },
        RulePair("AQ-236") { puck, isBroken in
            puck.begin()
            puck.ping()
            puck.wait(isBroken ? 0 : 30)
            let link = puck.link
            // The link is lost and restored at once, three times.
            link.disconnect(reason: .connectionTimeout)
            puck.wait(2)
            for _ in 0..<2 {
                puck.connect()
                puck.lose()
                puck.wait(isBroken ? 0.1 : 2)
            }
            puck.wait(isBroken ? 0.3 : 2)
            puck.faultNext()
            puck.connect()
            puck.end()
        },
        RulePair("AQ-239") { puck, isBroken in
            puck.begin(mtu: isBroken ? 0 : 517)
            puck.state(unsynced: 1)
            puck.faultNext()
            puck.start(1, 1) { puck.chunk(0, of: 1, [puck.record(1)]) }
            puck.acknowledge { puck.push(unsynced: 0) }
            puck.end()
        },
        .connected("AQ-240") { puck, isBroken in
            guard isBroken else { return }
            puck.faultNext()
            puck.link.carry(hex("01 03 00 01 10 07 07"), on: .smp, .sent)
        },
    ]

    /// A pair that differs in one command.
    private static func command(_ rule: String, _ bytes: @escaping @Sendable (Bool) -> String) -> RulePair {
        .connected(rule) { puck, isBroken in
            puck.faultNext()
            puck.command(hex(bytes(isBroken)))
        }
    }
}
