/// Packets in the order in which they were captured, a batch at a time: those of a file, of a pipe, or what goes by now.
package protocol PacketSource: AnyObject {
    /// What messages call it: the path of a file, or what is listened to.
    var name: String { get }
    /// Whether `rewind` is possible: a second pass over the same packets.
    var isSeekable: Bool { get }
    /// Why the end was not read, once all packets were given; nil where all was read.
    var incompleteness: CaptureWarning? { get }

    /// The next packets, as soon as there are some; nil at the end.
    func next() async throws -> PacketBatch?
    /// Takes back a batch that nobody looks at any more, for its memory.
    func reuse(_ batch: consuming PacketBatch)
    /// Goes back to the first packet; only for a source that `isSeekable`.
    func rewind() throws
    /// Asks for batches of so many bytes at the most, about; what goes by comes in small ones anyway.
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
