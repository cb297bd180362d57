import Bluetooth
import Bytes
import PDUTestKit
import PluginKit
import Profile
import TestKit
import Testing

@testable import LifeCount

/// The follower's annotations of decoded values.
struct CountFollowerTests {
    private let counter = Result { try ProfileUnderTest(plugin: "LifeCount") }

    /// The annotations of the values in turn; the frame number is the value's index.
    private func follow(_ values: [String], _ operation: OperationKind = .notify) throws -> [[Annotation]] {
        let layout = try #require(counter.get().compiled.types["count_event"])
        var follower = CountFollower()
        return try values.enumerated().map { index, text in
            follower.follow(
                DeviceEvent(
                    frame: index, time: .epoch, connection: 1, operation: operation, characteristic: "count_event",
                    message: "count_event", value: try layout.decode(hex(text))))
        }
    }

    @Test func theStructIsTheValueAndBack() throws {
        let layout = try #require(counter.get().compiled.types["count_event"])
        let bytes = hex("51 FF 00000000 7A2AA469 F401 C3A50F1E 0000")
        let event = try RecordDecoder().decode(CountEvent.self, from: layout.decode(bytes))
        #expect(
            event
                == CountEvent(
                    header: .init(timestampValid: true, replayed: false, firstSinceBoot: true),
                    delta: -1, sequenceNumber: 0, timestampS: 1_772_366_458, timestampMs: 500, deviceId: 0x1E0F_A5C3,
                    locationId: 0))
        #expect(try layout.encode(RecordEncoder().encode(event)) == bytes)
    }

    @Test func aGapIsAnnotatedAndWarnedOf() throws {
        let annotations = try follow([
            "11 01 2A000000 3E2AA469 F401 C3A50F1E 0700", "11 01 2E000000 422AA469 F401 C3A50F1E 0700",
        ])
        #expect(annotations[0].map(\.field.name) == ["lifecount.sequence"])
        #expect(annotations[1].map(\.field.name) == ["lifecount.sequence", "lifecount.missing"])
        #expect(annotations[1].first?.warning == "3 events missing: 43 to 45")
        guard case .number(3)? = annotations[1].last?.content else {
            Issue.record("three events are missing")
            return
        }
    }

    @Test func everyDeviceHasBooksOfItsOwn() throws {
        let annotations = try follow([
            "11 01 2A000000 3E2AA469 F401 C3A50F1E 0700", "11 01 07000000 3E2AA469 F401 C4A50F1E 0700",
            "11 01 2B000000 3F2AA469 F401 C3A50F1E 0700", "11 01 08000000 3F2AA469 F401 C4A50F1E 0700",
        ])
        #expect(annotations.flatMap { $0 }.compactMap(\.warning) == [])
        #expect(annotations.count == 4)
    }

    /// A recording of both ends of a link contains each event twice; the next connection continues where the last one
    /// ended.
    @Test func eachEndOfALinkIsFollowedOnce() throws {
        let layout = try #require(counter.get().compiled.types["count_event"])
        var follower = CountFollower()
        var annotations: [Annotation] = []
        for (connection, number) in [(1, "2A"), (1, "2B"), (3, "2C"), (3, "2F")] {
            for end in 0..<2 {
                var event = DeviceEvent(
                    frame: annotations.count, time: .epoch, connection: connection + end, operation: .notify,
                    characteristic: "count_event", message: "count_event",
                    value: try layout.decode(hex("11 01 \(number)000000 3E2AA469 F401 C3A50F1E 0700")))
                event.recordedAt = end
                annotations += follower.follow(event)
            }
        }
        #expect(annotations.compactMap(\.warning) == Array(repeating: "2 events missing: 45 to 46", count: 2))
    }

    /// Events of two connections, without the counter's clock, and the resulting annotations of the sequence.
    private static let boots: [(second: [String], sequence: [String])] = [
        // The counter has restarted: its first event equals the previous boot's first event.
        (
            ["61 01 00000000", "21 FF 01000000", "61 01 00000000", "21 FF 01000000", "01 01 02000000"],
            ["replayed duplicate", "reset", "replayed duplicate", "replayed duplicate", "in order"]
        ),
        (["61 01 00000000", "01 01 01000000"], ["replayed duplicate", "reset"]),
        (["41 01 00000000"], ["reset"]),
        // The counter has not restarted.
        (
            ["61 01 00000000", "21 01 01000000", "01 01 02000000", "21 FF 01000000"],
            ["replayed duplicate", "replayed duplicate", "in order", "contradiction"]
        ),
        (["21 FF 01000000"], ["contradiction"]),
    ]

    @Test(arguments: boots.indices)
    func aBootMayBeginWithTheSameEventAsTheOneBefore(_ index: Int) throws {
        let (second, sequence) = Self.boots[index]
        let layout = try #require(counter.get().compiled.types["count_event"])
        var follower = CountFollower()
        let events = ["61 01 00000000", "21 01 01000000"].map { (1, $0) } + second.map { (2, $0) }
        let annotations = try events.enumerated().flatMap { frame, event in
            follower.follow(
                DeviceEvent(
                    frame: frame, time: .epoch, connection: event.0, operation: .notify, characteristic: "count_event",
                    message: "count_event", value: try layout.decode(hex(event.1 + "00000000 0000 C3A50F1E 0000"))))
        }
        let titles = annotations.compactMap { if case .text(let title) = $0.content { title } else { nil } }
        #expect(titles == ["first", "in order"] + sequence)
        #expect(annotations.contains { $0.warning != nil } == sequence.contains("contradiction"))
    }

    @Test func otherOperationsAreNotJudged() throws {
        #expect(try follow(["11 01 2A000000 3E2AA469 F401 C3A50F1E 0700"], .read)[0].isEmpty)
    }

    @Test func theFieldsAreDeclared() {
        #expect(LifeCount.behaviour?.annotationFields.map(\.name) == ["lifecount.sequence", "lifecount.missing"])
        #expect(LifeCount.behaviour?.followed == ["count_event"])
    }
}
