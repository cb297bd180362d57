import TestKit

extension RulePair {
    /// AQ-054 to AQ-062, AQ-069 to AQ-073.
    static let sync: [RulePair] = [
        .connected("AQ-054") { puck, isBroken in
            puck.readStatus(0, chunkSize: isBroken ? 21 : 20)
            puck.faultLast()
        },
        // The protocol does not define this status.
        .connected("AQ-055", implies: ["AQ-054"]) { puck, isBroken in
            puck.readStatus(0, isBroken ? 2 : 0)
            puck.faultLast()
        },
        .connected("AQ-056") { puck, isBroken in
            puck.state(unsynced: 3)
            puck.readStatus(isBroken ? 5 : 3)
            puck.faultLast()
        },
        .connected("AQ-057") { puck, isBroken in
            puck.state(unsynced: 3)
            puck.faultNext()
            if isBroken {
                puck.start(3)
                puck.wait(6)
                puck.query()
            } else {
                puck.transfer()
            }
        },
        .connected("AQ-058") { puck, isBroken in
            puck.state(unsynced: 6)
            puck.start(6) { puck.chunk(0, of: 3, [puck.record(1), puck.record(2)]) }
            puck.acknowledge {
                puck.faultNext()
                puck.chunk(isBroken ? 0 : 1, of: 3, [puck.record(3), puck.record(4)])
            }
            puck.query()
        },
        .connected("AQ-059") { puck, isBroken in
            puck.state(unsynced: 3)
            if isBroken {
                puck.faultNext()
                puck.chunk(0, of: 2, [puck.record(1), puck.record(2)])
            }
            puck.transfer()
        },
        .connected("AQ-060", besides: []) { puck, isBroken in
            puck.state(unsynced: 2)
            puck.start(2) {
                puck.faultNext()
                let record = puck.record(2)
                puck.chunk(0, of: 1, [puck.record(1), isBroken ? Array(record.dropLast()) : record])
            }
            puck.query()
        },
        .connected("AQ-061") { puck, isBroken in
            puck.state(unsynced: 6)
            puck.start(6) { puck.chunk(0, of: 3, [puck.record(1), puck.record(2)]) }
            puck.acknowledge {
                puck.faultNext()
                puck.chunk(1, of: isBroken ? 4 : 3, [puck.record(3), puck.record(4)])
            }
            puck.query()
        },
        .connected("AQ-062") { puck, isBroken in
            puck.state(unsynced: 6)
            puck.start(6) {
                puck.faultNext()
                puck.chunk(0, of: 3, isBroken ? [puck.record(1)] : [puck.record(1), puck.record(2)])
            }
            puck.query()
        },
        .connected("AQ-062") { puck, isBroken in
            puck.state(unsynced: 3)
            puck.start(3) { puck.chunk(0, of: 2, [puck.record(1), puck.record(2)]) }
            puck.acknowledge {
                puck.faultNext()
                puck.chunk(1, of: 2, isBroken ? [] : [puck.record(3)])
            }
            puck.query()
        },
        .connected("AQ-069") { puck, isBroken in
            puck.readStatus(3)
            puck.start(3) { puck.chunk(0, of: 2, [puck.record(1), puck.record(2)]) }
            puck.query()
            puck.readStatus(isBroken ? 1 : 3)
            puck.faultLast()
        },
        // An acknowledgement outside a transfer breaks a client rule.
        .connected("AQ-070", besides: ["AQ-214"]) { puck, isBroken in
            puck.readStatus(0)
            puck.acknowledge {
                guard isBroken else { return }
                puck.faultNext()
                puck.chunk(0, of: 1, [puck.record(1)])
            }
        },
        .connected("AQ-073") { puck, isBroken in
            puck.readStatus(3)
            puck.start(3) { puck.chunk(0, of: 2, [puck.record(1), puck.record(2)]) }
            puck.query()
            puck.readStatus(3, isBroken ? 1 : 0)
            puck.faultLast()
        },
    ]

    /// AQ-063 to AQ-068, AQ-071, AQ-072, AQ-308 and AQ-310.
    static let records: [RulePair] = [
        record("AQ-063") { [$0.record(2), $0.record($1 ? 2 : 3)] },
        record("AQ-064") { [$0.record(1), $0.record(2, amount: 99, type: $1 ? 1 : 0)] },
        record("AQ-065") { [$0.record(1), $0.record(2, amount: $1 ? 1101 : 1100)] },
        record("AQ-066") { [$0.record(1), $0.record(2, level: $1 ? -51 : -50)] },
        record("AQ-067") { [$0.record(1), $0.record(2, flags: $1 ? 1 : 0)] },
        record("AQ-068") { [$0.record(1), $0.record(2, time: 1_769_940_060 - ($1 ? 1 : 0))] },
        .connected("AQ-071") { puck, isBroken in
            puck.state(unsynced: 3)
            if isBroken {
                puck.transfer(leaving: 0)
            } else {
                puck.start(3) { puck.chunk(0, of: 2, [puck.record(1), puck.record(2)]) }
                puck.query()
            }
            puck.state(level: 300, unsynced: isBroken ? 1 : 3)
            puck.start(1) {
                puck.faultNext()
                puck.chunk(0, of: 1, [puck.record(1)])
            }
            puck.query()
        },
        .connected("AQ-072") { puck, isBroken in
            puck.state(unsynced: 3)
            puck.start(3) { puck.chunk(0, of: 2, [puck.record(1), puck.record(2)]) }
            puck.query()
            puck.start(3) {
                puck.faultNext()
                puck.chunk(0, of: 2, [puck.record(1, time: isBroken ? 1_769_940_061 : nil), puck.record(2)])
            }
            puck.query()
        },
        record("AQ-308") { [$0.record(1), $0.record(2, time: $0.now + ($1 ? 300 : 0))] },
        .connected("AQ-310") { puck, isBroken in
            puck.state(unsynced: 3)
            puck.start(3) { puck.chunk(0, of: 2, [puck.record(1), puck.record(2)]) }
            puck.query()
            puck.start(3) {
                puck.faultNext()
                puck.chunk(0, of: 2, [puck.record(1, amount: isBroken ? 46 : 45), puck.record(2)])
            }
            puck.query()
        },
    ]

    /// A pair that differs in one chunk of two records.
    private static func record(
        _ rule: String, _ records: @escaping @Sendable (PuckSession, Bool) -> [[UInt8]]
    ) -> RulePair {
        .connected(rule) { puck, isBroken in
            puck.state(unsynced: 2)
            puck.start(2) {
                puck.faultNext()
                puck.chunk(0, of: 1, records(puck, isBroken))
            }
            puck.acknowledge { puck.push(unsynced: 0) }
        }
    }
}
