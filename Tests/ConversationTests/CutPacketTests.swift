import Bluetooth
import TestKit
import Testing

@testable import Conversation

/// Truncated packets contribute their captured bytes.
struct CutPacketTests {
    /// The access address of the connection is in the first 32 bytes: 10 of the pseudo-header and 22 of the packet.
    @Test func aCutRequestOpensItsConnection() throws {
        let air = AirSession()
        let link = air.connect(Cast.phone, to: Cast.puck)
        air.recording.cutLast(to: 32)
        link.notify(0x0006, [98])
        let story = Story(air.recording)
        #expect(story.metadata.map(\.connection) == [0, 0, 0])
        #expect(story.metadata[0].notes.isEmpty)
        #expect(story.peer(ofFrame: 3)?.address == Cast.puck)
        #expect(story.attributes.map(\.handle) == [0x0006])
        #expect(try #require(story.tracker.connections.first).parameters.timing == nil)
    }

    @Test(arguments: [14, 20])
    func aCutEventOpensItsConnection(length: Int) throws {
        let session = HCISession()
        let link = session.connect(to: Cast.puck)
        session.recording.cutLast(to: 1 + length)
        link.notify(0x0006, [98])
        let story = Story(session.recording)
        #expect(story.metadata.map(\.connection) == [0, 0])
        #expect(story.metadata[0].notes.isEmpty)
        #expect(story.peer(ofFrame: 2)?.address == Cast.puck)
        #expect(story.attributes.map(\.handle) == [0x0006])
    }

    /// Without the complete address, the peer is unknown.
    @Test func anEventWithoutAnAddressOpensNothing() {
        let session = HCISession()
        let link = session.connect(to: Cast.puck)
        session.recording.cutLast(to: 14)
        link.notify(0x0006, [98])
        let story = Story(session.recording)
        #expect(story.metadata[0].connection == -1)
        #expect(story.metadata[1].notes == .beginningMissing)
    }

    @Test(arguments: [(42, "puck"), (28, nil), (13, nil)])
    func aCutExtendedReportNamesItsSender(length: Int, name: String?) throws {
        let session = HCISession()
        let data = GAP.AdvertisingData([
            .completeLocalName("puck"), .manufacturerData(company: 0xFFFF, [1, 2, 3, 4, 5, 6, 7, 8]),
        ])
        session.event(
            HCI.LEExtendedAdvertisingReport(reports: [
                .init(
                    eventType: 0x13, addressType: .randomDevice, address: Cast.puck.address, rssi: -60,
                    data: data.encoded)
            ]))
        session.recording.cutLast(to: 1 + length)
        let story = Story(session.recording)
        let sender = try #require(story.batch.devices[story.metadata[0].sender])
        #expect(sender.address == Cast.puck)
        #expect(sender.name == name ?? "")
    }
}
