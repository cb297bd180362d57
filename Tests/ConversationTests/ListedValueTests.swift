import Bluetooth
import Bytes
import Captures
import Dissection
import PDUTestKit
import PluginKit
import Profile
import TestKit
import Testing

@testable import Conversation

/// PDUs with several attribute values.
struct ListedValueTests {
    private static let profile = """
        profile: {id: box, title: A box, version: 1.0.0, format: 1, licence: Apache-2.0}
        match:
          - {device_information: {model_number: '^Box'}, weight: 60}
        types:
          level: {type: u8}
          part:
            fields:
              - {name: index, type: u8}
              - {name: total, type: u8}
              - {name: content, type: bytes}
          whole: {fields: [{name: number, type: u16}]}
        gatt:
          - service: 0x180F
            name: battery
            characteristics:
              - {uuid: 2A19, name: battery_level, properties: [read, notify], value: level}
          - service: 0x1234
            name: box
            characteristics:
              - {uuid: 1235, name: parts, properties: [notify], value: part}
        messages:
          - name: whole
            characteristic: parts
            operation: notify
            chunks: {index: index, total: total, content: content}
            type: whole
        """
    private let layout = ServerLayout(
        .service(0x180A, .characteristic(0x2A24, [.read])),
        .service(0x180F, .characteristic(0x2A19, [.read, .notify])),
        .service(0x1234, .characteristic(0x1235, [.notify])))
    private let session = HCISession()

    /// Counts the values that it receives.
    private struct Counter: DeviceFollower {
        static let field = Field("box.count", "Count", .decimal)
        var count: UInt64 = 0

        mutating func follow(_ event: DeviceEvent) -> [Annotation] {
            count += 1
            return [Annotation(Self.field, .number(count))]
        }
    }

    private struct Counting: PluginBehaviour {
        var followed: Set<String> { ["battery_level"] }
        var annotationFields: [Field] { [Counter.field] }
        func makeFollower() -> (any DeviceFollower)? { Counter() }
    }

    private func story() throws -> Story {
        let profile = try CompiledProfile(ProfileReader.read(Self.profile, file: "profile.yaml"))
        return Story(session.recording, plugins: PluginSet([DevicePlugin(profile, behaviour: Counting())]))
    }

    private func link() -> HCILink {
        let link = session.connect(to: Cast.puck)
        link.discover(layout)
        return link
    }

    @Test func followersAreToldOfEachValue() throws {
        let level = layout[0x2A19]
        link().respond(
            ATT.MultipleHandleValueNotification(entries: [
                .init(handle: level, value: [1]), .init(handle: layout[0x2A24], value: [2]),
                .init(handle: level, value: [3]),
            ]))
        let story = try story()
        let frame = story.dissected(story.metadata.count)
        #expect(frame.values.map { $0.attribute?.attribute.handle } == [level, layout[0x2A24], level])
        #expect(frame.readings == ["box.level", "box.level"])
        #expect(frame.recorder.fields.filter { $0.field == Counter.field }.map(\.value) == [1, 2])
    }

    @Test func messagesThatEndInOneFrameKeepTheirBytes() throws {
        let parts = layout[0x1235]
        link().respond(
            ATT.MultipleHandleValueNotification(entries: [
                .init(handle: parts, value: [0, 1, 0x34, 0x12]), .init(handle: parts, value: [0, 1, 0x78, 0x56]),
            ]))
        let story = try story()
        let numbers = story.dissected(story.metadata.count).recorder.fields.filter {
            $0.field.name == "box.whole.number"
        }
        #expect(numbers.map(\.value) == [0x1234, 0x5678])
        #expect(numbers.map(\.offset) == [0, 2])
        #expect(numbers.map(\.buffer) == [.sdu, .sdu])
    }

    @Test func deviceInformationThatIsReadByTypeTellsTheDevice() throws {
        let link = link()
        link.request(ATT.ReadByTypeRequest(start: 1, end: 0xFFFF, type: 0x2A24))
        link.respond(ATT.ReadByTypeResponse(entries: [.init(handle: layout[0x2A24], value: Array("Box 1".utf8))]))
        link.notify(layout[0x2A19], [1])
        let plugins = try PluginSet(profiles: [Self.profile])
        var story = Story(session.recording, plugins: plugins)
        var application = ApplicationTracker(plugins)
        application.learn(from: &story.batch, story.tracker.knowledge)
        application.follow(&story.batch, story.tracker.devices)
        #expect(story.batch.matches.values.map(\.plugin) == [0])
    }

    @Test func aValueThatFillsThePDUMayBeCut() throws {
        let link = link()
        link.request(ATT.ReadByTypeRequest(start: 1, end: 0xFFFF, type: 0x2A24))
        let name = [UInt8](repeating: 0x41, count: 19)
        link.respond(ATT.ReadByTypeResponse(entries: [.init(handle: layout[0x2A24], value: name)]))
        let story = try story()
        let values = story.batch.listedValues(of: story.metadata[story.metadata.count - 1])
        #expect(values.map(\.isPartial) == [true])
        #expect(values.map { Array(story.batch.bytes(of: $0.piece)) } == [name])
    }

    @Test func declarationsAreNoValues() throws {
        _ = link()
        let story = try story()
        #expect(story.metadata.allSatisfy { story.batch.listedValues(of: $0).isEmpty })
    }

    @Test func aResponseThatNobodyAskedForTellsNoAttributes() throws {
        link().respond(ATT.ReadMultipleVariableResponse(values: [.init([1])]))
        let story = try story()
        #expect(story.batch.listedValues(of: story.metadata[story.metadata.count - 1]).isEmpty)
    }

    /// A truncated list gives its complete values.
    @Test(arguments: 0...11)
    func listsMayEndAnywhere(length: Int) throws {
        let whole = ATT.encode(
            ATT.MultipleHandleValueNotification(entries: [
                .init(handle: layout[0x2A19], value: [1]), .init(handle: layout[0x2A19], value: [2]),
            ]))
        let link = link()
        link.carry(Array(whole.prefix(length)), on: .att, .received)
        let story = try story()
        let last = story.metadata.count
        #expect(story.dissected(last).readings.count == (length - 1) / 5)
        #expect(story.batch.listedValues(of: story.metadata[last - 1]).count == (length - 1) / 5)
    }
}
