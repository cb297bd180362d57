import TestKit

extension RulePair {
    /// The rules of the dialect of the requirements.
    static let required: [RulePair] = [
        .connected("AQ-024", .prd) { puck, isBroken in
            puck.read(0x2A24, Array((isBroken ? "Puck v2" : "Puck v1").utf8))
            puck.faultLast()
        },
        .table("AQ-025", .prd, PuckLayout.writableWeight),
        .connected("AQ-074", .prd) { puck, isBroken in
            puck.read(0xF3, record(1) + (isBroken ? [0] : []))
            puck.faultLast()
        },
        .connected("AQ-075", .prd) { puck, isBroken in
            puck.read(0xF3, record(1, amount: -400, type: isBroken ? 3 : 4))
            puck.faultLast()
        },
        .connected("AQ-076", .prd) { puck, isBroken in
            puck.read(0xF3, record(1))
            puck.read(0xF3, record(1, amount: isBroken ? 60 : 45))
            puck.faultLast()
        },
        .connected("AQ-077", .prd) { puck, isBroken in
            puck.read(0xF3, record(1) + record(2))
            puck.write(0xF4, little(1 as UInt32))
            puck.read(0xF3, record(isBroken ? 1 : 2) + (isBroken ? record(2) : []))
            puck.faultLast()
        },
        .connected("AQ-078", .prd) { puck, isBroken in
            puck.read(0xF4, [2, 0])
            puck.read(0xF3, record(1) + (isBroken ? [] : record(2)))
            puck.faultLast()
        },
        // Whoever has not read has nothing delivered.
        .connected("AQ-237", .prd, implies: ["AQ-238"]) { puck, isBroken in
            if !isBroken { puck.read(0xF3, record(1)) }
            puck.faultNext()
            puck.write(0xF4, little(1 as UInt32))
        },
        .connected("AQ-238", .prd) { puck, isBroken in
            puck.read(0xF3, record(1))
            puck.faultNext()
            puck.write(0xF4, little((isBroken ? 2 : 1) as UInt32))
        },
    ]

    private static func record(_ id: UInt32, amount: Int16 = 45, type: UInt8 = 1) -> [UInt8] {
        little(id) + little(1_769_940_000 + 60 * id) + little(amount) + little(700 as Int16) + [0, type, 0, 0]
    }
}
