package import Captures

/// Packets that are captured as they go by.
package protocol LiveCapture: AnyObject {
    /// What is captured, for people, e.g. `monitor`.
    var name: String { get }
    /// How the packets begin; nil as long as it is not known.
    var encapsulation: Encapsulation? { get }
    /// Whether who sends the packets waits when they are not taken; else they get lost.
    var canWait: Bool { get }
    /// Packets that the system has lost because they were not taken fast enough.
    var lost: Int { get }

    /// Hands packets to `sink` until it wants no more, or until there will be no more. It waits in calls of the system.
    func run(_ sink: CaptureSink) throws
}

/// Where captured packets go.
package struct CaptureSink {
    /// Takes packets; an empty batch says that none have come for a while, a fifth of a second at the most. Returns
    /// whether to go on.
    package var take: (PacketBatch) throws -> Bool
    /// Takes something that is no packet, for people.
    package var report: (String) -> Void

    package init(take: @escaping (PacketBatch) throws -> Bool, report: @escaping (String) -> Void) {
        self.take = take
        self.report = report
    }
}

/// Longest time in which a capture does not come back to its sink, in nanoseconds.
let capturePatience: Int64 = 200_000_000

/// Bytes after which a batch is handed on, though more packets wait.
let captureBatchLimit = 256 * 1024
