import Bluetooth
import Bytes
import Captures
import Dissection
import TestKit
import Testing

@testable import Conversation

/// Requests, responses and values.
struct TrackerTests {
    private let session = HCISession()

    private func connected() -> HCILink { session.connect(to: Cast.puck) }

    private var story: Story { Story(session.recording) }

    @Test func aResponseKnowsItsRequest() throws {
        let link = connected()
        link.read(0x0006, [98])
        let story = story
        let request = try #require(story.batch.request(of: story.metadata[2]))
        #expect(request.opcode == .readRequest)
        #expect(request.frame == 2)
        #expect(request.latency.nanoseconds == session.recording.pace)
        #expect(story.metadata[2].attribute?.handle == 0x0006)
        #expect(story.metadata[2].notes.isEmpty)
    }

    @Test func equalPacketsOfAUSBTransferAreNoRepetition() {
        let bytes: [UInt8] = [0x40, 0x20, 0x03, 0x00, 0x01, 0x00, 0x04]
        for (encapsulation, isRepeated) in [(.h1, true), (.usb, false)] as [(Encapsulation, Bool)] {
            let packet = CapturedPacket(
                number: 1, time: Timestamp(nanoseconds: 5), encapsulation: encapsulation, direction: .received,
                recordType: 2, originalLength: bytes.count, start: 0, count: bytes.count)
            var records = RepeatedRecords()
            let results = [records.record(packet, bytes), records.record(packet, bytes)]
            #expect(results == [false, isRepeated])
        }
    }

    @Test func aResponseWithoutRequestIsNoted() {
        let link = connected()
        link.respond(ATT.ReadResponse(value: [98]))
        #expect(story.metadata[1].notes == .unasked)
        #expect(story.metadata[1].attribute?.request == -1)
    }

    @Test func aResponseOfAnotherKindDoesNotAnswer() {
        let link = connected()
        link.request(ATT.ReadRequest(handle: 0x0006))
        link.respond(ATT.WriteResponse())
        link.respond(ATT.ReadResponse(value: [98]))
        #expect(story.metadata[2].notes == .unasked)
        #expect(story.metadata[3].notes.isEmpty)
    }

    @Test func anErrorAnswersTheRequestThatItNames() throws {
        let link = connected()
        link.request(ATT.ReadRequest(handle: 0x0006))
        link.refuse(.writeRequest, 0x0006, .writeNotPermitted)
        link.refuse(.readRequest, 0x0006, .readNotPermitted)
        #expect(story.metadata[2].notes == .unasked)
        #expect(story.batch.request(of: story.metadata[3])?.frame == 2)
    }

    @Test func anUnknownRequestIsAnsweredByItsError() {
        let link = connected()
        link.carry([0x3F, 1, 2], on: .att, .sent)
        link.refuse(ATT.Opcode(rawValue: 0x3F), 0, .requestNotSupported)
        #expect(story.batch.request(of: story.metadata[2])?.frame == 2)
    }

    @Test func anUnknownCommandWaitsForNothing() {
        let link = connected()
        link.carry([0x7F, 1, 2], on: .att, .sent)
        link.read(0x0006, [98])
        #expect(story.metadata.allSatisfy { $0.notes.isEmpty })
    }

    /// A host sees responses in the order of their requests (Vol 3, Part F, 3.3.2).
    @Test func twoRequestsAtATimeAreNoted() {
        let link = connected()
        link.request(ATT.ReadRequest(handle: 0x0003))
        link.request(ATT.ReadRequest(handle: 0x0006))
        link.respond(ATT.ReadResponse(value: [98]))
        #expect(story.metadata[2].notes == .overlapping)
        #expect(story.metadata[3].attribute?.handle == 0x0003)
    }

    @Test func bothSidesMayAskAtTheSameTime() {
        let link = connected()
        link.request(ATT.ReadRequest(handle: 0x0003))
        link.respond(ATT.ReadRequest(handle: 0x0010))
        link.respond(ATT.ReadResponse(value: [1]))
        link.request(ATT.ReadResponse(value: [2]))
        #expect(story.metadata[3].attribute?.handle == 0x0003)
        #expect(story.metadata[4].attribute?.handle == 0x0010)
        #expect(story.metadata[3].attribute?.tableVersion != story.metadata[4].attribute?.tableVersion)
        #expect(story.metadata.allSatisfy { $0.notes.isEmpty })
    }

