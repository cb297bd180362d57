import Bluetooth
import Captures
import PDUTestKit
import TestKit
import Testing

@testable import Conversation

/// BR/EDR: L2CAP channels opened by Connection Requests, ATT on one of them, names from inquiries.
struct BREDRTests {
    private let session = HCISession()
    private let watch = DeviceAddress(Address(value: 0x00_FFEE_000001), .public)
    private var story: Story { Story(session.recording) }

    /// Opens a channel with the endpoints 0x0040 here and 0x004E at the peer.
    private func open(_ psm: L2CAP.PSM, on link: HCILink, result: L2CAP.ConnectionResult = .successful) {
        link.signal(L2CAP.ConnectionRequest(psm: psm, source: L2CAP.ChannelID(0x0040)), identifier: 1, .sent)
        link.signal(
            L2CAP.ConnectionResponse(
                destination: L2CAP.ChannelID(0x004E), source: L2CAP.ChannelID(0x0040), result: result),
            identifier: 1, .received)
        link.attChannels = (sent: L2CAP.ChannelID(0x004E), received: L2CAP.ChannelID(0x0040))
    }

    @Test func thePSMIsThatOfTheRequest() {
        let link = session.connectBREDR(to: watch)
        open(.rfcomm, on: link)
        link.carry([1, 2], on: L2CAP.ChannelID(0x004E), .sent)
        link.carry([3], on: L2CAP.ChannelID(0x0040), .received)
        link.carry([3], on: L2CAP.ChannelID(0x0040), .sent)
        #expect(story.metadata.map(\.psm) == [0, 0, 0, 3, 3, 0])
    }

    @Test func aRefusedChannelHasNoPSM() {
        let link = session.connectBREDR(to: watch)
        open(.att, on: link, result: .init(rawValue: 2))
        link.read(0x0003, [1])
        #expect(story.metadata.suffix(2).map(\.psm) == [0, 0])
        #expect(story.attributes.isEmpty)
    }

    @Test func aTransportsTableIsItsOwn() {
        let classic = session.connectBREDR(to: watch)
        open(.att, on: classic)
        let energy = session.connect(to: watch)
        classic.discover(ServerLayout(.service(0x1800, .characteristic(0x2A00, [.read]))))
        energy.discover(ServerLayout(.service(0x1800, .characteristic(0x2A01, [.read]))))
        classic.read(0x0003, Array("Sample Watch".utf8))
        let onBREDR = session.recording.packets.count
        energy.read(0x0003, [0, 0])
        let onLE = session.recording.packets.count
        classic.disconnect()
        energy.disconnect()
        // The attributes learned on a transport are known on its next connection.
        let again = session.connectBREDR(to: watch)
        open(.att, on: again)
        again.read(0x0003, [1])
        let story = story
        #expect(story.name(ofFrame: onBREDR)?.type == 0x2A00)
        #expect(story.name(ofFrame: onLE)?.type == 0x2A01)
        #expect(story.lastName?.type == 0x2A00)
    }

    /// Vol 3, Part F, 3.2.8: ATT_MTU on BR/EDR is the channel's MTU.
    @Test func theMTUIsThatOfTheChannel() {
        let link = session.connectBREDR(to: watch)
        open(.att, on: link)
        #expect(story.tracker.connections[0].mtu == 672)
        link.signal(
            L2CAP.ConfigurationRequest(destination: L2CAP.ChannelID(0x004E), options: [.init(.mtu(64))]), identifier: 2,
            .sent)
        #expect(story.tracker.connections[0].mtu == 64)
        link.mtu = 64
        link.readLong(0x0003, Array(repeating: 1, count: 100))
        #expect(story.metadata.last?.longValue.count == 100)
    }

    @Test func framesWithAControlFieldAreBytes() {
        let link = session.connectBREDR(to: watch)
        open(.att, on: link)
        let mode = L2CAP.RetransmissionAndFlowControl(
            mode: 3, windowSize: 8, maximumTransmissions: 3, retransmissionTimeout: 2000, monitorTimeout: 12000,
            mps: 100)
        link.signal(
            L2CAP.ConfigurationRequest(destination: L2CAP.ChannelID(0x004E), options: [.init(.retransmission(mode))]),
            identifier: 2, .sent)
        link.read(0x0003, [1])
        #expect(story.metadata.last?.psm == 0x001F)
        #expect(story.attributes.isEmpty)
    }
}
