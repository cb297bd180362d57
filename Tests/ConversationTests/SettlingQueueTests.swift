import Bluetooth
import Captures
import PluginKit
import TestKit
import Testing

@testable import Conversation

/// The outcome of writes (Vol 3, Part F, 3.3.3 and 3.4.5), and how long their batches wait for it.
struct SettlingQueueTests {
    private let session = HCISession()
    private let link: HCILink
    private let write = ATT.WriteRequest(handle: 0x0009, value: [1])

    init() { link = session.connect(to: Cast.puck) }

    /// The outcomes of all writes of the session, in batches of some packets each.
    private func outcomes(batchSize: Int = 1) -> [WriteOutcome] {
        var (tracker, queue) = (Tracker(), SettlingQueue())
        var outcomes: [WriteOutcome] = []
        func take() {
            while let batch = queue.next() { outcomes += batch.metadata.compactMap { batch.outcome(of: $0) } }
        }
        let all = session.recording.batch
        for start in stride(from: 0, to: all.packets.count, by: batchSize) {
            queue.add(tracker.track(PacketBatch(all, start..<min(start + batchSize, all.packets.count))))
            take()
        }
        queue.finish()
        take()
        return outcomes
    }

    @Test(arguments: [1, 2, 3, 100]) func aWriteHasTheOutcomeOfItsResponse(batchSize: Int) {
        link.write(0x0009, [1])
        link.request(write)
        link.notify(0x0003, [7])
        link.refuse(.writeRequest, 0x0009, .invalidAttributeValueLength)
        link.writeCommand(0x0009, [2])
        link.writeLong(0x0009, [UInt8](0..<40))
        let expected: [WriteOutcome] = [
            .accepted, .refused(ATT.ErrorCode.invalidAttributeValueLength.rawValue), .unconfirmed, .accepted,
        ]
        #expect(outcomes(batchSize: batchSize) == expected)
    }

    @Test(arguments: [1, 100]) func aResponseAfter30SecondsIsNone(batchSize: Int) {
        link.request(write)
        session.recording.wait(milliseconds: 30_100)
        link.respond(ATT.WriteResponse())
        link.write(0x0009, [1])
        #expect(outcomes(batchSize: batchSize) == [.unknown, .accepted])
    }

    @Test func overlappingWritesHaveNoCertainOutcome() {
        link.request(write)
        link.request(write)
        link.respond(ATT.WriteResponse())
        link.respond(ATT.WriteResponse())
        link.write(0x0009, [1])
        #expect(outcomes() == [.unknown, .unknown, .accepted])
    }

    @Test func theEndOfTheConnectionSettlesItsWrites() {
        var (tracker, queue) = (Tracker(), SettlingQueue())
        link.request(write)
        queue.add(tracker.track(session.recording.batch))
        let isReady = queue.next() != nil
        #expect(!isReady)
        let before = session.recording.packets.count
        link.disconnect()
        let all = session.recording.batch
        queue.add(tracker.track(PacketBatch(all, before..<all.packets.count)))
        #expect(queue.next()?.metadata.count == before)
        #expect(queue.next() != nil)
    }

    @Test func manyFramesOfOthersReleaseAWrite() {
        link.request(write)
        for number in 0..<20_000 { link.notify(0x0003, [UInt8(truncatingIfNeeded: number)]) }
        var (tracker, queue) = (Tracker(), SettlingQueue())
        let all = session.recording.batch
        var released = 0
        for start in stride(from: 0, to: all.packets.count, by: 1000) {
            queue.add(tracker.track(PacketBatch(all, start..<min(start + 1000, all.packets.count))))
            while queue.next() != nil { released += 1 }
        }
        #expect(released > 15)
    }
}

extension PacketBatch {
    /// Some packets of a batch.
    fileprivate init(_ batch: PacketBatch, _ range: Range<Int>) {
        self.init(bytes: batch.bytes, packets: Array(batch.packets[range]))
    }
}
