/// Captured packets in order, in batches: from a file, a pipe or a live capture.
package protocol PacketSource: AnyObject {
    /// The name in messages: the path of a file, or the source of a live capture.
    var name: String { get }
    /// Whether `rewind` can start a second pass over the same packets.
    var isSeekable: Bool { get }
    /// The reason why the end was not read, available after the last packet; nil if everything was read.
    var incompleteness: CaptureWarning? { get }

    /// The next packets as soon as they are available; nil at the end.
    func next() async throws -> PacketBatch?
    /// Recycles the memory of a batch that is no longer used.
    func reuse(_ batch: consuming PacketBatch)
    /// Restarts at the first packet; only if `isSeekable`.
    func rewind() throws
    /// Limits batches to about this many bytes. Batches of a live capture are small anyway.
    func limitBatches(to bytes: Int)
}

extension PacketSource {
    package var incompleteness: CaptureWarning? { nil }
}

extension CaptureReader: PacketSource {
    package var name: String { file }

    package func limitBatches(to bytes: Int) {
        chunkSize = min(chunkSize, bytes)
    }
}
