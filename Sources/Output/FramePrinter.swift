package import Bytes
package import Conversation
package import Dissection

/// A format for frames. Batches are printed on several threads, each with its own writer.
package protocol FramePrinter: Sendable {
    /// The layers that the printer needs recorded.
    var scope: DissectionScope { get }
    /// Maximum number of capture bytes per batch; bounds the memory used by the output.
    var batchSize: Int { get }
    /// Whether a frame's output depends on the frames before it. If so, one writer prints all frames.
    var isSequential: Bool { get }
    /// Writes the output that precedes the first frame.
    func writeHeader(to output: inout TextWriter)
    /// A writer for one thread.
    func makeWriter() -> any FrameWriter
}

extension FramePrinter {
    package var batchSize: Int { 256 * 1024 }

    package var isSequential: Bool { false }

    package func writeHeader(to output: inout TextWriter) {}
}

/// Writes frames in order on one thread. Unless the printer is sequential, a writer's state is only a cache.
package protocol FrameWriter: AnyObject {
    func write(
        _ frame: DissectedFrame, _ metadata: FrameMetadata, of batch: borrowing TrackedBatch,
        to output: inout TextWriter)
}
