import Captures
import PDUTestKit
import Testing

private typealias Build = CaptureBuilder

/// Recordings whose directions are from the controller's view.
@Suite struct RecorderDirectionsTests {
    private static let received: UInt32 = 1
    private static let sent: UInt32 = 0

    private static func btsnoop(_ records: (packet: [UInt8], flags: UInt32)...) -> [UInt8] {
        Build.btsnoop(1002, records.map { Build.btsnoopRecord($0.packet, flags: $0.flags) })
    }

    /// A packet of link type 201 in a pcapng file.
    private static func packet(_ bytes: [UInt8], _ direction: UInt8, interface: UInt32 = 0) -> [UInt8] {
        Build.enhancedPacket([0, 0, 0, direction] + bytes, interface: interface)
    }

    /// The first command or event reveals the reversal.
    @Test(arguments: [
        btsnoop((Build.reset, received), (Build.resetComplete, sent), (Build.notification, sent)),
        btsnoop((Build.reset, received), (Build.resetComplete, received), (Build.notification, sent)),
        Build.sectionHeader() + Build.interface(201) + packet(Build.reset, 1) + packet(Build.resetComplete, 0)
            + packet(Build.notification, 0),
    ])
    func aReversedRecordingIsReadAsTheHostSeesIt(file: [UInt8]) throws {
        let capture = try ReadCapture(file)
        #expect(capture.packets.map(\.direction) == [.sent, .received, .received])
        #expect(capture.views.map { $0?.direction } == [.sent, .received, .received])
        #expect(
            capture.warnings.map(\.description) == [
                "test: the command of frame 1 was recorded as received; the directions of its adapter are read reversed"
            ])
    }

    /// Only data after the first command or event is reversed.
    @Test func dataBeforeItStayAsTheyWereRecorded() throws {
        let capture = try ReadCapture(
            Self.btsnoop(
                (Build.notification, Self.sent), (Build.resetComplete, Self.sent), (Build.notification, Self.sent)))
        #expect(capture.packets.map(\.direction) == [.sent, .received, .received])
        #expect(capture.warnings.map(\.text) == ["the event of frame 2 was recorded as sent"])
    }

    /// A recorder that marks everything as sent is not reversed.
    @Test func aRecordingThatBeginsRightIsTakenAsItIs() throws {
        let capture = try ReadCapture(
            Self.btsnoop(
                (Build.notification, Self.received), (Build.reset, Self.sent), (Build.resetComplete, Self.sent),
                (Build.notification, Self.sent)))
        #expect(capture.packets.map(\.direction) == [.received, .sent, .sent, .sent])
        #expect(capture.warnings.isEmpty)
    }

    @Test func recordersOfOneFileAreKeptApart() throws {
        let capture = try ReadCapture(
            Build.sectionHeader() + Build.interface(201) + Build.interface(201)
                + Self.packet(Build.reset, 0) + Self.packet(Build.reset, 1, interface: 1)
                + Self.packet(Build.notification, 1) + Self.packet(Build.notification, 0, interface: 1))
        #expect(capture.packets.map(\.adapter) == [0, 1, 0, 1])
        #expect(capture.packets.map(\.direction) == [.sent, .sent, .received, .received])
        #expect(capture.warnings.map(\.text) == ["the command of frame 2 was recorded as received"])
    }

    /// The setting persists across batches, and is inferred again after the reader rewinds.
    @Test func theConventionLastsAndIsLearntAgain() throws {
        let packets = [(Build.reset, Self.received)] + Array(repeating: (Build.notification, Self.sent), count: 400)
        let file = Build.btsnoop(1002, packets.map { Build.btsnoopRecord($0.0, flags: $0.1) })
        let reader = try CaptureReader(source: ByteSource(bytes: file, name: "test", chunkSize: 4096))
        for _ in 0..<2 {
            var directions: [Direction] = []
            var batches = 0
            while let batch = try reader.next() {
                batches += 1
                directions += batch.packets.map(\.direction)
            }
            #expect(batches > 1)
            #expect(directions == [.sent] + Array(repeating: .received, count: 400))
            #expect(reader.warnings.count == 1)
            try reader.rewind()
        }
    }
}
