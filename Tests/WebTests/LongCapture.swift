import Bytes
import Captures
import PDUTestKit
import TestKit

/// A capture long enough for several checkpoints: a puck's session, repeated on one connection handle.
struct LongCapture {
    let folder: TemporaryFolder
    let path: String
    let packets: Int

    init(repeating count: Int) throws {
        folder = try TemporaryFolder()
        path = folder.path("long.btsnoop")
        let source = try CaptureReader(path: Repository.capture("aquavate-sync"))
        var batches: [PacketBatch] = []
        while let batch = try source.next() { batches.append(batch) }
        let writer = try CaptureWriter(path: path, target: CaptureTarget(.btsnoop, holding: .h4))
        var packets = 0
        for round in 0..<count {
            for batch in batches {
                for var packet in batch.packets {
                    packet.time = packet.time.advanced(nanoseconds: Int64(round) * 60_000_000_000)
                    try writer.write(packet, of: batch)
                    packets += 1
                }
            }
        }
        try writer.flush()
        self.packets = packets
    }
}
