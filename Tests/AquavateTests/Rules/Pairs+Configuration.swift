import PDUTestKit
import TestKit

extension RulePair {
    /// AQ-047 to AQ-053.
    static let configuration: [RulePair] = [
        .connected("AQ-047") { puck, isBroken in
            puck.read(2, puck.config().dropLast(isBroken ? 2 : 0) + [])
            puck.faultLast()
        },
        .connected("AQ-048") { puck, isBroken in
            puck.state()
            puck.read(2, puck.config(isBroken ? 900 : 435.96))
            puck.faultLast()
        },
        .connected("AQ-049") { puck, isBroken in
            puck.read(2, puck.config(1, tare: 0))
            puck.read(2, puck.config(1, tare: 0, goal: isBroken ? 3000 : 2500))
            puck.faultLast()
        },
        // Such a write breaks a client rule.
        .connected("AQ-050", besides: ["AQ-222"]) { puck, isBroken in
            puck.read(2, puck.config())
            puck.write(2, puck.config(50, goal: 3000))
            puck.read(2, puck.config(goal: isBroken ? 3000 : 2500))
            puck.faultLast()
        },
        .connected("AQ-051") { puck, isBroken in
            puck.read(2, puck.config())
            puck.write(2, puck.config(goal: 3000))
            puck.read(2, puck.config(tare: 270, goal: isBroken ? 2500 : 3000))
            puck.faultLast()
        },
        .connected("AQ-052") { puck, isBroken in
            puck.read(6, hex(isBroken ? "03000000" : "01000000"))
            puck.faultLast()
        },
        .connected("AQ-053") { puck, isBroken in
            puck.write(6, hex("01000000"))
            puck.read(6, hex(isBroken ? "00000000" : "01000000"))
            puck.faultLast()
        },
    ]
}
