import Bluetooth
import PDUTestKit
import TestKit

/// Links that are lost, restored, kept open or left idle: AQ-103, AQ-228, AQ-232, AQ-233 and AQ-236.
extension Crossing {
    static let outOfReach = [
        Crossing("the phone is out of reach for less time than the puck stays awake", besides: ["AQ-311"]) { puck in
            puck.begin()
            puck.state()
            puck.ping()
            puck.wait(12)
            puck.lose()
            puck.wait(15)
            let bytes = puck.stateBytes(412, nil, 1250, 83, 7, 0, puck.now - 27)
            puck.begin()
            puck.read(1, bytes)
            puck.end()
        },
        Crossing("the phone is out of reach, and the puck sleeps and wakes meanwhile", besides: ["AQ-311"]) { puck in
            puck.begin()
            puck.state()
            puck.ping()
            puck.wait(12)
            puck.lose()
            puck.wait(40)
            puck.begin()
            puck.read(1, [UInt8](repeating: 0, count: 14))
            puck.end()
        },
        Crossing("the phone is out of reach for a while and does not come back", besides: ["AQ-311"]) { puck in
            puck.begin()
            puck.state()
            puck.ping()
            puck.wait(12)
            puck.lose()
            puck.wait(20)
            puck.advertise()
        },
        Crossing("a standing request connects as soon as the puck is heard") { puck in
            puck.begin()
            puck.ping()
            puck.wait(30)
            puck.lose()
            puck.wait(2)
            puck.connect()
            puck.lose()
            puck.wait(0.3)
            puck.begin()
            puck.end()
        },
    ]

    static let idle = [
        Crossing("the user cancels a calibration after a minute") { puck in
            puck.begin()
            puck.calibrate(through: 6)
            puck.wait(60)
            puck.command(hex("21000000")) { puck.calibration(0, after: 0.1) }
            puck.end()
        },
        Crossing("the user cancels two calibrations after a minute or so") { puck in
            puck.begin()
            for seconds in [58.5, 61] {
                puck.calibrate(through: 6)
                puck.wait(seconds)
                puck.command(hex("21000000")) { puck.calibration(0, after: 0.1) }
                puck.wait(4)
            }
            puck.end()
        },
        Crossing("the user leaves a calibration after a minute") { puck in
            puck.begin()
            puck.calibrate(through: 6)
            puck.wait(60)
            puck.end()
        },
        Crossing("the client holds a link no longer, and the puck sleeps") { puck in
            puck.begin()
            for _ in 0..<3 {
                puck.ping()
                puck.wait(20)
            }
            puck.wait(11)
            puck.lose()
        },
        Crossing("a link is lost for a supervision timeout before it shows", besides: ["AQ-311"]) { puck in
            puck.begin()
            puck.setSupervisionTimeout(10)
            for _ in 0..<3 {
                puck.ping()
                puck.wait(24.5)
            }
            puck.ping()
            puck.wait(28)
            puck.lose()
        },
        Crossing("a refresh is a single PING, after which the link is left to the puck") { puck in
            puck.begin()
            puck.ping()
            puck.wait(36)
            puck.lose()
        },
        Crossing("the client ends a link that the puck has left") { puck in
            puck.begin()
            puck.setSupervisionTimeout(10)
            puck.wait(68)
            puck.end()
        },
        Crossing("a calibration that the client does not watch takes longer than a link is idle") { puck in
            puck.begin()
            puck.calibrate(through: 6)
            puck.calibration(7, after: 110)
            puck.calibration(9, after: 7)
            puck.end()
        },
    ]

    static let faultsOfLinks = [
        Crossing("the puck has begun anew 15 s after the last data activity", besides: ["AQ-103"]) { puck in
            puck.begin()
            puck.state()
            puck.ping()
            puck.wait(12)
            puck.lose()
            puck.wait(3)
            puck.begin()
            puck.read(1, [UInt8](repeating: 0, count: 14))
            puck.end()
        },
        Crossing("a client connects three times in a second", besides: ["AQ-236"]) { puck in
            puck.begin()
            puck.ping()
            puck.wait(30)
            puck.lose()
            for _ in 0..<2 {
                puck.connect()
                puck.lose()
                puck.wait(0.3)
            }
            puck.begin()
            puck.end()
        },
        Crossing("a client gives up two calibrations after the same time", besides: ["AQ-228"]) { puck in
            puck.begin()
            for _ in 0..<2 {
                puck.calibrate(through: 6)
                puck.wait(60)
                puck.command(hex("21000000")) { puck.calibration(0, after: 0.1) }
                puck.wait(4)
            }
            puck.end()
        },
        Crossing("a client pings every 28 s until the puck sleeps", besides: ["AQ-232"]) { puck in
            puck.begin()
            for _ in 0..<3 {
                puck.ping()
                puck.wait(28)
            }
            puck.wait(3)
            puck.lose()
        },
        Crossing("a client leaves an idle link open", besides: ["AQ-233"]) { puck in
            puck.begin()
            puck.setSupervisionTimeout(10)
            puck.wait(78)
            puck.end()
        },
    ]
}

extension PuckSession {
    /// Sets the supervision timeout, in seconds.
    func setSupervisionTimeout(_ seconds: UInt16) {
        hci.event(
            HCI.LEConnectionUpdateComplete(
                status: .success, handle: link.handle, interval: 24, latency: 0, supervisionTimeout: seconds * 100))
    }
}
