import Bluetooth
import Captures
import Dissection
import TestKit
import Testing

@testable import Conversation

/// Knowledge retained from a capture for reading it again.
struct CaptureKnowledgeTests {
    @Test func theConclusionNamesFramesAsTheTrackerDoes() {
        let session = HCISession()
        for peer in [Cast.puck, Cast.counter, Cast.puck] {
            let link = session.connect(to: peer)
            link.notify(0x0006, [99])
            link.discover(Cast.battery)
            link.read(0x0003, Array("Puck".utf8))
            link.disconnect()
        }
        var story = Story(session.recording)
        story.tracker.finish()
        var again = Tracker(record: .ends)
        var batch = again.track(session.recording.batch)
        #expect(again.connections.isEmpty)
        #expect(batch.ended.count == 3)
        story.tracker.conclusion.name(&batch)
        #expect(batch.connections.isEmpty)
        #expect(batch.devices.mapValues(\.title) == story.batch.devices.mapValues(\.title))
        #expect(batch.tableVersions.mapValues(\.table) == story.batch.tableVersions.mapValues(\.table))
        #expect(batch.metadata.map(\.connection) == story.metadata.map(\.connection))
        #expect(batch.metadata.map { $0.attribute?.tableVersion } == story.metadata.map { $0.attribute?.tableVersion })
    }

    @Test func connectionsAreListedWithWhatBecameOfThem() {
        let session = HCISession()
        for _ in 0..<3 {
            let link = session.connect(to: Cast.puck)
            link.notify(0x0006, [99])
            link.disconnect()
        }
        let connections = Story(session.recording).tracker.connections
        #expect(connections.map(\.reason) == [0x13, 0x13, 0x13])
        #expect(connections.allSatisfy { $0.frames > 1 && $0.end > $0.start })
    }
}
