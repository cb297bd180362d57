import Bluetooth
import Bytes
import Captures
import Dissection
import TestKit
import Testing

@testable import Conversation

/// Tracking connections on the air.
struct AirTests {
    private let air = AirSession()
    private var story: Story { Story(air.recording) }

    @Test func aConnectionIsFollowedByItsAccessAddress() {
        let link = air.connect(Cast.phone, to: Cast.puck)
        link.notify(0x0006, [98])
        let story = story
        #expect(story.metadata.map(\.connection) == [0, 0, 0])
        #expect(story.metadata.map(\.direction) == [.sent, .sent, .received])
        #expect(story.peer(ofFrame: 3)?.address == Cast.puck)
        #expect(story.attributes.map(\.handle) == [0x0006])
    }

    @Test func aRepeatedPDUIsNotHandedUp() {
        let link = air.connect(Cast.phone, to: Cast.puck)
        link.fate = .missed
        link.notify(0x0006, [98])
        #expect(story.attributes.count == 1)
        // The central also missed the acknowledgement in it, and retransmits its own PDU.
        #expect(story.metadata.map { $0.notes.contains(.retransmission) } == [false, false, false, true, true])
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
        #expect(story.metadata[2].notes == .badCRC)
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
        #expect(story.metadata.map { $0.notes.contains(.badCRC) } == [false, false, true, false, false])
    }

    @Test func fragmentsArePutTogetherOverEmptyPDUs() {
        let link = air.connect(Cast.phone, to: Cast.puck)
        link.mtu = 100
        link.notify(0x0006, Array(0..<60))
        let story = story
        #expect(story.attributes.count == 1)
        #expect(story.metadata.last?.pdu.count == 67)
        #expect(story.metadata.last?.pdu.place == .reassembled)
    }

    @Test func nothingIsReadAfterEncryptionStarts() {
        let link = air.connect(Cast.phone, to: Cast.puck)
        link.notify(0x0006, [98])
        link.encrypt()
        link.notify(0x0006, [97])
        let story = story
        #expect(story.attributes.count == 1)
        #expect(story.tracker.connections[0].isEncrypted)
        #expect(story.metadata.last?.notes == .encrypted)
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

    @Test(arguments: [AirLink.Decryption.flagged, .unflagged])
    func whatTheRecorderDecryptedIsRead(_ decryption: AirLink.Decryption) {
        let link = air.connect(Cast.phone, to: Cast.puck)
        link.decryption = decryption
        link.encrypt()
        link.notify(0x0006, [97])
        link.write(0x0007, [1, 0])
        let story = story
        #expect(story.attributes.count == 3)
        #expect(story.tracker.connections[0].isEncrypted)
        #expect(story.metadata.allSatisfy { $0.notes.isDisjoint(with: [.encrypted, .undecidedEncryption]) })
    }

    @Test func anEncryptedConnectionIsRecognisedFromWithin() {
        let link = air.resume()
        link.isEncrypted = true
        link.notify(0x0006, [97])
        link.control(LL.FeatureReq(features: LinkLayerFeatures(bits: 1)), .sent)
        let story = story
        #expect(story.attributes.isEmpty)
        #expect(story.tracker.connections[0].isEncrypted)
        #expect(story.metadata.filter { $0.kind != .empty }.allSatisfy { $0.notes.contains(.encrypted) })
    }

    @Test func aPlainConnectionIsReadFromWithin() {
        let link = air.resume()
        link.notify(0x0006, [97])
        link.control(LL.PingReq(), .sent)
        let story = story
        #expect(story.attributes.count == 1)
        #expect(!story.tracker.connections[0].isEncrypted)
        #expect(story.metadata.allSatisfy { $0.notes.isDisjoint(with: [.encrypted, .undecidedEncryption]) })
    }

    @Test func oneWellFormedControlPDUProvesNothing() {
        // Eight bytes after an opcode: one in a hundred encrypted PDUs would look like this.
        let link = air.resume()
        link.control(LL.FeatureReq(features: LinkLayerFeatures(bits: 1)), .sent)
        link.control(LL.FeatureRsp(features: LinkLayerFeatures(bits: 1)), .received)
        let story = story
        let control = story.metadata.filter { $0.kind == .control }
        #expect(control.map { $0.notes.contains(.undecidedEncryption) } == [true, false])
        #expect(story.dissected(control[0].packet.number).diagnoses.map(\.layer).contains("btle"))
    }

    @Test(arguments: [0x04, 0x05] as [UInt8])
    func encryptionIsRecognisedThoughAPDUThatStartsItIsMissing(_ opcode: UInt8) {
        let link = air.connect(Cast.phone, to: Cast.puck)
        link.notify(0x0006, [98])
        link.encrypt()
        link.notify(0x0006, [97])
        air.recording.packets.removeAll { packet in
            // Pseudo-header, access address and header take up 16 bytes.
            packet.bytes.count > 19 && packet.bytes[14] & 3 == 3 && packet.bytes[16] == opcode
        }
        let story = story
        #expect(story.attributes.count == 1)
        #expect(story.tracker.connections[0].isEncrypted)
        // Both LL_START_ENC_RSP, an empty PDU and the notification.
        #expect(story.metadata.suffix(4).filter { $0.kind != .empty }.allSatisfy { $0.notes.contains(.encrypted) })
    }

    @Test func anEqualPDUAfterOneThatWasMissedIsNoRepetition() {
        let link = air.connect(Cast.phone, to: Cast.puck)
        link.notify(0x0006, [98])
        link.acknowledge(.sent)
        link.isHeard = false
        link.notify(0x0006, [97])
        link.isHeard = true
        link.acknowledge(.sent)
        link.notify(0x0006, [98])
        let story = story
        #expect(story.attributes.count == 2)
        #expect(story.metadata.allSatisfy { !$0.notes.contains(.retransmission) })
        #expect(story.metadata.last?.notes == .missed)
    }

    @Test func aZeroCRCThatNobodyCheckedIsNone() {
        air.recordsCRC = false
        let link = air.connect(Cast.phone, to: Cast.puck)
        link.notify(0x0006, [98])
        let story = story
        #expect(story.attributes.count == 1)
        #expect(story.metadata.allSatisfy { $0.notes == .noCRC })
        #expect(story.dissected(3).diagnoses.map(\.severity) == [.note])
    }

    @Test func theReasonOfTheEndIsKept() {
        let link = air.connect(Cast.phone, to: Cast.puck)
        link.disconnect(.received, reason: .remoteDevicePowerOff)
        #expect(story.tracker.connections[0].reason == 0x15)
    }

    @Test func anUnknownAdvertisementIsNobodys() {
        air.advertising(LL.AdvertisingHeader(type: LL.AdvertisingType(rawValue: 0xC), length: 8), Array(1...8))
        #expect(story.metadata[0].sender == -1)
        #expect(story.tracker.devices.devices.isEmpty)
    }

    @Test func aTargetAddressIsNoAdvertisingData() {
        // The target's bytes would decode as a complete local name of four letters.
        let target = DeviceAddress(Address(value: 0x6B_6375_50_09_05), .random)
        let payload = LL.DirectedAdvertising(advertiser: Cast.puck.address, target: target.address).encoded
        air.advertising(
            LL.AdvertisingHeader(type: .advDirectInd, txAdd: .random, rxAdd: .random, length: payload.count), payload)
        #expect(story.tracker.devices[story.metadata[0].sender].name == "")
        #expect(story.tracker.devices[story.metadata[0].receiver].address == target)
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
