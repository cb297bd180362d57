import Bluetooth
import Bytes
import Captures
import Dissection
import PDUTestKit
import TestKit
import Testing

@testable import Conversation

/// Ownership and lifetime of attribute tables.
struct TableTests {
    private let session = HCISession()
    private var story: Story { Story(session.recording) }

    @Test func discoveryNamesFramesBeforeAndAfterIt() {
        let link = session.connect(to: Cast.puck)
        link.notify(0x0006, [99])
        link.discover(Cast.battery)
        link.notify(0x0006, [98])
        #expect(story.name(ofFrame: 2)?.type == 0x2A19)
        #expect(story.name(ofFrame: 2)?.confidence == .discovered)
        #expect(story.lastName?.type == 0x2A19)
    }

    @Test func peersWithEqualHandlesAreKeptApart() {
        let puck = session.connect(to: Cast.puck)
        let counter = session.connect(to: Cast.counter)
        puck.discover(Cast.battery)
        counter.discover(Cast.heartRate)
        puck.read(0x0003, [1])
        counter.notify(0x0003, [1])
        let count = story.metadata.count
        #expect(story.name(ofFrame: count - 1)?.type == 0x2A00)
        #expect(story.name(ofFrame: count)?.type == 0x2A37)
    }

    @Test func clientAndServerOfALinkAreKeptApart() {
        let link = session.connect(to: Cast.puck)
        link.discover(Cast.battery)
        link.client = .received
        link.notify(0x0006, [1])
        #expect(story.lastName == nil)
    }

    @Test func aTableIsRememberedOverAReconnection() {
        session.connect(to: Cast.puck).discover(Cast.battery)
        session.reset()
        let link = session.connect(to: Cast.puck)
        link.notify(0x0006, [98])
        #expect(story.lastName?.type == 0x2A19)
        #expect(story.lastName?.confidence == .remembered)
    }

    @Test func anImportedTableNamesFrames() {
        let link = session.connect(to: Cast.puck)
        link.notify(0x0006, [98])
        let story = Story(session.recording, imported: [Cast.puck: Cast.battery.table])
        #expect(story.lastName?.type == 0x2A19)
        #expect(story.lastName?.confidence == .imported)
    }

    @Test func anImportedTableOfAnotherDeviceNamesNothing() {
        let link = session.connect(to: Cast.puck)
        link.notify(0x0006, [98])
        #expect(Story(session.recording, imported: [Cast.counter: Cast.battery.table]).lastName == nil)
    }

    @Test func serviceChangedSplitsTheTable() {
        let server = ServerLayout(
            .service(0x1801, .characteristic(0x2A05, [.indicate])), .service(0x180F, .characteristic(0x2A19, [.read])))
        let link = session.connect(to: Cast.puck)
        link.discover(server)
        link.read(0x0006, [98])
        let before = story.metadata.count
        link.indicateServiceChanged(0x0003, 0x0004, 0xFFFF)
        link.read(0x0006, [1])
        let after = story.metadata.count
        link.read(0x0003, [])
        #expect(story.name(ofFrame: before)?.type == 0x2A19)
        #expect(story.name(ofFrame: after) == nil)
        #expect(story.lastName?.type == 0x2A05)
        #expect(story.lastName?.confidence == .discovered)
    }

    @Test func serviceChangedForgetsItsRangeAndNothingElse() {
        let server = ServerLayout(
            .service(0x1801, .characteristic(0x2A05, [.indicate])), .service(0x180F, .characteristic(0x2A19, [.read])),
            .service(0x180D, .characteristic(0x2A37, [.notify])))
        // Battery Level has handle 6 and its declaration 5; Heart Rate Measurement has handle 9 and its Client
        // Characteristic Configuration 10.
        for (end, isForgotten) in [(UInt16(4), false), (5, true), (6, true), (7, true), (9, true)] {
            let session = HCISession()
            let link = session.connect(to: Cast.puck)
            link.discover(server)
            link.indicateServiceChanged(0x0003, 0x0004, end)
            link.read(0x0006, [98])
            #expect((Story(session.recording).lastName == nil) == isForgotten, "end \(end)")
            link.notify(0x0009, [0, 72])
            #expect((Story(session.recording).lastName?.type == 0x2A37) == (end < 9), "end \(end)")
        }
    }

