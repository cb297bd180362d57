import TestKit

extension RulePair {
    /// AQ-031 to AQ-046, AQ-102 and AQ-109.
    static let currentState: [RulePair] = [
        .connected("AQ-031") { puck, isBroken in
            puck.faultNext()
            puck.notify(1, puck.stateBytes().dropLast(isBroken ? 1 : 0) + [])
        },
        value("AQ-032") { $0.state(flags: $1 ? 0x47 : 0x07) },
        value("AQ-033") { $0.state(level: 0, flags: $1 ? 0x1F : 0x17) },
        value("AQ-034") { $0.state(battery: $1 ? 101 : 100) },
        value("AQ-035") { $0.state(level: $1 ? 412 : 0, flags: 0x05) },
        value("AQ-036") { $0.state(level: 412, weight: $1 ? 512 : 412) },
        value("AQ-037") { $0.state(battery: $1 ? 24 : 25) },
        value("AQ-038") { $0.state(time: $1 ? $0.now + 900 : $0.now) },
        .connected("AQ-039") { puck, isBroken in
            puck.state()
            puck.wait(6)
            puck.faultNext()
            puck.state(after: 0, level: isBroken ? 413 : 453)
        },
        .connected("AQ-040") { puck, isBroken in
            puck.state()
            puck.wait(isBroken ? 2 : 5)
            puck.faultNext()
            puck.state(after: 0, level: 300)
        },
        .connected("AQ-041") { puck, isBroken in
            puck.state(unsynced: 3)
            puck.transfer()
            puck.faultNext()
            puck.delete(1) { if !isBroken { puck.push(unsynced: 0) } }
            puck.wait(6)
            puck.ping()
        },
        .connected("AQ-042") { puck, isBroken in
            puck.state(unsynced: 3)
            puck.start(3) { puck.chunk(0, of: 2, [puck.record(1), puck.record(2)]) }
            puck.acknowledge { puck.chunk(1, of: 2, [puck.record(3)]) }
            puck.acknowledge {
                puck.faultNext()
                puck.push(unsynced: isBroken ? 1 : 0)
            }
        },
        value("AQ-043") { $0.state(unsynced: $1 ? 601 : 600) },
        .connected("AQ-044") { puck, isBroken in
            puck.state()
            puck.wait(6)
            puck.faultNext()
            puck.state(after: 0, level: 300, flags: isBroken ? 0x03 : 0x07)
        },
        .connected("AQ-045") { puck, isBroken in
            puck.state()
            puck.wait(6)
            puck.faultNext()
            puck.state(after: 0, level: 300, daily: isBroken ? 1200 : 1362)
        },
        .connected("AQ-046") { puck, isBroken in
            puck.state(daily: 1250, unsynced: 0)
            puck.wait(3)
            let time = puck.now
            puck.wait(3)
            puck.faultNext()
            puck.state(after: 0, level: 300, daily: isBroken ? 1350 : 1362, unsynced: 1)
            puck.start(1, 1) { puck.chunk(0, of: 1, [puck.record(1, amount: 112, level: 300, time: time)]) }
            puck.acknowledge { puck.push(unsynced: 0) }
        },
        .connected("AQ-109") { puck, isBroken in
            puck.state(daily: 1250, unsynced: 3)
            puck.transfer()
            puck.delete(2) { puck.push(unsynced: 0) }
            puck.wait(4)
            puck.faultNext()
            puck.state(after: 0, level: 300, daily: isBroken ? 1250 : 1205)
        },
        RulePair("AQ-102") { puck, isBroken in
            puck.begin()
            puck.state(level: 0, flags: 0x17)
            puck.end()
            puck.begin()
            puck.wait(6)
            puck.faultNext()
            puck.state(after: 0, level: 0, flags: isBroken ? 0x17 : 0x07)
            puck.end()
        },
    ]

    /// A pair that differs in one notification of Current State.
    private static func value(_ rule: String, _ emit: @escaping @Sendable (PuckSession, Bool) -> Void) -> RulePair {
        .connected(rule) { puck, isBroken in
            puck.faultNext()
            emit(puck, isBroken)
        }
    }
}
