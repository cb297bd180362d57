import Bluetooth
import Bytes
import Captures
import Conversation
import PDUTestKit
import Profile
import TestKit
import Testing

@testable import Dissection

/// The fields of ATT PDUs over credit-based channels (Vol 3, Part G, 5.3).
struct EnhancedBearerTests {
    private static let profile = """
        profile: {id: box, title: A box, version: 1.0.0, format: 1, licence: Apache-2.0}
        match:
          - {service: 0x1234, weight: 80}
        types:
          level: {type: u8}
          text: {fields: [{name: count, type: u8}, {name: content, type: bytes}]}
          part:
            fields:
              - {name: index, type: u8}
              - {name: total, type: u8}
              - {name: content, type: bytes}
          whole: {fields: [{name: first, type: u8}, {name: rest, type: bytes}]}
        gatt:
          - service: 0x1234
            name: box
            characteristics:
              - {uuid: 1235, name: level, properties: [notify], value: level}
              - {uuid: 1236, name: text, properties: [notify], value: text}
              - {uuid: 1237, name: parts, properties: [notify], value: part}
        messages:
          - name: whole
            characteristic: parts
            operation: notify
            chunks: {index: index, total: total, content: content}
            type: whole
        """
    private let layout = ServerLayout(
        .service(
            0x1234, .characteristic(0x1235, [.notify]), .characteristic(0x1236, [.notify]),
            .characteristic(0x1237, [.notify])))
    private let session = HCISession()
    private let link: HCILink

    init() {
        link = session.connect(to: Cast.puck)
        link.discover(layout)
        link.openBearers(2, mtu: 200)
    }

    /// The tracked session, and its last frame dissected.
    private func last() throws -> (story: Story, frame: DissectedFrame) {
        let story = Story(session.recording, plugins: try PluginSet(profiles: [Self.profile]))
        return (story, story.dissected(session.recording.packets.count))
    }

    /// The first field with this name in the last frame, and its bytes.
    private func field(_ name: String) throws -> (field: RecordedField, bytes: [UInt8]) {
        let (story, frame) = try last()
        let field = try #require(frame.recorder.fields.first { $0.field.name == name })
        return (field, Array(story.batch.bytes(of: field, in: try #require(story.metadata.last))))
    }

    @Test func theATTLayerFollowsTheSDULength() throws {
        link.request(ATT.ReadRequest(handle: layout[0x1235]), onBearer: 1)
        let frame = try last().frame
        let names = frame.recorder.fields.filter { !$0.isGenerated }.map(\.field.name)
        let start = try #require(names.firstIndex(of: "btl2cap"))
        #expect(
            names[start...].filter { !$0.hasPrefix("btatt.opcode.") } == [
                "btl2cap", "btl2cap.length", "btl2cap.cid", "btl2cap.le_sdu_length", "btatt", "btatt.opcode",
                "btatt.handle",
            ])
        let layer = try field("btl2cap").field
        #expect(layer.offset == 5 && layer.length == 9)
        #expect(try field("btl2cap.psm").field.value == 0x27)
        #expect(try field("btatt.opcode").field.offset == 11)
        #expect(frame.diagnoses.isEmpty)
        #expect(frame.attribute?.attribute.type == UUID(0x1235))
    }

    @Test func thePluginReadsTheValue() throws {
        link.respond(ATT.HandleValueNotification(handle: layout[0x1235], value: [42]), onBearer: 0)
        #expect(try last().frame.readings == ["box.level"])
        #expect(try field("btatt.value").bytes == [42])
    }

    /// The PDU begins in one K-frame and ends in another.
    @Test func anSDUInSeveralKFramesHasItsFieldsInTheLast() throws {
        let content = [UInt8](0..<90)
        link.respond(ATT.HandleValueNotification(handle: layout[0x1236], value: [90] + content), onBearer: 0)
        let (story, frame) = try last()
        let before = story.dissected(session.recording.packets.count - 1)
        #expect(!before.recorder.fields.contains { $0.field == ATT.layer })
        #expect(try field("btl2cap.sdu").bytes.count == 94)
        let value = try field("btatt.value")
        #expect(value.field.buffer == .sdu && value.field.offset == 3)
        #expect(value.bytes == [90] + content)
        #expect(frame.readings == ["box.text"])
        #expect(try field("box.text.content").bytes == content)
        let filter = try DisplayFilter("btatt.value contains 58:59", catalog: FieldCatalog(ATT.Fields.all))
        #expect(story.batch.matches(filter, frame, try #require(story.metadata.last)))
    }

    @Test func eachOfSeveralValuesIsRead() throws {
        let pdu = hex("23 0300 0100 2a 0500 0300 02 0102")
        link.carry(pdu, onBearer: 0, .received)
        #expect(try last().frame.readings == ["box.level", "box.text"])
    }

    /// The value that completes a message spans two K-frames; the message is stored behind the value's SDU.
    @Test func aMessageEndsInSeveralKFrames() throws {
        let content = [UInt8](0..<140)
        for (index, part) in [content[..<70], content[70...]].enumerated() {
            let value = [UInt8(index), 2] + part
            link.respond(ATT.HandleValueNotification(handle: layout[0x1237], value: value), onBearer: index)
        }
        // The reassembled bytes of the next packet in the batch come after it.
        link.respond(ATT.HandleValueNotification(handle: layout[0x1236], value: [90] + content[..<90]), onBearer: 1)
        let story = try last().story
        let number = session.recording.packets.count - 2
        let frame = story.dissected(number)
        let metadata = story.metadata[number - 1]
        func bytes(_ name: String) throws -> [UInt8] {
            let field = try #require(frame.recorder.fields.first { $0.field.name == name })
            return Array(story.batch.bytes(of: field, in: metadata))
        }
        #expect(try bytes("box.whole.rest") == Array(content[1...]))
        #expect(try bytes("box.part.content") == Array(content[70...]))
        #expect(try bytes("btatt.value") == [1, 2] + content[70...])
    }

    @Test func aFaultOfThePDUIsNamedWithItsPlace() throws {
        link.carry(hex("0a 06"), onBearer: 0, .sent)
        let diagnosis = try #require(try last().frame.diagnoses.first)
        #expect(diagnosis.layer == "btatt" && diagnosis.offset == 12)
        link.respond(ATT.ReadResponse(value: [1]), onBearer: 1)
        let unasked = try #require(try last().frame.diagnoses.first)
        #expect(unasked.text == "the request was not captured" && unasked.offset == 11)
    }
}
