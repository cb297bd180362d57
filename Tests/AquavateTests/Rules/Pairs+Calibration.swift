import PDUTestKit
import TestKit

extension RulePair {
    /// AQ-089 to AQ-101.
    static let calibration: [RulePair] = [
        .connected("AQ-089") { puck, isBroken in
            puck.command(hex("20000000"))
            puck.wait(0.3)
            puck.faultNext()
            puck.notify(8, hex("01 \(isBroken ? "01" : "00") 00000000 00000000 0000"))
        },
        // No transition leads to these states.
        .connected("AQ-090", implies: ["AQ-091"]) { puck, isBroken in
            puck.calibrate(through: 4)
            puck.wait(6)
            puck.faultNext()
            puck.calibration(isBroken ? 5 : 6, after: 0)
        },
        .connected("AQ-091") { puck, isBroken in
            puck.calibrate(through: 3)
            puck.wait(4)
            puck.faultNext()
            puck.calibration(isBroken ? 6 : 4, after: 0)
        },
        .connected("AQ-092") { puck, isBroken in
            puck.state()
            puck.faultNext()
            if isBroken {
                puck.command(hex("20000000"))
            } else {
                puck.calibrate(through: 2)
            }
            puck.wait(9)
            puck.ping()
        },
        .connected("AQ-093") { puck, isBroken in
            puck.calibrate(through: 2)
            puck.wait(isBroken ? 0.5 : 3)
            puck.faultNext()
            puck.calibration(3, after: 0)
        },
        .connected("AQ-094") { puck, isBroken in
            puck.calibrate(through: 2)
            puck.wait(3)
            puck.faultNext()
            puck.calibration(3, after: 0)
            puck.wait(isBroken ? 80 : 60)
            puck.calibration(10, after: 0)
        },
        .connected("AQ-095") { puck, isBroken in
            puck.calibrate(through: 6)
            puck.wait(isBroken ? 2 : 6)
            puck.faultNext()
            puck.calibration(7, after: 0)
        },
        .connected("AQ-096") { puck, isBroken in
            puck.calibrate(through: 4)
            puck.wait(isBroken ? 1 : 6)
            puck.faultNext()
            puck.calibration(6, after: 0)
        },
        .connected("AQ-097") { puck, isBroken in
            puck.calibrate(through: 7)
            puck.wait(7)
            puck.faultNext()
            puck.notify(8, hex(isBroken ? "09 00 F9520700 82CD0100 0000" : "09 00 82CD0100 F9520700 0000"))
        },
        .connected("AQ-098") { puck, isBroken in
            puck.state()
            puck.command(hex("20000000"))
            puck.wait(0.3)
            puck.faultNext()
            puck.notify(8, hex("01 00 \(isBroken ? "82CD0100" : "00000000") 00000000 0000"))
        },
        .connected("AQ-099") { puck, isBroken in
            puck.calibrate(through: 3)
            puck.faultNext()
            puck.command(hex("21000000"))
            if !isBroken { puck.calibration(0, after: 1) }
            puck.wait(13)
            puck.ping()
        },
        // The state machine has no such transition either.
        .connected("AQ-100", implies: ["AQ-091"]) { puck, isBroken in
            puck.calibrate(through: 9)
            puck.wait(4)
            guard isBroken else { return }
            puck.faultNext()
            puck.calibration(0, after: 0)
        },
        .connected("AQ-101") { puck, isBroken in
            puck.state()
            puck.faultNext()
            puck.write(5, hex("03000000"), after: 5) {
                puck.push(unsynced: 0)
                if !isBroken { puck.state(after: 0.5, flags: 0x0F) }
            }
            puck.state(after: 0.6, level: 6, weight: 0, flags: 0x17)
            puck.wait(10)
            puck.ping()
        },
    ]

    /// AQ-103, AQ-104 and AQ-311.
    static let timers: [RulePair] = [
        RulePair("AQ-103") { puck, isBroken in
            puck.begin()
            puck.state()
            puck.ping()
            puck.wait(isBroken ? 12 : 32)
            puck.lose()
            puck.wait(3)
            puck.begin()
            puck.read(1, [UInt8](repeating: 0, count: 14))
            puck.faultLast()
            puck.end()
        },
        .connected("AQ-104") { puck, isBroken in
            puck.state()
            puck.ping()
            if isBroken {
                puck.wait(45)
                puck.read(0x2A19, [83])
                puck.faultLast()
            } else {
                puck.wait(31)
                puck.lose()
                puck.connect()
            }
        },
        RulePair("AQ-311") { puck, isBroken in
            puck.begin()
            puck.ping()
            puck.wait(12)
            puck.faultNext()
            if isBroken { puck.lose() } else { puck.end() }
            puck.wait(1)
            puck.advertise()
        },
    ]
}
