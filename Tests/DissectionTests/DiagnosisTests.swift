import Bluetooth
import Bytes
import Captures
import Conversation
import PDUTestKit
import TestKit
import Testing

@testable import Dissection

/// Diagnoses of malformed frames: layer, offset and numbers.
struct DiagnosisTests {
    private let session = HCISession()
    private var story: Story { Story(session.recording) }

    /// The last recorded frame, dissected.
    private var last: DissectedFrame { story.dissected(session.recording.packets.count) }

    @Test func aMissingFieldIsNamedWithItsPlace() {
        session.connect(to: Cast.puck).carry([0x0A, 0x06], on: .att, .sent)
        let diagnosis = last.diagnoses.first
        #expect(diagnosis?.layer == "btatt")
        #expect(diagnosis?.offset == 10)
        #expect(diagnosis?.severity == .error)
        #expect(diagnosis?.text.contains("needs 2 bytes, 1 left") == true)
    }

    @Test func bytesThatWereNotReadAreShownInTheirLayer() throws {
        session.connect(to: Cast.puck).carry([0x0A, 0x06], on: .att, .sent)
        let frame = last
        let layer = try #require(frame.recorder.fields.firstIndex { $0.field == ATT.layer })
        let undecoded = try #require(frame.recorder.fields.last)
        #expect(undecoded.field == FrameFields.undecoded)
        #expect(undecoded.depth == 1)
        #expect(Int(undecoded.offset) == 10)
        let fields = frame.recorder.fields
        #expect(fields.span.endOfTree(layer, before: fields.count) == fields.count)
    }

    @Test func bytesInTheMiddleThatWereNotReadAreShownToo() {
        // The header announces 25 bytes of parameters, but 3 are present; the third is half of a field.
        session.command([0x0D, 0x20, 25, 0x60, 0x00, 0x30])
        let frame = last
        #expect(frame.diagnoses.map(\.layer) == ["bthci_cmd"])
        #expect(frame.recorder.fields.last?.field == FrameFields.undecoded)
        #expect(frame.recorder.fields.last?.offset == 6)
    }

    @Test func bytesBeyondThePDUAreNoPartOfTheValue() {
        let link = session.connect(to: Cast.puck)
        session.record(link.packet([4, 0, 4, 0, 0x1B, 6, 0, 98, 0xEE], boundary: .firstFlushable), .received)
        let frame = last
        #expect(frame.recorder.fields.first { $0.field == ATT.Fields.value }?.length == 1)
        #expect(frame.diagnoses.map(\.text) == ["more bytes than the PDU length"])
        #expect(frame.recorder.fields.last?.field == FrameFields.undecoded)
    }

    @Test func anUnknownOpcodeIsAWarningWhereItStands() {
        session.connect(to: Cast.puck).carry([0x7F], on: .att, .sent)
        #expect(last.diagnoses.map(\.severity) == [.warning])
        #expect(last.diagnoses.map(\.offset) == [9])
    }

    @Test func anUnknownPacketTypeIsAWarning() {
        session.record([0x42, 1, 2], .sent)
        #expect(last.diagnoses == [Diagnostic(.warning, "hci_h4", "packet type 66 is unknown")])
    }

    @Test func aCutFrameSaysWhatIsMissing() {
        let link = session.connect(to: Cast.puck)
        link.notify(0x0006, [1, 2, 3, 4])
        session.recording.cutLast(to: 14)
        #expect(last.diagnoses.map(\.text) == ["captured length 14 of 16 bytes"])
        // Opcode and handle are complete; two bytes of the value were captured.
        let value = last.recorder.fields.first { $0.field == ATT.Fields.value }
        #expect(value?.length == 2 && value?.offset == 12)
        #expect(last.values.isEmpty && last.message == nil)
    }

    @Test func aPDUWithinAnotherIsAWarning() {
        let link = session.connect(to: Cast.puck)
        session.record(link.packet([9, 0, 4, 0, 0x1B], boundary: .firstFlushable), .received)
        link.notify(0x0006, [98])
        #expect(last.diagnoses.map(\.severity) == [.warning])
        #expect(last.recorder.fields.contains { $0.field == ATT.Fields.value })
    }

