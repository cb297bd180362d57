package import Bytes
package import Conversation
package import Dissection

/// A way to write frames, chosen once; batches are printed on several threads, each by a writer of its own.
package protocol FramePrinter: Sendable {
    /// The layers that it needs recorded.
    var scope: DissectionScope { get }
    /// Bytes of a capture to print at a time, at the most: it bounds the memory that the output takes.
    var batchSize: Int { get }
    /// Whether what a frame is printed as depends on the frames that were printed before: one writer has them all.
    var isSequential: Bool { get }
    /// What comes before the first frame.
    func writeHeader(to output: inout TextWriter)
    /// A writer for one thread.
    func makeWriter() -> any FrameWriter
}

extension FramePrinter {
    package var batchSize: Int { 256 * 1024 }

    package var isSequential: Bool { false }

    package func writeHeader(to output: inout TextWriter) {}
}

/// Writes frames, one after the other, on one thread. Unless the printer is sequential, what it keeps is only to be faster.
package protocol FrameWriter: AnyObject {
    func write(
        _ frame: DissectedFrame, _ facts: FrameMetadata, of batch: borrowing TrackedBatch, to output: inout TextWriter)
}
