import ATT
import BluetoothTypes
import Bytes
import Captures
import Conversation
import HCI
import L2CAP
import TestKit
import Testing

@testable import Dissection

/// What is said of frames that break a rule: layer, offset and numbers.
struct DiagnosisTests {
    private let session = HCISession()
    private var story: Story { Story(session.recording) }

    /// What is said of the frame recorded last.
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
        // Parameters of 25 bytes are announced, 3 are there; the third is half of a field.
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
        #expect(!last.recorder.fields.contains { $0.field == ATT.Fields.value })
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

    @Test func creditsForNobodyAreAnError() {
        let link = session.connect(to: Cast.puck)
        link.signal(L2CAP.FlowControlCredit(cid: L2CAP.ChannelID(0x50), credits: 1), identifier: 3, .sent)
        #expect(last.diagnoses.map(\.layer) == ["btl2cap"])
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
        for facts in story.facts {
            Dissector().dissect(facts, of: story.batch, into: frame)
            let end =
                frame.recorder.fields.filter { $0.buffer == .frame }
                .map { Int($0.offset) + Int($0.length) }.max() ?? 0
            #expect(end <= facts.packet.count)
        }
    }
}
