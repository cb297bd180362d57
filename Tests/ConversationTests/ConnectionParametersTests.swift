import Bluetooth
import Bytes
import Captures
import TestKit
import Testing

@testable import Conversation

/// Connection parameters, and the HCI traffic about them.
struct ConnectionParametersTests {
    private let session = HCISession()
    private var story: Story { Story(session.recording) }

    private func update(_ link: HCILink, interval: UInt16, status: HCI.ErrorCode = .success) {
        session.event(
            HCI.LEConnectionUpdateComplete(
                status: status, handle: link.handle, interval: interval, latency: 0, supervisionTimeout: 500))
    }

    @Test func theIntervalIsTheOneInForce() {
        let puck = session.connect(to: Cast.puck)
        let counter = session.connect(to: Cast.counter)
        update(puck, interval: 6)
        update(puck, interval: 144)
        update(puck, interval: 0, status: .unsupportedRemoteFeature)
        let story = story
        #expect(story.metadata.map(\.connection) == [0, 1, 0, 0, 0])
        let connections = story.tracker.connections
        #expect(connections.map { $0.parameters.timing?.milliseconds } == [180, 30])
        #expect(connections[0].changes.map(\.frame) == [1, 3, 4])
        #expect(connections[0].changes.last?.change.description == "interval 180 ms, latency 0, timeout 5000 ms")
        #expect(counter.handle.rawValue == 0x0041)
    }

    @Test func anEventBelongsToTheConnectionThatHasItsHandleThen() {
        let puck = session.connect(to: Cast.puck, handle: 0x0040)
        session.event(HCI.NumberOfCompletedPackets(entries: [.init(handle: 0x0040, count: 1)]))
        session.event(HCI.NumberOfCompletedPackets(entries: [.init(handle: 0x0050, count: 1)]))
        puck.disconnect()
        session.event(HCI.NumberOfCompletedPackets(entries: [.init(handle: 0x0040, count: 1)]))
        _ = session.connect(to: Cast.counter, handle: 0x0040)
        session.command(HCI.Disconnect(handle: 0x0040, reason: .remoteUserTerminatedConnection))
        #expect(story.metadata.map(\.connection) == [0, 0, -1, 0, -1, 1, 1])
    }

    /// A failed connection's handle is arbitrary; here it equals another connection's handle.
    @Test func aConnectionThatFailedHasNoHandle() {
        _ = session.connect(to: Cast.puck, handle: 0x0000)
        session.event(
            HCI.LEConnectionComplete(
                status: .connectionTimeout, handle: 0x0000, role: .central, peerType: HCI.AddressType(rawValue: 1),
                peer: Cast.counter.address, interval: 0, latency: 0, supervisionTimeout: 0))
        #expect(story.metadata.map(\.connection) == [0, -1])
    }

    @Test func theMTUAndEncryptionAreChanges() {
        let puck = session.connect(to: Cast.puck)
        puck.exchangeMTU(client: 247, server: 185)
        puck.encrypt()
        let changes = story.tracker.connections[0].changes
        #expect(changes.map(\.change).dropFirst() == [.mtu(185), .encryption(true)])
    }
}
