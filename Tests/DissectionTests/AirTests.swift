import BluetoothTypes
import Bytes
import Captures
import GAP
import LinkLayer
import TestKit
import Testing

@testable import Dissection

/// Following connections on the air.
struct AirTests {
    private let air = AirSession()
    private var story: Story { Story(air.recording) }

    @Test func aConnectionIsFollowedByItsAccessAddress() {
        let link = air.connect(Cast.phone, to: Cast.puck)
        link.notify(0x0006, [98])
        let story = story
        #expect(story.facts.map(\.connection) == [0, 0, 0])
        #expect(story.facts.map(\.direction) == [.sent, .sent, .received])
        #expect(story.peer(ofFrame: 3)?.address == Cast.puck)
        #expect(story.attributes.map(\.handle) == [0x0006])
    }

    @Test func aRepeatedPDUIsNotHandedUp() {
        let link = air.connect(Cast.phone, to: Cast.puck)
        link.fate = .missed
        link.notify(0x0006, [98])
        #expect(story.attributes.count == 1)
        #expect(story.facts.map { $0.notes.contains(.retransmission) } == [false, false, false, false, true])
    }

    @Test func anEqualValueThatIsNewIsHandedUp() {
        let link = air.connect(Cast.phone, to: Cast.puck)
        link.notify(0x0006, [98])
        link.notify(0x0006, [98])
        #expect(story.attributes.count == 2)
    }

    @Test func aDamagedPDUIsNotBelieved() {
        let link = air.connect(Cast.phone, to: Cast.puck)
        link.fate = .damaged
        link.notify(0x0006, [98])
        let story = story
        #expect(story.facts[2].notes == .badCRC)
        #expect(story.attributes.count == 1)
        #expect(story.dissected(3).diagnoses.map(\.layer) == ["btle"])
    }

    @Test func theCRCIsComputedWhereNobodyChecked() throws {
        let link = air.connect(Cast.phone, to: Cast.puck)
        link.fate = .damaged
        link.notify(0x0006, [98])
        let recording = air.recording
        for index in recording.packets.indices {
            // Clears "CRC checked" and "CRC valid".
            recording.packets[index].bytes[9] &= ~0x0C
        }
        #expect(story.facts.map { $0.notes.contains(.badCRC) } == [false, false, true, false, false])
    }

    @Test func fragmentsArePutTogetherOverEmptyPDUs() {
        let link = air.connect(Cast.phone, to: Cast.puck)
        link.mtu = 100
        link.notify(0x0006, Array(0..<60))
        let story = story
        #expect(story.attributes.count == 1)
        #expect(story.facts.last?.pdu.count == 67)
        #expect(story.facts.last?.pdu.place == .reassembled)
    }

    @Test func nothingIsReadAfterEncryptionStarts() {
        let link = air.connect(Cast.phone, to: Cast.puck)
        link.notify(0x0006, [98])
        link.encrypt()
        link.notify(0x0006, [97])
        let story = story
        #expect(story.attributes.count == 1)
        #expect(story.tracker.connections[0].isEncrypted)
        #expect(story.facts.last?.notes == .encrypted)
    }

    @Test func aRefusedEncryptionLeavesTheLinkReadable() {
        let link = air.connect(Cast.phone, to: Cast.puck)
        link.control(
            LL.EncReq(random: 0, encryptedDiversifier: 0, sessionKeyDiversifier: 1, initializationVector: 2), .sent)
        link.control(LL.EncRsp(sessionKeyDiversifier: 3, initializationVector: 4), .received)
        link.control(LL.RejectInd(errorCode: .pinOrKeyMissing), .received)
        link.notify(0x0006, [98])
        #expect(story.attributes.count == 1)
        #expect(!story.tracker.connections[0].isEncrypted)
    }

    @Test func theReasonOfTheEndIsKept() {
        let link = air.connect(Cast.phone, to: Cast.puck)
        link.disconnect(.received, reason: .remoteDevicePowerOff)
        #expect(story.tracker.connections[0].reason == 0x15)
    }

    @Test func anUnknownAdvertisementIsNobodys() {
        air.advertising(LL.AdvertisingHeader(type: LL.AdvertisingType(rawValue: 0xC), length: 8), Array(1...8))
        #expect(story.facts[0].sender == -1)
        #expect(story.tracker.devices.devices.isEmpty)
    }

    @Test func aTargetAddressIsNoAdvertisingData() {
        // The target's bytes would read as a complete local name of four letters.
        let target = DeviceAddress(Address(value: 0x6B_6375_50_09_05), .random)
        let payload = LL.DirectedAdvertising(advertiser: Cast.puck.address, target: target.address).encoded
        air.advertising(
            LL.AdvertisingHeader(type: .advDirectInd, txAdd: .random, rxAdd: .random, length: payload.count), payload)
        #expect(story.tracker.devices[story.facts[0].sender].name == "")
        #expect(story.tracker.devices[story.facts[0].receiver].address == target)
    }

    @Test func aReservedLLIDIsShownAsBytes() {
        let link = air.connect(Cast.phone, to: Cast.puck)
        air.record(
            LL.DataHeader(llid: LL.LLID(rawValue: 0), length: 2).encoded + [0xAA, 0xBB], address: link.accessAddress,
            crcInit: link.crcInit, channel: LL.Channel(rawValue: 7), traffic: 2)
        let frame = story.dissected(2)
        #expect(frame.recorder.fields.contains { $0.field == FrameFields.undecoded && $0.length == 2 })
    }
}
