import Bluetooth
import Bytes
import PDUTestKit
import TestKit

extension RulePair {
    /// The rules that only the PRD dialect has.
    static let required: [RulePair] = [
        .connected("AQ-024", .prd) { puck, isBroken in
            puck.read(0x2A24, Array((isBroken ? "Puck v2" : "Puck v1").utf8))
            puck.faultLast()
        },
        .table("AQ-025", .prd, PuckLayout.writableWeight) { $0.declaration(of: PuckLayout.bottle(0xF1, .prd)) },
        fetching("AQ-074") { record(1) + ($0 ? [0] : []) },
        fetching("AQ-075") { record(1, amount: -400, type: $0 ? 3 : 4) },
        .connected("AQ-076", .prd) { puck, isBroken in
            puck.fetch(1, record(1))
            puck.read(0xF3, record(1, amount: isBroken ? 40 : 45))
            puck.faultLast()
        },
        .connected("AQ-077", .prd) { puck, isBroken in
            puck.fetch(2, record(1) + record(2))
            puck.write(0xF4, little(1 as UInt32))
            puck.read(0xF3, record(isBroken ? 1 : 2) + (isBroken ? record(2) : []))
            puck.faultLast()
        },
        .connected("AQ-078", .prd) { puck, isBroken in
            puck.fetch(2, record(1) + (isBroken ? [] : record(2)))
            puck.faultLast()
        },
        // A client that has not read Drink History has not received any records.
        .connected("AQ-237", .prd, implies: ["AQ-238"]) { puck, isBroken in
            if !isBroken { puck.fetch(1, record(1)) }
            puck.faultNext()
            puck.write(0xF4, little(1 as UInt32))
        },
        .connected("AQ-238", .prd) { puck, isBroken in
            puck.fetch(1, record(1))
            puck.faultNext()
            puck.write(0xF4, little((isBroken ? 2 : 1) as UInt32))
        },
        .connected("AQ-501", .prd) { puck, isBroken in
            puck.read(0x2A25, Array((isBroken ? "not a MAC at all!" : "24:0a:c4:12:a3:f2").utf8))
            puck.faultLast()
        },
        .connected("AQ-502", .prd) { puck, isBroken in
            puck.read(0xF4, little(UInt16(isBroken ? 601 : 600)))
            puck.faultLast()
        },
        fetching("AQ-503") { record(1, isSynced: $0) },
        fetching("AQ-504") { record(1, level: $0 ? -500 : 830) },
        .connected("AQ-505", .prd) { puck, isBroken in
            puck.read(0xF2, hex("3E03 0F010000"))
            puck.fetch(1, record(1, amount: isBroken ? 1500 : 830, level: 0, type: 3))
            puck.faultLast()
        },
        fetching("AQ-506", 2) { record(1, level: 700) + record(2, level: $0 ? 690 : 655) },
        fetching("AQ-507") { record(1, amount: 60, type: $0 ? 1 : 2) },
        fetching("AQ-508", 2) { $0 ? record(2) + record(1) : record(1) + record(2) },
        .connected("AQ-509", .prd) { puck, isBroken in
            puck.notify(0xF3, record(700))
            puck.fetch(1, record(isBroken ? 100 : 101))
            puck.faultLast()
        },
        .connected("AQ-510", .prd) { puck, isBroken in
            puck.read(0xF4, [2, 0])
            puck.read(0xF4, [isBroken ? 1 : 2, 0])
            puck.faultLast()
        },
        .connected("AQ-511", .prd) { puck, isBroken in
            // A single read could fall between two measurements.
            puck.read(0xF5, [isBroken ? 60 : 83, 0x0F, 0])
            puck.read(0x2A19, [83])
            puck.read(0xF5, [isBroken ? 60 : 83, 0x0F, 0])
            puck.faultLast()
        },
        .connected("AQ-512", .prd) { puck, isBroken in
            puck.read(0xF5, [19, isBroken ? 0x0F : 0x1F, 0])
            puck.faultLast()
        },
        .connected("AQ-513", .prd) { puck, isBroken in
            puck.notify(0xF5, [83, isBroken ? 0x8F : 0x0F, 0])
            puck.faultLast()
        },
        .connected("AQ-514", .prd) { puck, isBroken in
            puck.notify(0xF3, record(1) + (isBroken ? record(2) : []))
            puck.faultLast()
        },
        // 2026-02-01, and 2097.
        fetching("AQ-515") { record(1, time: $0 ? 4_000_000_000 : nil) },
        .connected("AQ-521", .prd) { puck, isBroken in
            if !isBroken { puck.read(0xF4, [1, 0]) }
            puck.read(0xF3, record(1))
            puck.faultLast()
        },
        subscribing("AQ-522", to: 0xF1),
        subscribing("AQ-523", to: 0xF5),
        .connected("AQ-524", .prd) { puck, isBroken in
            puck.fetch(1, record(1))
            puck.faultLast()
            puck.wait(isBroken ? 31 : 29)
            puck.write(0xF4, little(1 as UInt32))
        },
    ]

