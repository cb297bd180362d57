import Bluetooth
import Captures
import PDUTestKit
import TestKit
import Testing

@testable import Conversation

/// ATT over credit-based channels (Vol 3, Part G, 5.3): each has its own transactions and ATT_MTU; the attribute table
/// belongs to the connection.
struct EnhancedBearerTests {
    private let session = HCISession()
    private let link: HCILink

    init() { link = session.connect(to: Cast.puck) }

    private var story: Story { Story(session.recording) }

    /// Index of the last recorded frame.
    private var last: Int { session.recording.packets.count - 1 }

    @Test func eachBearerHasItsOwnRequest() throws {
        link.openBearers(2)
        link.request(ATT.ReadRequest(handle: 0x0003), onBearer: 0)
        let first = last
        link.request(ATT.ReadRequest(handle: 0x0006), onBearer: 1)
        link.request(ATT.ReadRequest(handle: 0x0009))
        link.respond(ATT.ReadResponse(value: [1]), onBearer: 1)
        link.respond(ATT.ReadResponse(value: [2]))
        link.respond(ATT.ReadResponse(value: [3]), onBearer: 0)
        let story = story
        let metadata = story.metadata[first...]
        #expect(metadata.allSatisfy { $0.notes.isEmpty })
        #expect(metadata.map { $0.attribute?.handle } == [0x0003, 0x0006, 0x0009, 0x0006, 0x0009, 0x0003])
        #expect(metadata.map(\.bearer) == [1, 2, 0, 2, 0, 1])
        let values = try metadata.suffix(3).map { try #require(story.batch.value(of: $0)) }
        #expect(values.map { Array(story.batch.bytes(of: $0)) } == [[1], [2], [3]])
    }

    @Test func requestsOnOneBearerOverlap() {
        link.openBearers(2)
        link.request(ATT.ReadRequest(handle: 0x0003), onBearer: 1)
        link.request(ATT.ReadRequest(handle: 0x0006), onBearer: 1)
        #expect(story.metadata[last].notes == .overlapping)
    }

    @Test func confirmationsBelongToTheirBearers() {
        link.openBearers(2)
        link.respond(ATT.HandleValueIndication(handle: 0x0003, value: [1]), onBearer: 0)
        link.respond(ATT.HandleValueIndication(handle: 0x0006, value: [2]), onBearer: 1)
        link.request(ATT.HandleValueConfirmation(), onBearer: 0)
        #expect(story.metadata[last].attribute?.handle == 0x0003)
        link.request(ATT.HandleValueConfirmation(), onBearer: 0)
        #expect(story.metadata[last].attribute?.request == -1)
    }

    /// The PDU has 100 bytes and spans two K-frames.
    @Test func anSDUInSeveralKFramesIsOnePDU() throws {
        link.openBearers(1, mtu: 200)
        let value = [UInt8](0..<97)
        link.respond(ATT.HandleValueNotification(handle: 0x0006, value: value), onBearer: 0)
        let story = story
        #expect(story.metadata[last - 1].attribute == nil)
        #expect(story.metadata[last - 1].notes == .segment)
        let metadata = story.metadata[last]
        #expect(metadata.attribute?.handle == 0x0006)
        #expect(metadata.attPDU.count == 100)
        #expect(try Array(story.batch.bytes(of: #require(story.batch.value(of: metadata)))) == value)
    }

    @Test func aKFrameInSeveralFragmentsIsOnePDU() throws {
        link.openBearers(1)
        link.fragmentation = .every(7)
        link.respond(ATT.HandleValueNotification(handle: 0x0006, value: [1, 2, 3, 4, 5]), onBearer: 0)
        let story = story
        let value = try #require(story.batch.value(of: story.metadata[last]))
        #expect(Array(story.batch.bytes(of: value)) == [1, 2, 3, 4, 5])
    }

    /// A response that fills the ATT_MTU may be truncated.
    @Test func theMTUIsTheSmallerOneOfBothEnds() {
        link.openBearers(1, mtu: 100, serverMTU: 80)
        func isPartial(_ count: Int) -> Bool {
            link.request(ATT.ReadRequest(handle: 0x0006), onBearer: 0)
            link.respond(ATT.ReadResponse(value: [UInt8](repeating: 1, count: count)), onBearer: 0)
            return story.metadata[last].notes.contains(.partialValue)
        }
        #expect(!isPartial(78))
        #expect(isPartial(79))
        link.reconfigureBearer(0, mtu: 90, of: .received)
        #expect(!isPartial(79))
        #expect(isPartial(89))
        #expect(story.tracker.connections[0].mtu == 23)
        link.read(0x0006, [UInt8](repeating: 1, count: 22))
        #expect(story.metadata[last].notes.contains(.partialValue))
    }

    @Test func bearersAndTheirMTUsAreGathered() {
        link.openBearers(2, mtu: 100, serverMTU: 80)
        let opened = last + 1
        link.reconfigureBearer(1, mtu: 90, of: .received)
        let changed = last + 1
        link.closeBearer(0)
        let bearers = story.batch.reassembly.bearers
        #expect(bearers == [opened: [1: 80, 2: 80], changed: [1: 80, 2: 90], last + 1: [2: 90]])
    }

    /// The channel's endpoints determine its MTU (Vol 3, Part G, 5.3.1).
    @Test func anExchangeOnABearerChangesNoMTU() {
        link.openBearers(1)
        link.request(ATT.ExchangeMTURequest(clientRxMTU: 200), onBearer: 0)
        link.respond(ATT.ExchangeMTUResponse(serverRxMTU: 200), onBearer: 0)
        link.request(ATT.ReadRequest(handle: 0x0006), onBearer: 0)
        link.respond(ATT.ReadResponse(value: [UInt8](repeating: 1, count: 63)), onBearer: 0)
        #expect(story.metadata[last].notes.contains(.partialValue))
        #expect(story.tracker.connections[0].mtu == 23)
    }

    @Test func aChannelThatIsOpenedAgainIsAnotherBearer() {
        link.openBearers(1)
        link.request(ATT.ReadRequest(handle: 0x0003), onBearer: 0)
        link.closeBearer(0)
        link.openBearers(1)
        link.respond(ATT.ReadResponse(value: [1]), onBearer: 0)
        #expect(story.metadata[last].notes == .unasked)
        #expect(story.metadata[last].bearer == 2)
        #expect(story.tracker.openConnections[0].bearers.count == 1)
    }

    @Test func aChannelThatIsNotKnownCarriesNoATT() {
        link.request(ATT.ReadRequest(handle: 0x0003), onBearer: 0)
        #expect(story.metadata[last].attribute == nil)
        #expect(story.metadata[last].segment == nil)
    }

    @Test func otherChannelsCarryNoATT() {
        link.signal(
            L2CAP.LECreditBasedConnectionRequest(
                spsm: L2CAP.SPSM(0x80), source: L2CAP.ChannelID(0x40), mtu: 64, mps: 64, initialCredits: 10),
            identifier: 1, .sent)
        link.signal(
            L2CAP.LECreditBasedConnectionResponse(
                destination: L2CAP.ChannelID(0x50), mtu: 64, mps: 64, initialCredits: 10, result: .successful),
            identifier: 1, .received)
        link.request(ATT.ReadRequest(handle: 0x0003), onBearer: 0)
        #expect(story.metadata[last].attribute == nil)
        #expect(story.metadata[last].segment?.isWhole == true)
    }

    @Test func whatABearerTellsOfTheTableHoldsForAll() {
        link.openBearers(1)
        link.request(
            ATT.ReadByTypeRequest(start: 1, end: 0xFFFF, type: .characteristic), onBearer: 0)
        link.carry(hex("09 07 0200 02 0300 192a"), onBearer: 0, .received)
        link.read(0x0003, [98])
        #expect(story.lastName?.type == UUID(0x2A19))
    }

    /// The last response of a long value spans two K-frames; the value is stored behind its SDU.
    @Test func aLongValueThatEndsInSeveralKFramesIsWhole() throws {
        link.openBearers(1, mtu: 100)
        let value = [UInt8](0..<180)
        link.request(ATT.ReadRequest(handle: 0x0006), onBearer: 0)
        link.respond(ATT.ReadResponse(value: Array(value[..<99])), onBearer: 0)
        link.request(ATT.ReadBlobRequest(handle: 0x0006, offset: 99), onBearer: 0)
        link.respond(ATT.ReadBlobResponse(value: Array(value[99...])), onBearer: 0)
        let story = story
        let metadata = story.metadata[last]
        #expect(Array(story.batch.bytes(of: metadata.longValue)) == value)
        #expect(Array(story.batch.bytes(of: metadata.attPDU)) == [0x0D] + value[99...])
        #expect(metadata.assembled.count == 82 + 180)
        #expect(metadata.assembled.range.upperBound == metadata.longValue.range.upperBound)
    }

    /// A client may send the parts on any of its bearers.
    @Test func aValueMayBeWrittenOverSeveralBearers() {
        link.openBearers(2)
        for (bearer, offset) in [(0, 0), (1, 3)] {
            let part = ATT.PrepareWriteRequest(handle: 0x0006, offset: UInt16(offset), value: [1, 2, 3])
            link.request(part, onBearer: bearer)
        }
        link.request(ATT.ExecuteWriteRequest(flags: 1))
        let story = story
        #expect(Array(story.batch.bytes(of: story.metadata[last].longValue)) == [1, 2, 3, 1, 2, 3])
    }
}