    @Test func aServiceChangedOfAWrongLengthChangesNothing() {
        let server = ServerLayout(
            .service(0x1801, .characteristic(0x2A05, [.indicate])), .service(0x180F, .characteristic(0x2A19, [.read])))
        let link = session.connect(to: Cast.puck)
        link.discover(server)
        link.indicate(0x0003, [4, 0, 0xFF])
        link.indicate(0x0003, [0xFF, 0xFF, 4, 0])
        link.read(0x0006, [98])
        #expect(story.lastName?.type == 0x2A19)
    }

    @Test func anotherDatabaseHashEndsWhatIsRemembered() {
        let server = ServerLayout(
            .service(0x1801, .characteristic(0x2B2A, [.read])), .service(0x180F, .characteristic(0x2A19, [.read])))
        func connect(hash: UInt8) -> HCILink {
            let link = session.connect(to: Cast.puck)
            link.request(ATT.ReadByTypeRequest(start: 1, end: 0xFFFF, type: .databaseHash))
            link.respond(
                ATT.ReadByTypeResponse(entries: [
                    .init(handle: 0x0003, value: [UInt8](repeating: hash, count: 16))
                ]))
            return link
        }
        let first = connect(hash: 1)
        first.discover(server)
        first.disconnect()
        let second = connect(hash: 1)
        second.read(0x0006, [98])
        #expect(story.lastName?.confidence == .remembered)
        second.disconnect()
        let third = connect(hash: 2)
        third.read(0x0006, [98])
        #expect(story.lastName == nil)
    }

    @Test func aRediscoveryThatContradictsItsOwnSpanStartsAnew() {
        let link = session.connect(to: Cast.puck)
        link.discover(Cast.battery)
        link.notify(0x0006, [98])
        let before = story.metadata.count
        link.discover(Cast.heartRate)
        link.notify(0x0003, [0, 72])
        #expect(story.name(ofFrame: before)?.type == 0x2A19)
        #expect(story.lastName?.type == 0x2A37)
    }

    @Test func theDeviceNameIsLearnedByReadingIt() {
        let link = session.connect(to: Cast.puck)
        link.discover(Cast.battery)
        link.read(0x0003, Array("Puck".utf8))
        #expect(story.peer(ofFrame: 1)?.title == "Puck")
    }

    @Test func aHandleThatIsNoNameAnyMoreNamesNobody() {
        var link = session.connect(to: Cast.puck)
        link.discover(Cast.battery)
        link.disconnect()
        link = session.connect(to: Cast.puck)
        link.discover(Cast.heartRate)
        link.read(0x0003, Array("not a name".utf8))
        #expect(story.peer(ofFrame: 1)?.name == "")
    }

    @Test func aTableBelongsToTheIdentity() {
        let link = session.connect(to: DeviceAddress(Address(value: 0x5A_1122_334455), .random))
        link.encrypt()
        link.security(SMP.IdentityAddressInformation(addressType: 1, address: Cast.puck.address), .received)
        link.discover(Cast.battery)
        link.read(0x0003, Array("Puck".utf8))
        link.disconnect()
        session.event(
            HCI.LEEnhancedConnectionComplete(
                handle: 0x0044, role: .central, peerType: .randomIdentity, peer: Cast.puck.address, interval: 24,
                latency: 0, supervisionTimeout: 42))
        session.resume(0x0044).notify(0x0006, [98])
        let story = story
        #expect(story.lastName?.type == 0x2A19)
        #expect(story.peer(ofFrame: story.metadata.count)?.title == "Puck")
        #expect(story.peer(ofFrame: 1)?.title == "Puck")
        #expect(story.peer(ofFrame: 1)?.address?.address == Address(value: 0x5A_1122_334455))
    }

    @Test func anIdentityToldBeforeTheConnectionUsesItsTable() {
        let link = session.connect(to: Cast.puck)
        link.discover(Cast.battery)
        link.security(SMP.IdentityAddressInformation(addressType: 0, address: Cast.phone.address), .sent)
        link.notify(0x0006, [98])
        #expect(story.lastName?.type == 0x2A19)
    }
}
