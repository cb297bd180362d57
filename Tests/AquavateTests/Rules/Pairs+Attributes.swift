import Bluetooth
import PDUTestKit
import TestKit

extension RulePair {
    /// AQ-013 to AQ-030.
    static let attributes: [RulePair] = [
        .connected("AQ-013") { puck, isBroken in
            guard isBroken else { return puck.ping() }
            puck.link.request(ATT.ReadRequest(handle: puck.handle(1)))
            puck.faultNext()
            puck.link.refuse(.readRequest, puck.handle(1), .insufficientAuthentication)
        },
        RulePair("AQ-014") { puck, isBroken in
            puck.advertise()
            puck.connect()
            puck.link.exchangeMTU(client: 517, server: isBroken ? 185 : 247)
            puck.faultLast()
            puck.link.discover(puck.layout)
            puck.setTime()
            puck.end()
        },
        .table("AQ-016", .shipped, PuckLayout.twoBatteries) { $0.services.last { $0.type == 0x180F }?.start },
        .table("AQ-017", .shipped, PuckLayout.readableCommand) { $0.declaration(of: PuckLayout.bottle(5)) },
        .table("AQ-018", .shipped, PuckLayout.reordered) { $0.declaration(of: PuckLayout.bottle(3)) },
        .table("AQ-019", .shipped, PuckLayout.superfluousConfiguration) { $0[PuckLayout.bottle(2), 0x2902] },
        .table("AQ-019", .shipped, PuckLayout.missingConfiguration),
        .connected("AQ-020") { puck, isBroken in
            puck.link.request(ATT.ReadRequest(handle: puck.handle(5)))
            puck.faultNext()
            if isBroken {
                puck.link.respond(ATT.ReadResponse(value: []))
            } else {
                puck.link.refuse(.readRequest, puck.handle(5), .readNotPermitted)
            }
        },
        .connected("AQ-021") { puck, isBroken in
            puck.link.request(ATT.WriteRequest(handle: puck.handle(5), value: hex("02000000")))
            puck.faultNext()
            if isBroken {
                puck.link.refuse(.writeRequest, puck.handle(5), .unlikelyError)
            } else {
                puck.link.respond(ATT.WriteResponse())
            }
        },
        .connected("AQ-022") { puck, isBroken in
            puck.read(0x2A24, Array((isBroken ? "Cup  v1.0\0" : "Puck v1.0\0").utf8))
            puck.faultLast()
        },
        .connected("AQ-023") { puck, isBroken in
            puck.read(0x2A29, Array((isBroken ? "Aquavate" : "Aquavate\0").utf8))
            puck.faultLast()
        },
        .connected("AQ-026") { puck, isBroken in
            puck.faultNext()
            puck.notify(0x2A19, [isBroken ? 101 : 83])
        },
        .connected("AQ-027") { puck, isBroken in
            puck.notify(0x2A19, [83])
            puck.faultNext()
            puck.notify(0x2A19, [isBroken ? 83 : 82])
        },
        RulePair("AQ-028") { puck, isBroken in
            puck.begin(subscribes: isBroken ? [] : [0x2A19])
            puck.faultNext()
            puck.notify(0x2A19, [83])
            puck.end()
        },
        RulePair("AQ-029") { puck, isBroken in
            // Three wake events of 8 bytes, where two fit.
            let count: UInt8 = isBroken ? 3 : 2
            puck.begin(mtu: 0)
            puck.command(hex("30000000")) { puck.notify(7, [count, 0, 0, 1] + hex("00000000 0000 0000")) }
            puck.command(hex("31000000")) {
                let events = (0..<UInt32(count)).flatMap { little(1_769_940_000 + $0) + hex("3C00 00 00") }
                puck.faultNext()
                puck.notify(7, [0, 1, count, 0] + events)
            }
            puck.end()
        },
        RulePair("AQ-030") { puck, isBroken in
            puck.begin()
            puck.end()
            puck.begin(subscribes: [])
            puck.link.read(puck.configuration(1), isBroken ? [1, 0] : [0, 0])
            puck.faultLast()
            puck.end()
        },
    ]
}

extension ServerLayout {
    /// Handle of the declaration of the first characteristic with a type.
    func declaration(of type: UUID) -> Handle? { characteristics.first { $0.type == type }?.declaration }
}
