import Bluetooth
import Bytes
import Conformance
import PDUTestKit
import TestKit
import Testing

/// The client has to rediscover the attributes that Service Changed names (Vol 3, Part G, 2.5.2 and 7.1).
struct ServiceChangedTests {
    /// The client has discovered the Battery service, which moves behind the bottle service, but not the attributes
    /// after it.
    @Test func aServiceThatMovesAmidDiscoveryIsThereOnce() throws {
        let puck = PuckSession(layout: PuckLayout.changed)
        puck.advertise()
        puck.connect()
        puck.link.exchangeMTU(client: 517, server: 247)
        let before = PuckLayout.changeable
        let groups = before.services.dropLast().map { service in
            ATT.ReadByGroupTypeResponse.Group(
                handle: service.start, end: service.end, value: ByteWriter.bytes { $0.write(service.type) })
        }
        puck.link.request(ATT.ReadByGroupTypeRequest(start: 1, end: 0xFFFF, type: .primaryService))
        puck.link.respond(ATT.ReadByGroupTypeResponse(groups: groups))
        puck.link.discoverCharacteristics(before, before.services[1].start...before.services[1].end)
        puck.link.subscribe(before[0x2A05, 0x2902], indications: true)
        let battery = try #require(before.services.first { $0.type == 0x180F })
        puck.link.indicateServiceChanged(before[0x2A05], battery.start.rawValue, 0xFFFF)
        puck.link.discover(puck.layout)
        puck.setTime()
        puck.end()
        let checked = CheckedCapture(puck.recording, plugins: aquavate)
        for rule in ["AQ-016", "AQ-017", "AQ-018", "AQ-019"] { #expect(checked.verdicts(rule) == [.pass], "\(rule)") }
        #expect(checked.broken == [], "\(checked.text(of: checked.broken))")
    }

    /// A request that crosses the indication breaks no rule.
    @Test(arguments: [false, true])
    func aClientDiscoversAnewBeforeItUsesAHandle(_ isConfirmed: Bool) {
        let puck = PuckSession(layout: PuckLayout.changeable)
        puck.begin()
        puck.link.respond(
            ATT.HandleValueIndication(handle: puck.layout[0x2A05], value: little(UInt16(1)) + little(UInt16.max)))
        if isConfirmed { puck.link.request(ATT.HandleValueConfirmation()) }
        puck.faultNext()
        puck.ping()
        if !isConfirmed { puck.link.request(ATT.HandleValueConfirmation()) }
        puck.end()
        let checked = CheckedCapture(puck.recording, plugins: aquavate)
        #expect(checked.frames("AQ-201") == (isConfirmed ? [puck.fault] : []))
    }
}
