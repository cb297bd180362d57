import Bluetooth
import BluetoothCrypto
import Bytes
import Captures
import Conversation
import Keys
import PDUTestKit
import TestKit
import Testing

@testable import Dissection

/// Field trees of frames that a key has decrypted.
struct DecryptedFrameTests {
    private static let longTermKey = SecretKey(number("4C68384139F574D836BCF34E9DFB01BF"))

    private let air = AirSession()

    private func link() -> AirLink {
        let link = air.connect(Cast.phone, to: Cast.puck)
        link.encrypt(with: Self.longTermKey)
        return link
    }

    private func story(_ keys: [KnownKey] = [KnownKey(.longTerm(longTermKey), origin: .given)]) -> Story {
        Story(air.recording, keys: keys)
    }

    /// The fields of the last frame with a name, with their source bytes.
    private func bytes(of name: String, _ story: Story) throws -> [[UInt8]] {
        let metadata = try #require(story.metadata.last)
        return story.dissected(metadata.packet.number).recorder.fields.filter { $0.field.name == name }
            .map { Array(story.batch.bytes(of: $0, in: metadata)) }
    }

    @Test func aWholePDUIsShownInTheBufferOfThePlainText() throws {
        link().notify(0x0006, [98, 99])
        let story = story()
        #expect(try bytes(of: "btatt.value", story) == [[98, 99]])
        let frame = story.dissected(story.metadata.count)
        // The payload in the frame is ciphertext: 9 bytes of L2CAP and the MIC.
        let ciphertext = frame.recorder.fields.filter { $0.field == FrameFields.encrypted }
        #expect(ciphertext.map(\.length) == [13])
        #expect(ciphertext.map(\.buffer) == [.frame])
        let opcode = try #require(frame.recorder.fields.first { $0.field.name == "btatt.opcode" })
        #expect(opcode.buffer == .decrypted)
        #expect(opcode.offset == 4)
        #expect(frame.diagnoses.isEmpty)
    }

    @Test func aPDUOfSeveralFramesIsShownReassembled() throws {
        let link = link()
        link.mtu = 100
        link.notify(0x0006, Array(0..<60))
        let story = story()
        let frame = story.dissected(story.metadata.count)
        #expect(try bytes(of: "btatt.value", story) == [Array(0..<60)])
        #expect(frame.recorder.fields.first { $0.field.name == "btatt.opcode" }?.buffer == .reassembled)
        #expect(frame.recorder.fields.first { $0.field == FrameFields.fragment }?.buffer == .decrypted)
    }

    @Test func aControlPDUIsShownInTheBufferOfThePlainText() throws {
        link().control(LL.TerminateInd(errorCode: .remoteUserTerminatedConnection), .sent)
        let story = story()
        let frame = story.dissected(story.metadata.count)
        let opcode = try #require(frame.recorder.fields.first { $0.field.name == "btle.control_opcode" })
        #expect(opcode.value == 0x02)
        #expect(opcode.buffer == .decrypted)
        #expect(frame.diagnoses.isEmpty)
    }

    @Test func aFilterReadsThePlainText() throws {
        link().notify(0x0006, [98, 99])
        let story = story()
        let metadata = try #require(story.metadata.last)
        let filter = try DisplayFilter("btatt.value contains 62:63", catalog: FieldCatalog(ATT.Fields.all))
        #expect(story.batch.matches(filter, story.dissected(metadata.packet.number), metadata))
    }

    @Test func aPDUThatStaysClosedStatesTheReason() throws {
        link().notify(0x0006, [98])
        let frame = story([]).dissected(air.recording.packets.count)
        #expect(frame.diagnoses.map(\.text) == [ClosedReason.noKey.text])
        #expect(frame.diagnoses.map(\.severity) == [.note])
    }
}
