package import Captures

/// A live capture of packets.
package protocol LiveCapture: AnyObject {
    /// Display name of the source, such as `monitor`.
    var name: String { get }
    /// Encapsulation of the packets; nil until known.
    var encapsulation: Encapsulation? { get }
    /// Whether the sender waits while packets are not consumed; otherwise they are lost.
    var canWait: Bool { get }
    /// Number of packets that the system dropped because they were not consumed fast enough.
    var lost: Int { get }

    /// Passes packets to `sink` until it stops or the source ends. Blocks in system calls.
    func run(_ sink: CaptureSink) throws
}

/// Receiver of captured packets.
package struct CaptureSink {
    /// Consumes packets. An empty batch indicates that none have arrived for up to a fifth of a second. Returns whether
    /// to continue.
    package var take: (PacketBatch) throws -> Bool
    /// Reports a message for the user.
    package var report: (String) -> Void

    package init(take: @escaping (PacketBatch) throws -> Bool, report: @escaping (String) -> Void) {
        self.take = take
        self.report = report
    }
}

/// Maximum time between two calls of a capture's sink, in nanoseconds.
let capturePatience: Int64 = 200_000_000

/// Size in bytes at which a batch is delivered even if more packets are available.
let captureBatchLimit = 256 * 1024
