import Bluetooth
import Bytes
import Captures
import PDUTestKit
import TestKit
import Testing

@testable import Conversation

/// Assignment of packets on the air to their transports.
struct AirStreamTests {
    private let air = AirSession()
    private let start: Int64
    private var story: Story { Story(air.recording) }

    init() {
        air.recording.pace = 0
        start = air.recording.time.nanoseconds
    }

    private func at(_ microseconds: Int64) {
        air.recording.time = Timestamp(nanoseconds: start + microseconds * 1000)
    }

    private func places(_ story: Story) -> [StreamPDU] { story.metadata.compactMap { story.batch.streamPDU(of: $0) } }

    // MARK: - Trains and groups

    @Test func syncInfoAnnouncesATrain() {
        let train = AirTrain()
        air.advertiseExtended(Cast.puck, [], syncInfo: train.syncInfo(offset: 30_000, event: 65_534))
        for event in [0, 1, 4, 5] as [Int64] {
            at(30_000 + 100_000 * event)
            air.periodic(train, hex("0416 0f18 63"))
        }
        let story = story
        #expect(story.tracker.connections.isEmpty)
        #expect(story.metadata.suffix(4).allSatisfy { $0.kind == .periodic && $0.connection < 0 })
        #expect(places(story).map(\.event) == [65_534, 65_535, 2, 3])
        #expect(story.tracker.streams.map(\.missed) == [2])
        #expect(story.tracker.streams.map(\.interval) == [TimeSpan(milliseconds: 100)])
        #expect(story.peer(ofFrame: 3)?.address == Cast.puck)
    }

    @Test func aTrainThatNobodyNamesIsFoundByItsCRC() {
        // Its packets precede SyncInfo in the capture; the recorder does not label them.
        let train = AirTrain()
        air.periodic(train, hex("0416 0f18 63"))
        air.advertiseExtended(Cast.puck, [], syncInfo: train.syncInfo(offset: 30_000, event: 1))
        at(30_000)
        air.periodic(train, hex("0416 0f18 62"))
        let story = story
        #expect(story.metadata.map(\.kind) == [.unassigned, .advertising, .auxiliary, .periodic])
        #expect(story.tracker.connections.isEmpty)
    }

    @Test func bigInfoAnnouncesStreams() {
        let train = AirTrain()
        let group = GAP.BIGInfo.group(streams: 2, offset: 3000, payload: 500, isEncrypted: true)
        air.advertiseExtended(Cast.puck, [], syncInfo: train.syncInfo(offset: 30_000, event: 7))
        at(30_000)
        air.periodic(train, [], controllerData: AirSession.structure(.bigInfo, group.encoded))
        at(33_000)
        air.broadcast(group, 1, hex("0102030405"))
        at(34_200)
        air.broadcast(group, 1, hex("0102030405"))
        at(65_400)
        air.broadcast(group, 2, hex("0102030405"))
        let story = story
        #expect(places(story).dropFirst().map(\.payload) == [500, 500, 503])
        #expect(places(story).dropFirst().map(\.index) == [1, 1, 2])
        #expect(places(story).dropFirst().map(\.subevent) == [0, 1, 0])
        #expect(story.metadata.suffix(3).allSatisfy { $0.kind == .isochronous && $0.notes == .encrypted })
        #expect(story.tracker.streams.map(\.name) == ["periodic advertising", "BIS 1", "BIS 2"])
    }

    @Test func payloadsAreSentAheadOfTheirEvents() {
        var timing = StreamTiming()
        timing.interval = TimeSpan(milliseconds: 10)
        timing.subevents.count = 6
        timing.subevents.interval = TimeSpan(milliseconds: 1)
        timing.subevents.burst = 2
        timing.subevents.repetitions = 2
        timing.subevents.preTransmission = 3
        timing.set(anchor: .epoch, event: 10)
        let payloads = (0..<6).map { subevent in
            timing.payload(at: timing.place(at: Timestamp(microseconds: 10_000 + 1000 * Int64(subevent))))
        }
        #expect(payloads == [22, 23, 22, 23, 28, 29])
    }

    @Test func responsesHaveSlots() {
        var train = AirTrain()
        let timing = GAP.PeriodicResponseTiming(
            accessAddress: 0x4D3A_92C5, subeventCount: 3, subeventInterval: 16, responseSlotDelay: 4,
            responseSlotSpacing: 16)
        train.responses = timing
        air.advertiseExtended(
            Cast.puck, [], syncInfo: train.syncInfo(offset: 30_000, event: 1),
            controllerData: AirSession.structure(.periodicResponseTiming, timing.encoded))
        at(50_000)
        air.periodic(train, [])
        at(59_000)
        air.periodic(train, [], isResponse: true)
        let story = story
        #expect(places(story).map(\.subevent) == [1, 1])
        #expect(places(story).map(\.responseSlot) == [nil, 2])
        #expect(places(story).map(\.context) == [.subevent, .subeventResponse])
        #expect(story.tracker.connections.isEmpty)
    }

    @Test func aDamagedPDUOfATrainStaysItsOwn() {
        let train = AirTrain()
        air.advertiseExtended(Cast.puck, [], syncInfo: train.syncInfo(offset: 30_000, event: 1))
        at(30_000)
        air.periodic(train, hex("0416 0f18 63"))
        air.recording.packets[2].bytes[20] ^= 0x10
        // Clears "CRC checked" and "CRC valid": the CRCInit of SyncInfo shows the damage.
        air.recording.packets[2].bytes[9] &= ~0x0C
        let story = story
        #expect(story.metadata[2].notes == .badCRC)
        #expect(story.metadata[2].kind == .damaged)
        #expect(places(story).count == 1)
    }

    // MARK: - Connected streams

