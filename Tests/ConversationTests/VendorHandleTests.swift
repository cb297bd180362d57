import Bluetooth
import Bytes
import Captures
import Dissection
import PDUTestKit
import Profile
import TestKit
import Testing

@testable import Conversation

/// ACL data on handles that no event opened, and events about connections.
struct VendorHandleTests {
    private let session = HCISession()
    private var story: Story { Story(session.recording) }

    @Test(arguments: [0x0EDC, 0x0EFD, 0x05FE, 0x05FF, 0x0F00, 0x0FF1, 0x0FFF] as [UInt16])
    func debugDataIsNoConnection(_ handle: UInt16) {
        session.resume(ConnectionHandle(handle)).notify(0x0006, [98])
        let story = story
        #expect(story.tracker.connections.isEmpty)
        #expect(story.metadata[0].connection == -1 && story.metadata[0].notes == .vendorData)
        #expect(story.dissected(1).diagnoses.map(\.text) == ["vendor data: not a connection handle"])
    }

    @Test func aConnectionMayHaveAHandleOfDebugData() {
        session.connect(to: Cast.puck, handle: 0x05FE).notify(0x0006, [98])
        #expect(story.tracker.connections.count == 1)
        #expect(story.metadata[1].connection == 0 && story.metadata[1].attribute != nil)
    }

    @Test(arguments: ["0400 0400 ff060062", "0200 0400 1b060062", "0100 0000 00", "0100 0600 7f", "0100 1000 00"])
    func dataThatIsNoL2CAPIsNoConnection(_ data: String) {
        let link = session.resume(0x0042)
        session.record(link.packet(hex(data), boundary: .firstFlushable), .received)
        link.notify(0x0006, [98])
        #expect(story.tracker.connections.isEmpty)
        #expect(story.metadata.map(\.notes) == [.vendorData, .vendorData])
    }

    @Test func aConnectionThatTurnsOutToBeVendorDataEnds() {
        let link = session.resume(0x0042)
        link.notify(0x0006, [98])
        session.record(link.packet(hex("0200 0400 1b060062"), boundary: .firstFlushable), .received)
        link.notify(0x0006, [98])
        #expect(story.metadata.map(\.connection) == [0, 0, -1])
        #expect(story.metadata.map { $0.notes.contains(.vendorData) } == [false, true, true])
    }

    @Test func anEventOpensAHandleOfVendorData() {
        let data = session.resume(0x0042)
        session.record(data.packet(hex("0200 0400 1b060062"), boundary: .firstFlushable), .received)
        session.connect(to: Cast.puck, handle: 0x0042).notify(0x0006, [98])
        #expect(story.metadata.map(\.connection) == [-1, 0, 0])
    }

    /// After the connection ends, data on its handle belongs to a connection whose beginning is missing.
    @Test func aHandleThatWasAConnectionsIsNoLongerThatOfVendorData() {
        let data = session.resume(0x0042)
        session.record(data.packet(hex("0200 0400 1b060062"), boundary: .firstFlushable), .received)
        let link = session.connect(to: Cast.puck, handle: 0x0042)
        link.disconnect(reason: .connectionTimeout)
        session.resume(0x0042).notify(0x0006, [98])
        #expect(story.metadata.map(\.connection) == [-1, 0, 0, 1])
    }

    @Test func bothVersionsOfEncryptionChangeAreFollowed() {
        _ = session.connect(to: Cast.puck, handle: 0x0040)
        #expect(story.tracker.connections[0].isEncrypted == false)
        session.event([0x59, 5, 0, 0x40, 0, 1, 16])
        #expect(story.tracker.connections[0].isEncrypted)
        session.event([0x08, 4, 0, 0x40, 0, 0])
        #expect(story.tracker.connections[0].isEncrypted == false)
    }
}

/// Matching of responses to requests.
struct ResponsePairingTests {
    private let session = HCISession()

    /// Frame 1 opens the connection; 2 and 4 are requests, 3 and 5 are the fragments of the response to the first.
    @Test func aResponseAnswersARequestBeforeItsFirstFragment() {
        let link = session.connect(to: Cast.puck)
        link.request(ATT.ReadByTypeRequest(start: 0x0001, end: 0x0007, type: .characteristic))
        link.fragmentation = .every(8)
        let response = L2CAP.frame(hex("09 07 0200 02 0300 002a"), on: .att)
        let parts = link.packets(response, .received)
        session.record(parts[0], .received)
        link.fragmentation = .whole
        link.request(ATT.ReadByTypeRequest(start: 0x0008, end: 0xFFFF, type: .characteristic))
        session.record(parts[1], .received)
        let story = Story(session.recording)
        let request = story.batch.request(of: story.metadata[4])
        #expect(request?.frame == 2)
        #expect(request?.range?.start == 0x0001 && request?.range?.end == 0x0007)
    }

