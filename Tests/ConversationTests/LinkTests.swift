import Bluetooth
import Bytes
import Captures
import Dissection
import TestKit
import Testing

@testable import Conversation

/// Lifetimes and peers of connections.
struct LinkTests {
    private let session = HCISession()
    private var story: Story { Story(session.recording) }

    @Test func aConnectionHasItsEndsAndItsReason() {
        session.readAddress(Cast.phone.address)
        let link = session.connect(to: Cast.puck)
        link.notify(0x0006, [98])
        link.disconnect(reason: .connectionTimeout)
        let story = story
        let connection = story.tracker.connections[0]
        #expect(story.tracker.connections.count == 1)
        #expect(connection.isBeginningKnown)
        #expect(connection.frames == 3)
        #expect(connection.reason == 0x08)
        #expect(story.tracker.devices[connection.sender].address == Cast.phone)
        #expect(story.tracker.devices[connection.receiver].address == Cast.puck)
        for device in [connection.sender, connection.receiver] {
            #expect(story.tracker.devices[device].connections == 1)
        }
        #expect(connection.end.nanoseconds - connection.start.nanoseconds == 2 * session.recording.pace)
    }

    @Test func aReusedHandleIsAnotherConnection() {
        let puck = session.connect(to: Cast.puck, handle: 0x0040)
        puck.notify(0x0006, [98])
        let counter = session.connect(to: Cast.counter, handle: 0x0040)
        counter.notify(0x0003, [0])
        #expect(story.metadata.map(\.connection) == [0, 0, 1, 1])
        #expect(story.peer(ofFrame: 4)?.address == Cast.counter)
    }

    @Test func aFragmentOfAnEndedConnectionIsForgotten() {
        let puck = session.connect(to: Cast.puck, handle: 0x0040)
        session.record(puck.packet([5, 0, 4], boundary: .firstFlushable), .received)
        puck.disconnect()
        let counter = session.connect(to: Cast.counter, handle: 0x0040)
        session.record(counter.packet([0], boundary: .continuing), .received)
        #expect(story.metadata[4].notes == .orphan)
    }

    @Test func dataWithoutABeginningOpensAConnection() {
        let link = session.resume()
        link.notify(0x0006, [98])
        link.notify(0x0006, [97])
        let story = story
        #expect(!story.tracker.connections[0].isBeginningKnown)
        #expect(story.metadata.map { $0.notes.contains(.beginningMissing) } == [true, false])
        #expect(story.dissected(1).diagnoses.map(\.severity) == [.note])
        #expect(story.peer(ofFrame: 1)?.address == nil)
    }

    @Test func aFailedConnectionIsNone() {
        session.event(
            HCI.LEConnectionComplete(
                status: .connectionFailedToBeEstablished, handle: 0x0040, role: .central, peerType: .randomDevice,
                peer: Cast.puck.address, interval: 0, latency: 0, supervisionTimeout: 0))
        #expect(story.tracker.connections.isEmpty)
    }

    @Test func aResetEndsTheAdaptersConnections() {
        let other = HCISession(session.recording, adapter: 1)
        let here = session.connect(to: Cast.puck)
        let there = other.connect(to: Cast.counter, handle: 0x0040)
        session.reset()
        here.notify(0x0006, [98])
        there.notify(0x0003, [0])
        let story = story
        #expect(story.metadata[4].connection == 2)
        #expect(story.metadata[5].connection == 1)
    }

    @Test func adaptersHaveTheirOwnHandles() {
        let other = HCISession(session.recording, adapter: 3)
        let here = session.connect(to: Cast.puck, handle: 0x0040)
        let there = other.connect(to: Cast.counter, handle: 0x0040)
        here.notify(0x0006, [98])
        there.notify(0x0003, [0])
        here.notify(0x0006, [97])
        #expect(story.metadata.map(\.connection) == [0, 1, 0, 1, 0])
    }

    @Test func onlySoManyLinksAreFollowedAtATime() {
        for handle in 0..<UInt16(Tracker.openConnectionLimit + 10) {
            session.resume(ConnectionHandle(handle)).notify(0x0006, [98])
        }
        // The two links that were idle longest were evicted; their handles open new connections.
        session.resume(0x0000).notify(0x0006, [97])
        session.resume(ConnectionHandle(UInt16(Tracker.openConnectionLimit))).notify(0x0006, [97])
        let story = story
        #expect(story.tracker.openConnections.count == Tracker.openConnectionLimit)
        #expect(story.tracker.connections.count == Tracker.openConnectionLimit + 11)
        #expect(story.metadata.last?.connection == Int32(Tracker.openConnectionLimit))
    }

    @Test func onlySoManyAdaptersAreFollowed() {
        for adapter in 0..<UInt16(Tracker.adapterLimit + 20) {
            HCISession(session.recording, adapter: adapter).resume(0x0040).notify(0x0006, [98])
        }
        let story = story
        #expect(story.tracker.connections.count <= Tracker.adapterLimit + 1)
        #expect(story.metadata.last?.connection == -1)
        #expect(story.dissected(story.metadata.count).diagnoses.allSatisfy { $0.severity != .error })
    }

    @Test func aDeviceIsHeardAndNamed() {
        session.report(Cast.puck, [.shortenedLocalName("Pu")], rssi: -70)
        session.report(Cast.puck, [.completeLocalName("Puck")], rssi: -40)
        session.report(Cast.puck, [], rssi: 127)
        let story = story
        let device = story.tracker.devices[story.metadata[0].sender]
        #expect(device.advertisements == 3)
        #expect(device.strongestRSSI == -40)
        #expect(device.weakestRSSI == -70)
        #expect(story.peer(ofFrame: 1)?.title.hasPrefix("Pu") == true)
    }

    @Test func publicAndRandomAddressesAreDifferentDevices() {
        session.report(Cast.puck, [])
        session.report(DeviceAddress(Cast.puck.address, .public), [])
        #expect(story.metadata[0].sender != story.metadata[1].sender)
    }

    @Test func anIdentityIsFoundByItsAddressOnly() {
        var table = DeviceTable()
        let random = table.index(of: DeviceAddress(Address(value: 0x5A_0000_000001), .random))
        table.identify(random, as: Cast.puck)
        let identity = table.index(of: Cast.puck)
        #expect(table.resolved(random) == identity)
        #expect(table.index(of: DeviceAddress(Address(value: 0x5A_0000_000001), .random)) == identity)
        table.identify(identity, as: Cast.puck)
        #expect(table.resolved(identity) == identity)
    }
}