    @Test func cisIndAnnouncesAStream() {
        let link = air.connect(Cast.phone, to: Cast.puck)
        let address = LL.AccessAddress(rawValue: 0x6B1D_93A4)
        link.control(
            LL.CISInd(accessAddress: address, offset: 1, cigSyncDelay: 1, cisSyncDelay: 1, connectionEventCount: 1),
            .sent)
        for number in 0..<4 as Range<UInt8> { air.isochronous(address, of: link, [number]) }
        let story = story
        #expect(story.tracker.connections.count == 1)
        #expect(story.metadata.suffix(4).allSatisfy { $0.kind == .isochronous && $0.notes.isEmpty })
        #expect(story.tracker.streams.map(\.connection) == [0])
        #expect(story.tracker.streams.map(\.packets) == [4])
    }

    @Test func aConnectionTakesTheAddressOfAnOldStream() {
        let link = air.connect(Cast.phone, to: Cast.puck)
        let address = LL.AccessAddress(rawValue: 0x6B1D_93A4)
        link.control(
            LL.CISInd(accessAddress: address, offset: 1, cigSyncDelay: 1, cisSyncDelay: 1, connectionEventCount: 1),
            .sent)
        air.isochronous(address, of: link, [1])
        let next = air.connect(Cast.phone, to: Cast.counter, accessAddress: address.rawValue)
        next.notify(0x0006, [98])
        #expect(story.tracker.connections.count == 2)
        #expect(story.attributes.count == 1)
    }

    // MARK: - Without an announcement

    private func record(_ pdu: [UInt8], _ address: UInt32, _ crcInit: UInt32, channel: UInt8 = 12, traffic: UInt16 = 0)
    {
        air.record(
            pdu, address: LL.AccessAddress(rawValue: address), crcInit: crcInit,
            channel: LL.Channel(rawValue: channel), traffic: traffic)
    }

    @Test(arguments: 0..<32)
    func oneDamagedBitIsNoConnection(_ bit: Int) {
        for _ in 0..<8 { record(hex("02 07 0300 0400 1b0300"), 0x8E89_BED6 ^ 1 << UInt32(bit), 0x11_2233, traffic: 2) }
        #expect(story.tracker.connections.isEmpty)
        #expect(story.metadata.allSatisfy { $0.kind == .damaged && $0.notes == .damagedAddress })
    }

    @Test func anAdvertisementIsKnownByItsCRC() {
        for number in 0..<8 as Range<UInt8> { record([0x02, 6, number, 0, 0, 0, 0, 0xC0], 0x50C2_1A97, 0x55_5555) }
        #expect(story.metadata.allSatisfy { $0.kind == .damaged })
    }

    @Test func dataOnAPrimaryChannelIsDamaged() {
        for _ in 0..<8 { record(hex("02 07 0300 0400 1b0300"), 0x50C2_1A97, 0x11_2233, channel: 39) }
        #expect(story.metadata.allSatisfy { $0.kind == .damaged })
    }

    @Test func unrelatedPacketsAreNoConnection() {
        for number in 0..<100 as Range<UInt32> {
            record([0x02, 2, UInt8(number), 1], 0x50C2_1A97, number &* 7919 + 1)
        }
        // Clears "CRC checked" and "CRC valid".
        for index in air.recording.packets.indices { air.recording.packets[index].bytes[9] &= ~0x0C }
        #expect(story.tracker.connections.isEmpty)
    }

    @Test func twoPDUsWithTheSameCRCInitAreAConnection() {
        record(hex("0d 00"), 0x50C2_1A97, 0x11_2233)
        record(hex("09 00"), 0x50C2_1A97, 0x11_2233)
        for index in air.recording.packets.indices { air.recording.packets[index].bytes[9] &= ~0x0C }
        let story = story
        #expect(story.metadata.map(\.kind) == [.unassigned, .empty])
        #expect(story.metadata.map(\.connection) == [-1, 0])
        #expect(story.metadata[1].notes == .beginningMissing)
    }

    @Test func aPDUOfL2CAPProvesAConnection() {
        record(hex("02 07 0300 0400 1b0300"), 0x50C2_1A97, 0x11_2233)
        #expect(story.metadata.map(\.connection) == [0])
    }

    @Test func withoutCRCsSeveralPDUsAreNeeded() {
        air.recordsCRC = false
        for _ in 0..<5 { record(hex("0d 00"), 0x50C2_1A97, 0x11_2233) }
        #expect(story.metadata.map(\.connection) == [-1, -1, -1, 0, 0])
    }

    @Test func candidatesAreLimited() {
        var classifier = StreamClassifier()
        for number in 0..<10_000 as Range<UInt32> { record([0x02, 2, 1, 1], 0x50C2_1A97 ^ number << 3, number &+ 1) }
        for (index, packet) in air.recording.packets.enumerated() {
            var reader = ByteReader(packet.bytes.span)
            guard let read = try? LinkLayerPacket(reading: &reader, .radio) else { continue }
            _ = classifier.traffic(of: read, in: packet.bytes.span, at: Timestamp(nanoseconds: Int64(index)))
        }
        #expect(classifier.candidateCount == StreamClassifier.limit)
    }

    @Test func timesOfAnySizeAreTaken() {
        var timing = StreamTiming()
        timing.interval = TimeSpan(microseconds: 1250)
        timing.subevents.interval = TimeSpan(microseconds: 1250)
        timing.subevents.offset = TimeSpan(microseconds: 5)
        timing.subevents.count = 255
        timing.set(anchor: .latest, event: .max)
        for time in [Int64.min, .max, 0, -1, .min, 1] {
            let place = timing.place(at: Timestamp(nanoseconds: time))
            _ = timing.payload(at: place)
            #expect(place.missed <= 1_000_000)
        }
    }
}
