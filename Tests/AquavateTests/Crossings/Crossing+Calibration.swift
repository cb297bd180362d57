import Bluetooth
import PDUTestKit
import TestKit

/// Calibrations that the bottle controls: AQ-092 to AQ-100.
extension Crossing {
    static let calibrations = [
        Crossing("START is sent while a calibration of the connection before goes on") { puck in
            puck.begin()
            puck.calibrate(through: 3)
            puck.end()
            puck.wait(1)
            puck.begin()
            puck.command(hex("20000000"))
            puck.wait(9)
            puck.calibration(4, after: 0)
            puck.calibration(6, after: 6)
            puck.calibration(7, after: 20)
            puck.calibration(9, after: 6)
            puck.end()
        },
        Crossing("START is sent while the bottle is calibrated unseen") { puck in
            puck.begin()
            puck.command(hex("20000000"))
            puck.wait(9)
            puck.ping()
            puck.end()
        },
        Crossing("START crosses with the begin at the bottle") { puck in
            puck.begin()
            puck.calibrate(through: 9)
            puck.wait(30)
            let readings = hex("82CD0100F9520700")
            puck.write(5, hex("20000000"), after: 0) { puck.notify(8, [1, 0] + readings + [0, 0]) }
            for (state, seconds) in [(2, 2), (3, 5), (4, 4), (6, 7)] as [(UInt8, Double)] {
                puck.wait(seconds)
                puck.notify(8, [state, 0] + readings + [0, 0])
            }
            puck.end()
        },
        Crossing("a calibration is begun at the bottle when START is about to be sent") { puck in
            puck.begin()
            puck.state()
            puck.calibration(1, after: 20)
            puck.command(hex("20000000"))
            puck.calibration(2, after: 2)
            puck.calibration(3, after: 4)
            puck.end()
        },
        Crossing("START is sent twice before it shows", passes: "AQ-092") { puck in
            puck.begin()
            puck.state()
            puck.command(hex("20000000"))
            puck.command(hex("20000000"))
            puck.calibration(1, after: 0.3)
            puck.calibration(2, after: 2)
            puck.calibration(3, after: 5)
            puck.wait(20)
            puck.ping()
            puck.end()
        },
        Crossing("CANCEL and START are taken in one pass, START first") { puck in
            puck.begin()
            puck.calibrate(through: 9)
            puck.wait(10)
            puck.command(hex("21000000"))
            puck.command(hex("20000000"))
            puck.calibration(1, after: 0.2)
            puck.calibration(0, after: 0.1)
            puck.wait(20)
            puck.ping()
            puck.end()
        },
        Crossing("CANCEL is sent twice", passes: "AQ-099") { puck in
            puck.begin()
            puck.calibrate(through: 4)
            puck.command(hex("21000000"))
            puck.wait(1)
            puck.command(hex("21000000"))
            puck.calibration(6, after: 5)
            puck.calibration(0, after: 0.2)
            puck.wait(13)
            puck.ping()
            puck.end()
        },
        Crossing("CANCEL crosses with complete", passes: "AQ-099") { puck in
            puck.begin()
            puck.calibrate(through: 7)
            puck.wait(7)
            puck.write(5, hex("21000000"), after: 0) { puck.calibration(9, after: 0) }
            puck.wait(13)
            puck.ping()
            puck.end()
        },
        Crossing("CANCEL crosses with an error") { puck in
            puck.begin()
            puck.calibrate(through: 7)
            puck.wait(7)
            puck.write(5, hex("21000000"), after: 0) { puck.calibration(10, after: 0) }
            puck.wait(13)
            puck.ping()
            puck.end()
        },
        Crossing("CANCEL crosses with the abort at the bottle") { puck in
            puck.begin()
            puck.calibrate(through: 6)
            puck.calibration(0, after: 20)
            puck.command(hex("21000000"))
            puck.wait(13)
            puck.ping()
            puck.end()
        },
        Crossing("START is refused", besides: ["AQ-021"], differs: ["AQ-405"]) { puck in
            puck.begin()
            puck.state()
            puck.refuse(5, hex("20000000"), .unlikelyError)
            puck.wait(9)
            puck.ping()
            puck.end()
        },
        Crossing("CANCEL is refused", besides: ["AQ-021"], differs: ["AQ-405"]) { puck in
            puck.begin()
            puck.calibrate(through: 3)
            puck.refuse(5, hex("21000000"), .unlikelyError)
            puck.wait(13)
            puck.calibration(4, after: 0)
            puck.calibration(6, after: 6)
            puck.end()
        },
        Crossing("the connection ends in wait_empty") { puck in
            puck.begin()
            puck.calibrate(through: 3)
            puck.end()
            puck.wait(80)
            puck.begin()
            puck.end()
        },
        Crossing("a measurement is aborted at the bottle", passes: "AQ-096") { puck in
            puck.begin()
            puck.calibrate(through: 4)
            puck.calibration(0, after: 2)
            puck.wait(3)
            puck.end()
        },
        Crossing("a measurement fails, and wait_empty begins anew", passes: "AQ-094") { puck in
            puck.begin()
            puck.calibrate(through: 3)
            for _ in 0..<3 {
                puck.calibration(4, after: 50)
                puck.calibration(3, after: 6)
            }
            puck.calibration(4, after: 50)
            puck.calibration(6, after: 6)
            puck.end()
        },
        Crossing("the first notification is an interval late", passes: "AQ-093") { puck in
            puck.begin()
            puck.hci.event(
                HCI.LEConnectionUpdateComplete(
                    status: .success, handle: puck.link.handle, interval: 400, latency: 0, supervisionTimeout: 600))
            puck.state()
            puck.command(hex("20000000"))
            puck.calibration(1, after: 1)
            puck.calibration(2, after: 0.5)
            puck.calibration(3, after: 2)
            puck.calibration(4, after: 4)
            puck.calibration(6, after: 4.5)
            puck.calibration(7, after: 4)
            puck.end()
        },
        Crossing("the client unsubscribes amid a calibration") { puck in
            puck.begin()
            puck.calibrate(through: 3)
            puck.link.write(puck.configuration(8), [0, 0])
            for _ in 0..<4 {
                puck.wait(20)
                puck.ping()
            }
            puck.link.write(puck.configuration(8), [1, 0])
            puck.calibration(0, after: 5)
            puck.end()
        },
    ]
}