    @Test func responsesToOverlappingRequestsComeInTheirOrder() {
        let link = session.connect(to: Cast.puck)
        for handle in [0x0003, 0x0005] as [Handle] { link.request(ATT.ReadRequest(handle: handle)) }
        for value in [[1], [2]] as [[UInt8]] { link.respond(ATT.ReadResponse(value: value)) }
        link.read(0x0007, [3])
        let story = Story(session.recording)
        #expect(story.metadata.compactMap { story.batch.request(of: $0)?.handle } == [0x0003, 0x0005, 0x0007])
        #expect(story.metadata.filter { $0.notes.contains(.overlapping) }.map(\.packet.number) == [3])
    }

    private func answered(_ story: Story) -> [Handle] {
        story.metadata.compactMap { story.batch.request(of: $0)?.handle }
    }

    /// A client that always has two open requests: its server answers within 20 ms, and each response belongs to the
    /// oldest.
    @Test func aClientMayKeepTwoRequestsOpen() {
        let link = session.connect(to: Cast.puck)
        session.recording.pace = 200_000
        link.request(ATT.WriteRequest(handle: 0x0003, value: [1]))
        for handle in [0x0005, 0x0007, 0x0009] as [Handle] {
            link.request(ATT.WriteRequest(handle: handle, value: [1]))
            session.recording.wait(milliseconds: 19)
            link.respond(ATT.WriteResponse())
        }
        link.respond(ATT.WriteResponse())
        let story = Story(session.recording)
        #expect(answered(story) == [0x0003, 0x0005, 0x0007, 0x0009])
        #expect(story.metadata.count { $0.notes.contains(.overlapping) } == 3)
        #expect(!story.metadata.contains { $0.notes.contains(.unasked) })
    }

    /// A response to 0x0003 is missing: the client continues after waiting longer than any response took.
    @Test(arguments: [true, false])
    func theNextResponseIsNotTheMissingOne(isFirst: Bool) {
        let link = session.connect(to: Cast.puck)
        if !isFirst { link.read(0x0001, [1]) }
        link.request(ATT.ReadRequest(handle: 0x0003))
        session.recording.wait(milliseconds: 2100)
        for handle in [0x0005, 0x0007] as [Handle] { link.read(handle, [1]) }
        let story = Story(session.recording)
        #expect(answered(story) == (isFirst ? [] : [0x0001]) + [0x0005, 0x0007])
        #expect(story.metadata.count { $0.notes.contains(.overlapping) } == 1)
    }

    /// Two requests overlap, and the response fits only the second one, by its kind or its handle.
    @Test(arguments: [("0a 0300", "12 0500 01", "13"), ("08 0100 0400 0328", "08 0500 0900 0328", "01 08 0500 0a")])
    func aResponseThatFitsTheNewerRequestIsItsOwn(_ older: String, _ newer: String, _ response: String) {
        let link = session.connect(to: Cast.puck)
        link.carry(hex(older), on: .att, .sent)
        link.carry(hex(newer), on: .att, .sent)
        link.carry(hex(response), on: .att, .received)
        link.read(0x0007, [1])
        let story = Story(session.recording)
        #expect(story.batch.request(of: story.metadata[3])?.frame == 3)
        #expect(story.batch.request(of: story.metadata[5])?.frame == 5)
        #expect(!story.metadata[4].notes.contains(.overlapping))
    }

    /// Packets were dropped between the two requests; the response to the first may be among them.
    @Test func aRequestBeforeADropIsNotAnswered() {
        let link = session.connect(to: Cast.puck)
        for handle in [0x0003, 0x0005] as [Handle] { link.request(ATT.ReadRequest(handle: handle)) }
        link.respond(ATT.ReadResponse(value: [1]))
        var batch = session.recording.batch
        batch.packets[2].drops = 1
        var tracked = TrackedBatch()
        tracked.fill(batch)
        ConversationTracker(.none).follow(&tracked)
        #expect(tracked.metadata.compactMap { tracked.request(of: $0)?.handle } == [0x0005])
    }

    /// The response to the request of frame 2 is missing: pairing recovers at the next request.
    @Test func oneMissingResponseSpoilsNoMoreThanTheNextOne() {
        let link = session.connect(to: Cast.puck)
        link.request(ATT.ReadRequest(handle: 0x0003))
        for handle in [0x0005, 0x0007, 0x0009] as [Handle] { link.read(handle, [1]) }
        let story = Story(session.recording)
        let answered = story.metadata.compactMap { story.batch.request(of: $0)?.handle }
        #expect(answered.dropFirst() == [0x0007, 0x0009])
        #expect(story.metadata.count { $0.notes.contains(.overlapping) } == 1)
        #expect(!story.metadata.contains { $0.notes.contains(.unasked) })
    }
}

/// The values last written to characteristics.
struct WrittenValuesTests {
    @Test func aValueIsKeptAsFarAsAnAttributeCanBe() {
        var written = WrittenValues()
        written["command"] = (0..<600).map { UInt8(truncatingIfNeeded: $0) }
        #expect(written.byte(at: 17, of: "command") == 17)
        #expect(written.byte(at: 511, of: "command") == 255)
        #expect(written.byte(at: 512, of: "command") == nil)
        #expect(written.byte(at: 0, of: "other") == nil)
        written["command"] = [7]
        #expect(written.byte(at: 0, of: "command") == 7 && written.byte(at: 1, of: "command") == nil)
    }
}