    /// Rules of the shipped dialect that also hold in the PRD dialect.
    static let requiredAsWell: [RulePair] = [
        .connected("AQ-005", .prd) { puck, isBroken in
            puck.read(0x2A25, Array("24:0A:C4:12:A3:\(isBroken ? "F4" : "F2")".utf8))
            puck.faultLast()
        },
        RulePair("AQ-010") { isBroken in
            let session = AirPuck()
            session.service = PuckLayout.bottle(0xF0, .prd)
            session.air.advertise(PuckSession.device, [.completeLocalName(PuckSession.name)], type: .scanRsp)
            session.advertise()
            session.wait(60)
            session.advertise(times: isBroken ? 10 : 30, every: 1)
            let fault = session.air.recording.packets.count
            session.wait(60)
            session.advertise()
            return (session.air.recording, fault)
        },
        .table("AQ-016", .prd, PuckLayout.requiredWithTwoBatteries) {
            $0.services.last { $0.type == 0x180F }?.start
        },
        .connected("AQ-020", .prd) { puck, isBroken in
            puck.link.request(ATT.WriteRequest(handle: puck.handle(0xF1), value: [0, 0]))
            puck.faultNext()
            if isBroken {
                puck.link.respond(ATT.WriteResponse())
            } else {
                puck.link.refuse(.writeRequest, puck.handle(0xF1), .writeNotPermitted)
            }
        },
        RulePair("AQ-028", .prd) { puck, isBroken in
            puck.begin(subscribes: isBroken ? [] : [0xF1])
            puck.notify(0xF1, [0xAB, 2])
            puck.faultLast()
            puck.end()
        },
        RulePair("AQ-030", .prd) { puck, isBroken in
            puck.begin()
            puck.end()
            puck.begin(subscribes: [])
            puck.link.read(puck.configuration(0xF1), isBroken ? [1, 0] : [0, 0])
            puck.faultLast()
            puck.end()
        },
        .connected("AQ-202", .prd) { puck, isBroken in
            puck.faultNext()
            puck.link.write(puck.configuration(0xF1), isBroken ? [2, 0] : [1, 0])
        },
        .connected("AQ-205", .prd) { puck, isBroken in
            let config = hex("3E03 0F010000")
            puck.faultNext()
            if isBroken { puck.link.writeCommand(puck.handle(0xF2), config) } else { puck.write(0xF2, config) }
        },
        .connected("AQ-307", .prd) { puck, isBroken in
            puck.read(0xF4, [1, 0])
            puck.faultLast()
            puck.wait(isBroken ? 11 : 9)
            puck.read(0xF3, record(1))
        },
        .connected("AQ-309", .prd) { puck, isBroken in
            // One record more could be a drink that is about to be notified.
            puck.fetch(3, record(1) + record(2) + record(3))
            puck.write(0xF4, little(3 as UInt32))
            puck.read(0xF4, [isBroken ? 2 : 0, 0])
            puck.faultLast()
        },
        .connected("AQ-310", .prd) { puck, isBroken in
            puck.fetch(1, record(1))
            puck.read(0xF3, record(1, level: isBroken ? 600 : 700))
            puck.faultLast()
        },
    ]

    // MARK: - Parts

    /// A session that reads this number of records; they break the rule.
    private static func fetching(
        _ rule: String, _ count: UInt16 = 1, _ records: @escaping @Sendable (_ isBroken: Bool) -> [UInt8]
    ) -> RulePair {
        .connected(rule, .prd) { puck, isBroken in
            puck.fetch(count, records(isBroken))
            puck.faultLast()
        }
    }

    /// A client that reads drinks without subscribing to one characteristic.
    private static func subscribing(_ rule: String, to number: UInt16) -> RulePair {
        RulePair(rule, .prd) { puck, isBroken in
            puck.begin(subscribes: [0xF1, 0xF3, 0xF5].filter { !isBroken || $0 != number })
            puck.fetch(1, record(1))
            puck.faultLast()
            puck.end()
        }
    }

    private static func record(
        _ id: UInt32, amount: Int16 = 45, level: Int16 = 700, type: UInt8 = 1, isSynced: Bool = false,
        time: UInt32? = nil
    ) -> [UInt8] {
        little(id) + little(time ?? 1_769_940_000 + 60 * min(id, 100)) + little(amount) + little(level)
            + [isSynced ? 1 : 0, type, 0, 0]
    }
}

extension PuckSession {
    /// Reads Sync Status, then Drink History.
    func fetch(_ count: UInt16, _ records: [UInt8]) {
        read(0xF4, little(count))
        read(0xF3, records)
    }
}