    @Test func aConfirmationBelongsToItsIndication() {
        let link = connected()
        link.request(ATT.ReadRequest(handle: 0x0003))
        link.indicate(0x0008, [1])
        link.respond(ATT.ReadResponse(value: [2]))
        #expect(story.metadata[3].attribute?.handle == 0x0008)
        #expect(story.metadata[4].attribute?.handle == 0x0003)
        #expect(story.metadata.allSatisfy { $0.notes.isEmpty })
    }

    @Test func theSmallerMTUIsAgreedOn() {
        let link = connected()
        #expect(story.tracker.connections[0].mtu == 23)
        link.exchangeMTU(client: 247, server: 185)
        #expect(story.tracker.connections[0].mtu == 185)
        link.exchangeMTU(client: 10, server: 185)
        #expect(story.tracker.connections[0].mtu == 23)
    }

    @Test(arguments: [23, 44, 50, 66, 511, 512])
    func aLongReadGivesTheWholeValue(_ length: Int) throws {
        let value = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
        let link = connected()
        link.readLong(0x0006, value)
        let story = story
        let last = try #require(story.metadata.last)
        #expect(Array(story.batch.reassembly.bytes[last.longValue.range]) == value)
        #expect(last.attribute?.handle == 0x0006)
        #expect(story.metadata.dropLast().allSatisfy { $0.longValue.place == .none })
    }

    @Test func aShortReadIsNoPart() {
        let link = connected()
        link.read(0x0006, [UInt8](repeating: 1, count: 21))
        link.read(0x0006, [UInt8](repeating: 1, count: 22))
        #expect(!story.metadata[2].notes.contains(.partialValue))
        #expect(story.metadata[4].notes.contains(.partialValue))
    }

    @Test func aLongWriteGivesTheWholeValueAndItsAttribute() throws {
        let value = Array(0..<50 as Range<UInt8>)
        let link = connected()
        link.writeLong(0x0006, value)
        let story = story
        let execute = try #require(story.metadata.first { $0.attribute?.opcode == .executeWriteRequest })
        #expect(execute.attribute?.handle == 0x0006)
        #expect(Array(story.batch.reassembly.bytes[execute.longValue.range]) == value)
        #expect(story.metadata.last?.attribute?.handle == 0x0006)
    }

    @Test func aCancelledWriteGivesNothing() {
        let link = connected()
        link.writeLong(0x0006, Array(0..<50), execute: false)
        #expect(story.metadata.allSatisfy { $0.longValue.place == .none })
    }

    @Test func aLongReadAndALongWriteOfBothSidesDoNotMix() throws {
        let link = connected()
        link.request(ATT.PrepareWriteRequest(handle: 0x0006, offset: 0, value: [1, 2]))
        link.respond(ATT.PrepareWriteResponse(handle: 0x0006, offset: 0, value: [1, 2]))
        link.client = .received
        link.readLong(0x0020, [UInt8](repeating: 9, count: 30))
        link.client = .sent
        link.request(ATT.ExecuteWriteRequest(flags: 1))
        let story = story
        let execute = try #require(story.metadata.last)
        #expect(Array(story.batch.reassembly.bytes[execute.longValue.range]) == [1, 2])
    }

    @Test func aCutPacketIsLostWithItsPDU() {
        let link = connected()
        link.fragmentation = .leading([7])
        link.notify(0x0006, [1, 2, 3])
        let recording = session.recording
        let tail = recording.packets.removeLast()
        recording.cutLast(to: 10)
        recording.packets.append(tail)
        link.notify(0x0006, [4])
        let story = story
        #expect(story.metadata[1].pdu.place == .none)
        #expect(story.metadata[2].notes == .orphan)
        #expect(story.metadata[3].notes == .fragment)
        #expect(story.metadata[4].attribute?.opcode == .handleValueNotification)
    }

    @Test func truncatedPDUsAreFollowedAsFarAsTheyGo() {
        let link = connected()
        for pdu in [[0x1B], [0x1B, 6], [0x18], [0x16, 6, 0, 0], [0x03, 1], [0x08, 1, 0], [0x01], []] as [[UInt8]] {
            link.carry(pdu, on: .att, .received)
            link.carry(pdu, on: .att, .sent)
        }
        link.notify(0x0006, [98])
        #expect(story.attributes.last?.handle == 0x0006)
        #expect(story.metadata.count == 18)
    }
}