    @Test func aKFrameSaysWhichRuleItBreaks() {
        let link = session.connect(to: Cast.puck)
        link.signal(
            L2CAP.LECreditBasedConnectionRequest(
                spsm: L2CAP.SPSM(0x80), source: L2CAP.ChannelID(0x40), mtu: 64, mps: 64, initialCredits: 0),
            identifier: 1, .sent)
        link.signal(
            L2CAP.LECreditBasedConnectionResponse(
                destination: L2CAP.ChannelID(0x41), mtu: 30, mps: 23, initialCredits: 1, result: .successful),
            identifier: 1, .received)
        link.carry([40, 0] + [UInt8](repeating: 1, count: 22), on: L2CAP.ChannelID(0x41), .sent)
        #expect(
            last.diagnoses.map(\.text) == [
                "K-frame of 24 bytes is longer than the MPS, 23", "SDU of 40 bytes is longer than the MTU, 30",
            ])
        link.carry([1], on: L2CAP.ChannelID(0x41), .sent)
        #expect(last.diagnoses.map(\.text) == ["K-frame was sent without a credit"])
    }

    /// The recorder truncates a K-frame within an SDU, or its second fragment.
    @Test(arguments: [false, true])
    func anSDUWithACutKFrameIsLostAndNoOther(isInSecondFragment: Bool) {
        let link = session.connect(to: Cast.puck)
        link.signal(
            L2CAP.LECreditBasedConnectionRequest(
                spsm: L2CAP.SPSM(0x80), source: L2CAP.ChannelID(0x40), mtu: 100, mps: 23, initialCredits: 10),
            identifier: 1, .sent)
        link.signal(
            L2CAP.LECreditBasedConnectionResponse(
                destination: L2CAP.ChannelID(0x41), mtu: 100, mps: 23, initialCredits: 10, result: .successful),
            identifier: 1, .received)
        let channel = L2CAP.ChannelID(0x41)
        link.carry([61, 0] + [UInt8](repeating: 1, count: 21), on: channel, .sent)
        if isInSecondFragment { link.fragmentation = .every(16) }
        link.carry([UInt8](repeating: 2, count: 20), on: channel, .sent)
        session.recording.cutLast(to: 12)
        link.fragmentation = .whole
        link.carry([UInt8](repeating: 3, count: 20), on: channel, .sent)
        let count = session.recording.packets.count
        for _ in 0..<3 { link.carry([5, 0, 4, 4, 4, 4, 4], on: channel, .sent) }
        let story = story
        #expect(story.metadata[count...].map { $0.segment?.isWhole } == [true, true, true])
        #expect((count...(count + 3)).flatMap { story.dissected($0).diagnoses } == [])
    }

    @Test func creditsForNobodyAreAnError() {
        let link = session.connect(to: Cast.puck)
        link.signal(L2CAP.FlowControlCredit(cid: L2CAP.ChannelID(0x50), credits: 1), identifier: 3, .sent)
        #expect(last.diagnoses.map(\.layer) == ["btl2cap"])
    }

    @Test(arguments: [(L2CAP.ChannelID.att, hex("1b 0600 62")), (.smp, hex("0b 05")), (.bredrSMP, hex("0b 05"))])
    func theL2CAPLayerCoversItsPDU(channel: L2CAP.ChannelID, payload: [UInt8]) {
        session.connect(to: Cast.puck).carry(payload, on: channel, .received)
        let layer = last.recorder.fields.first { $0.field == L2CAP.layer }
        #expect(layer?.offset == 5)
        #expect(layer.map { Int($0.length) } == 4 + payload.count)
        #expect(last.recorder.fields.contains { $0.field == SMP.layer } == (channel != .att))
    }

    /// An ADV_IND too short for its address still has its CRC behind it.
    @Test(arguments: [false, true])
    func aCRCFollowsAPDUThatCannotBeRead(isDamaged: Bool) throws {
        let air = AirSession()
        let header = LL.AdvertisingHeader(type: .advInd, txAdd: .random, length: 3)
        air.record(
            header.encoded + [1, 2, 3], address: .advertising, crcInit: LL.advertisingCRCInit,
            channel: LL.Channel(rawValue: 37), traffic: 0, isDamaged: isDamaged)
        let frame = Story(air.recording).dissected(1)
        let fields = frame.recorder.fields
        let crc = try #require(fields.first { $0.field == LL.Fields.crc })
        #expect(crc.depth == 1)
        #expect(Int(crc.offset) == air.recording.packets[0].bytes.count - 3)
        #expect(fields.contains { $0.field == LL.Fields.crcIncorrect } == isDamaged)
        #expect(fields.last?.field == FrameFields.undecoded)
        #expect(fields.last?.length == 3)
        #expect(frame.diagnoses.first?.severity == .error)
    }

    /// A frame with part of a key, too short to be decoded as the key's field.
    @Test(arguments: [
        // LE Enable Encryption with 15 bytes of 16, and with 16, the last of which the recorder cut off.
        ("01 1920 1b 4000 0000000000000000 0000 0102030405060708090a0b0c0d0e0f", 0),
        ("01 1920 1c 4000 0000000000000000 0000 0102030405060708090a0b0c0d0e0f10", 1),
        // Link Key Notification without its last byte, the key's type.
        ("04 18 17 665544332211 0102030405060708090a0b0c0d0e0f10 00", 1),
        // Signing Information with 15 bytes, and with an L2CAP length that ends within the key.
        ("02 4020 1400 1000 0600 0a 0102030405060708090a0b0c0d0e0f", 0),
        ("02 4020 1500 0800 0600 0a 0102030405060708090a0b0c0d0e0f10", 0),
        // A truncated Signing Information, and one that the recorder truncated.
        ("02 4020 0c00 1100 0600 0a 01020304050607", 0),
        ("02 4020 1500 1100 0600 0a 0102030405060708090a0b0c0d0e0f10", 1),
    ])
    func aPartOfAKeyIsSecret(bytes: String, missing: Int) {
        let packet = hex(bytes)
        _ = session.connect(to: Cast.puck, handle: ConnectionHandle(0x0040))
        session.record(packet, .received)
        session.recording.cutLast(to: packet.count - missing)
        let fields = last.recorder.fields.map(\.field)
        #expect(!fields.contains(FrameFields.undecoded) && !fields.contains(FrameFields.fragment))
        #expect(fields.contains { $0.isSecret })
    }

    @Test func everyTruncationOfAFrameIsDissected() {
        let whole = HCISession()
        let link = whole.connect(to: Cast.puck)
        link.discover(Cast.battery)
        link.notify(0x0006, [98])
        for packet in whole.recording.packets {
            for count in packet.bytes.indices {
                session.recording.record(Array(packet.bytes[..<count]), packet.direction)
            }
        }
        let story = story
        let frame = DissectedFrame()
        for metadata in story.metadata {
            Dissector().dissect(metadata, of: story.batch, into: frame)
            let end =
                frame.recorder.fields.filter { $0.buffer == .frame }
                .map { Int($0.offset) + Int($0.length) }.max() ?? 0
            #expect(end <= metadata.packet.count)
        }
    }
}
