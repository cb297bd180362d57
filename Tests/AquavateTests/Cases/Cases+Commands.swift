import Bluetooth
import PDUTestKit
import TestKit

extension RuleCase {
    /// AQ-085: only motion ends a session (section 8.4).
    static let sessions = [
        RuleCase("AQ-085", .obeyed, "motion detected", .pass) { puck in
            puck.fetchSessions("00 00")
        },
        RuleCase("AQ-085", .broken, "still active", .broken) { puck in
            puck.fetchSessions("01 00")
        },
        RuleCase("AQ-085", .broken, "power cycle", .broken) { puck in
            puck.fetchSessions("02 00")
        },
        RuleCase("AQ-085", .broken, "a flag", .broken) { puck in
            puck.fetchSessions("00 01")
        },
        RuleCase("AQ-085", .crossing, "wake-ups come after the next request, which is for sessions", .notBroken) {
            puck in
            puck.command(hex("30000000")) { puck.notify(7, hex("01 01 00 01 00000000 0000 0000")) }
            puck.command(hex("31000000"))
            puck.command(hex("32000000"))
            // Decoded as a session, it would have a flag set.
            puck.notify(7, hex("00 01 01 00 20247F69 3C00 00 00"))
            puck.notify(7, hex("00 01 01 00 C0EE7D69 28230000 0100 00 00"))
        },
        RuleCase("AQ-085", .lost, "the request", .notBroken) { puck in
            puck.command(hex("30000000")) { puck.notify(7, hex("03 01 00 01 00000000 0000 0000")) }
            puck.command(hex("32000000")) { puck.notify(7, hex("00 01 01 00 C0EE7D69 28230000 0100 00 00")) }
            puck.miss { puck.link.request(puck.writeRequest(5, hex("31000000"))) }
            let events = (0..<3).flatMap { little(1_769_940_000 + $0 as UInt32) + hex("3C00 01 01") }
            puck.notify(7, hex("00 01 03 00") + events)
            puck.link.respond(PuckSession.writeResponse)
        },
        RuleCase("AQ-085", .refused, "the request, which is sent again", .pass) { puck in
            puck.command(hex("30000000")) { puck.notify(7, hex("00 01 00 01 00000000 0000 0000")) }
            puck.refuse(5, hex("32000000"), .unlikelyError)
            puck.command(hex("32000000")) { puck.notify(7, hex("00 01 01 00 C0EE7D69 28230000 0100 00 00")) }
        },
        RuleCase("AQ-085", .nextConnection, "still active", .broken) { puck in
            puck.fetchSessions("00 00")
            puck.end()
            puck.begin()
            puck.fetchSessions("01 00")
        },
    ]

    /// AQ-209: SET_TIME once in a connection, before START and within 5 s of discovery (sections 11.2 and 11.7).
    static let clock = [
        RuleCase("AQ-209", .obeyed, "before START", .pass) { puck in
            puck.state(unsynced: 3)
            puck.transfer()
        },
        .whole("AQ-209", .broken, "START without it", .broken) { puck in
            puck.begin(setsTime: false)
            puck.state(unsynced: 3)
            puck.faultNext()
            puck.transfer()
            puck.end()
        },
        .whole("AQ-209", .broken, "6 s after discovery", .broken) { puck in
            puck.begin(setsTime: false)
            puck.wait(6)
            puck.faultNext()
            puck.setTime()
            puck.end()
        },
        .whole("AQ-209", .broken, "none in a connection", .broken) { puck in
            puck.begin(setsTime: false)
            puck.wait(6)
            puck.end()
            puck.faultLast()
        },
        RuleCase("AQ-209", .broken, "twice", .broken) { puck in
            puck.faultNext()
            puck.setTime()
        },
        .whole("AQ-209", .crossing, "the link is lost before the client can send it", .notBroken) { puck in
            puck.begin(setsTime: false)
            puck.wait(6)
            puck.lose()
        },
        .whole("AQ-209", .lost, "SET_TIME", .notBroken) { puck in
            puck.begin(setsTime: false)
            puck.miss { puck.link.request(puck.writeRequest(5, [0x10] + little(puck.now))) }
            puck.link.respond(PuckSession.writeResponse)
            puck.state(unsynced: 3)
            puck.transfer()
            puck.end()
        },
        .whole("AQ-209", .refused, "SET_TIME, which is sent again", .pass) { puck in
            puck.begin(setsTime: false)
            puck.refuse(5, [0x10] + little(puck.now), .unlikelyError)
            puck.wait(6)
            puck.setTime()
            puck.end()
        },
        .whole("AQ-209", .refused, "SET_TIME, and START follows", .notBroken) { puck in
            puck.begin(setsTime: false)
            puck.refuse(5, [0x10] + little(puck.now), .unlikelyError)
            puck.state(unsynced: 3)
            puck.transfer()
            puck.end()
        },
        RuleCase("AQ-209", .nextConnection, "again, once", .pass) { puck in
            puck.end()
            puck.begin()
        },
        RuleCase("AQ-209", .nextConnection, "START without it", .broken) { puck in
            puck.end()
            puck.begin(setsTime: false)
            puck.state(unsynced: 3)
            puck.faultNext()
            puck.transfer()
        },
    ]
}

extension PuckSession {
    /// Fetches one backpack session with the given exit reason and flags, which break the rule.
    fileprivate func fetchSessions(_ end: String) {
        command(hex("30000000")) { notify(7, hex("00 01 00 01 00000000 0000 0000")) }
        command(hex("32000000")) {
            faultNext()
            notify(7, hex("00 01 01 00 C0EE7D69 28230000 0100 \(end)"))
        }
    }
}
