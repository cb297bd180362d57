package import Captures

/// The packets of a capture that are in a set of frames, with their numbers in the capture.
package final class SelectedPackets: PacketSource {
    package var name: String { source.name }
    package var isSeekable: Bool { source.isSeekable }
    package var incompleteness: CaptureWarning? { source.incompleteness }

    private let source: any PacketSource
    private let frames: FrameSet

    package init(_ source: any PacketSource, _ frames: FrameSet) {
        self.source = source
        self.frames = frames
    }

    package func next() async throws -> PacketBatch? {
        while var batch = try await source.next() {
            batch.packets.removeAll { !frames.contains($0.number) }
            if !batch.packets.isEmpty { return batch }
            source.reuse(batch)
        }
        return nil
    }

    package func reuse(_ batch: consuming PacketBatch) { source.reuse(batch) }
    package func rewind() throws { try source.rewind() }
    package func limitBatches(to bytes: Int) { source.limitBatches(to: bytes) }
}
