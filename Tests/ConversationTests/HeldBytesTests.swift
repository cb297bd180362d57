import Bluetooth
import Captures
import Dissection
import TestKit
import Testing

@testable import Conversation

/// Memory that the tracker holds for endless conversations, as a malicious recording could contain them.
struct HeldBytesTests {
    private let session = HCISession()

    /// Records the first fragment of a PDU that announces 65,535 bytes and lacks the last hundred.
    private func begin(_ link: HCILink, _ direction: Direction) {
        let part: [UInt8] = [0xFF, 0xFF, 4, 0] + [UInt8](repeating: 7, count: 65_435)
        session.record(link.packet(part, boundary: .firstFlushable), direction)
    }

    @Test func openPDUsOfManyConnectionsHoldSoMuchAtMost() {
        let links = (0..<200).map { session.connect(to: device($0), handle: ConnectionHandle(UInt16($0))) }
        for link in links {
            begin(link, .sent)
            begin(link, .received)
        }
        var tracker = Tracker()
        var most = 0
        let recorded = session.recording.batch
        for packet in recorded.packets {
            _ = tracker.track(PacketBatch(bytes: recorded.bytes, packets: [packet]))
            most = max(most, tracker.connectionIndices.reduce(0) { $0 + tracker.heldBytes(of: $1) })
        }
        #expect(most <= Tracker.heldLimit)
        #expect(most > Tracker.heldLimit / 2)
    }

    @Test func theConnectionThatWasHeardLastKeepsItsParts() throws {
        let links = (0..<200).map { session.connect(to: device($0), handle: ConnectionHandle(UInt16($0))) }
        for link in links {
            begin(link, .sent)
            begin(link, .received)
        }
        session.record(links[199].packet([UInt8](repeating: 7, count: 100), boundary: .continuing), .received)
        session.record(links[0].packet([UInt8](repeating: 7, count: 100), boundary: .continuing), .received)
        let story = Story(session.recording)
        #expect(story.metadata[600].pdu.count == 65_539)
        #expect(story.metadata[601].notes == .orphan)
    }

    @Test func aDeviceHasOneIdentity() {
        var devices = DeviceTable()
        let device = devices.index(of: Cast.puck)
        devices.update(device) { $0.leTableVersion = TableVersion(index: 3) }
        devices.identify(device, as: Cast.counter)
        devices.identify(device, as: Cast.phone)
        #expect(devices[devices.resolved(device)].address == Cast.counter)
        #expect(devices.devices.count { $0.newestTableVersion == TableVersion(index: 3) } == 2)
    }

    @Test func aNameIsCutWhereNamesEnd() {
        let link = session.connect(to: Cast.puck)
        link.discover(Cast.battery)
        link.read(0x0003, [UInt8](repeating: 0x41, count: 60_000))
        let story = Story(session.recording)
        #expect(story.peer(ofFrame: 1)?.name == String(repeating: "A", count: 248))
    }

    private func device(_ number: Int) -> DeviceAddress {
        DeviceAddress(Address(value: 0xC0_FFEE_000000 + UInt64(number)), .random)
    }
}
