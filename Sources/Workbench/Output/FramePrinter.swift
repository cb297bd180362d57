package import Bytes
package import Dissection

/// A way to write frames. Printers keep nothing from frame to frame, so batches are printed on several threads.
package protocol FramePrinter: Sendable {
    /// The layers that it needs recorded.
    var scope: DissectionScope { get }
    /// What comes before the first frame.
    func writeHeader(to output: inout TextWriter)
    /// Writes one frame.
    func write(
        _ frame: DissectedFrame, _ facts: FrameFacts, of batch: borrowing TrackedBatch, to output: inout TextWriter
    )
}

extension FramePrinter {
    package func writeHeader(to output: inout TextWriter) {}
}
