import PDUTestKit
import TestKit

extension RulePair {
    /// AQ-079 to AQ-088.
    static let activity: [RulePair] = [
        answer("AQ-079", "30000000") { $0 ? "17 02 00 03 00000000 0000 0000" : "17 02 00 01 00000000 0000 0000" },
        answer("AQ-080", "30000000") { $0 ? "17 02 00 01 20247F69 0000 0000" : "17 02 01 01 20247F69 0000 0000" },
        answer("AQ-081", "31000000") { ($0 ? "00 01 01 01" : "00 01 01 00") + event(0) },
        answer("AQ-082", "32000000") { ($0 ? "00 01 01 01" : "00 01 01 00") + session(0) },
        .connected("AQ-083") { puck, isBroken in
            puck.command(hex("30000000")) { puck.notify(7, hex("02 00 00 01 00000000 0000 0000")) }
            puck.command(hex("31000000")) {
                puck.faultNext()
                puck.notify(7, hex(isBroken ? "00 01 01 00" + event(0) : "00 01 02 00" + event(0) + event(1)))
            }
        },
        answer("AQ-084", "31000000") { "00 01 01 00 20247F69 2F00 \($0 ? "04" : "03") 00" },
        answer("AQ-085", "32000000") { "00 01 01 00 C0EE7D69 28230000 0100 \($0 ? "01" : "00") 00" },
        answer("AQ-086", "31000000") { "00 01 02 00" + ($0 ? event(1) + event(0) : event(0) + event(1)) },
        // A request for a missing chunk breaks a client rule.
        .connected("AQ-087", besides: ["AQ-225"]) { puck, isBroken in
            puck.command(hex("30000000")) { puck.notify(7, hex("02 00 00 01 00000000 0000 0000")) }
            puck.command(hex("31010000")) {
                guard isBroken else { return }
                puck.faultNext()
                puck.notify(7, hex("01 02 00 00"))
            }
            puck.ping()
        },
        .connected("AQ-088") { puck, isBroken in
            puck.faultNext()
            puck.command(hex("30000000")) { if !isBroken { puck.notify(7, hex("17 02 00 01 00000000 0000 0000")) } }
            puck.wait(6)
            puck.ping()
        },
    ]

    /// One answer to one command. Before a chunk, the summary announces one entry of each kind, or as many as needed.
    private static func answer(
        _ rule: String, _ command: String, _ value: @escaping @Sendable (Bool) -> String
    ) -> RulePair {
        .connected(rule) { puck, isBroken in
            let answer = hex(value(isBroken))
            if !command.hasPrefix("30") {
                puck.command(hex("30000000")) {
                    puck.notify(7, [answer[2], answer[2], 0, 1] + hex("00000000 0000 0000"))
                }
            }
            puck.command(hex(command)) {
                puck.faultNext()
                puck.notify(7, answer)
            }
        }
    }

    private static func event(_ number: UInt32) -> String { hexText(little(1_769_940_000 + number)) + "3C00 00 00" }
    private static func session(_ number: UInt32) -> String {
        hexText(little(1_769_940_000 + number)) + "28230000 0100 00 00"
    }
}
