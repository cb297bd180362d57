import Bluetooth
import Conformance
import PDUTestKit
import TestKit
import Testing

/// Steps that the specification allows clients to omit make no rule fail.
struct UnusualClientTests {
    // MARK: - Descriptors that can only be the CCCD

    @Test func aClientMaySubscribeWithoutAskingForTheTypeOfTheOnlyDescriptor() {
        let puck = PuckSession()
        puck.advertise()
        puck.connect()
        puck.link.exchangeMTU(client: 517, server: 247)
        puck.link.discoverServices(puck.layout)
        for service in puck.layout.services {
            puck.link.discoverCharacteristics(puck.layout, service.start...service.end)
        }
        for number in [1, 4, 8] as [UInt16] { puck.link.subscribe(puck.configuration(number)) }
        puck.setTime()
        puck.state(unsynced: 3)
        puck.transfer()
        puck.command(hex("20000000"))
        puck.calibration(1, after: 0.3)
        puck.calibration(2, after: 2)
        puck.end()
        let checked = CheckedCapture(puck.recording, plugins: aquavate)
        #expect(checked.broken == [], "\(checked.text(of: checked.broken))")
        for rule in ["AQ-028", "AQ-201", "AQ-203", "AQ-204"] { #expect(checked.verdicts(rule) == [.pass], "\(rule)") }
    }

    // MARK: - Refused subscriptions

    /// The puck does not notify after a refused subscription; an earlier subscription remains.
    @Test(arguments: [false, true])
    func aRefusedSubscriptionLeavesTheOneBefore(_ isSubscribed: Bool) {
        let puck = PuckSession()
        puck.begin(subscribes: isSubscribed ? [0x2A19] : [])
        puck.link.request(ATT.WriteRequest(handle: puck.configuration(0x2A19), value: [1, 0]))
        puck.link.refuse(.writeRequest, puck.configuration(0x2A19), .insufficientResources)
        puck.faultNext()
        puck.notify(0x2A19, [83])
        puck.end()
        let checked = CheckedCapture(puck.recording, plugins: aquavate)
        #expect(checked.broken == (isSubscribed ? [] : ["AQ-028"]), "\(checked.text(of: checked.broken))")
        #expect(checked.frames("AQ-028") == (isSubscribed ? [] : [puck.fault]))
    }

    // MARK: - Cached attribute tables

    @Test func aClientMayKeepTheTableWhileTheDatabaseHashIsTheSame() {
        let checked = secondConnection { $0.tellHash(1) }
        #expect(checked.verdicts("AQ-201") == [.pass, .pass])
        #expect(checked.broken == [], "\(checked.text(of: checked.broken))")
    }

    @Test func aClientThatReadsAnotherDatabaseHashDiscoversAnew() {
        var frame = 0
        let checked = secondConnection {
            $0.tellHash(2)
            frame = $0.recording.packets.count + 1
        }
        #expect(checked.verdicts("AQ-201") == [.pass, .fail])
        #expect(checked.frames("AQ-201").first == frame)
    }

    /// The client knows the table from the previous connection and may read the hash later, as BlueZ does.
    @Test func aClientThatHasNotReadTheDatabaseHashYetIsNotAccused() {
        let checked = secondConnection { _ in }
        #expect(checked.verdicts("AQ-201").map(\.name) == ["pass", "inconclusive"])
    }

    @Test func aBondedClientMayKeepTheTable() {
        let checked = secondConnection { $0.link.encrypt() }
        #expect(checked.verdicts("AQ-201") == [.pass, .pass])
    }

    /// Without a hash from the time of discovery, a later hash cannot show a change.
    @Test func aHashThatWasNotToldBeforeDecidesNothing() {
        let checked = secondConnection(first: { _ in }, { $0.tellHash(1) })
        #expect(checked.verdicts("AQ-201").map(\.name) == ["pass", "inconclusive"])
    }

    /// A client that discovers, disconnects and reconnects. The closures are the client's first steps in each
    /// connection.
    private func secondConnection(
        first: (PuckSession) -> Void = { $0.tellHash(1) }, _ second: (PuckSession) -> Void
    ) -> CheckedCapture {
        let puck = PuckSession(layout: PuckLayout.hashed)
        puck.begin()
        first(puck)
        puck.end()
        puck.wait(2)
        puck.advertise()
        puck.connect()
        second(puck)
        puck.setTime()
        puck.end()
        return CheckedCapture(puck.recording, plugins: aquavate)
    }
}

extension PuckSession {
    /// The client reads the Database Hash by its type (Vol 3, Part G, 7.3). `last` is the final byte of the hash.
    fileprivate func tellHash(_ last: UInt8) {
        link.request(ATT.ReadByTypeRequest(start: 1, end: 0xFFFF, type: 0x2B2A))
        let hash = [UInt8](repeating: 0xA5, count: 15) + [last]
        link.respond(ATT.ReadByTypeResponse(entries: [.init(handle: layout[0x2B2A], value: hash)]))
    }
}
