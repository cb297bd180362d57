import Bytes
package import Captures
import Synchronization
package import Transports

/// A live capture as a packet source.
///
/// A dedicated thread captures and records, so that slow decoding or a slow terminal neither loses nor delays packets.
/// The decoder receives batches in order; batches that exceed the queue's limit are recorded but not decoded.
package final class LiveFeed: PacketSource {
    package let name: String
    package let isSeekable = false
    private let queue = PacketQueue()
    private var arrivals: AsyncStream<Void>.Iterator

    /// Packet counts and losses of a finished capture.
    package struct Summary: Sendable {
        /// Packets captured.
        package var packets = 0
        /// Packets lost by the system before they were captured.
        package var lost = 0
        /// Packets captured and recorded, but not shown because decoding did not keep up.
        package var unshown = 0
        /// Information that the recording's format could not represent.
        package var losses: [ConversionLoss] = []
    }

    /// Starts the capture. `isInterrupted` is polled at least five times a second; `report` receives status messages.
    package init(
        _ capture: any LiveCapture, _ options: LiveOptions, isInterrupted: @escaping @Sendable () -> Bool,
        report: @escaping @Sendable (String) -> Void
    ) throws {
        name = capture.name
        let (stream, arrival) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        arrivals = stream.makeAsyncIterator()
        let worker = try CaptureWorker(capture, options, queue, arrival, isInterrupted: isInterrupted, report: report)
        guard SystemThread.start({ worker.run() }) else {
            throw TransportError(capture.name, "the system gives no thread", advice: "end other programs")
        }
    }

    package func next() async throws -> PacketBatch? {
        while true {
            if let batch = queue.take() { return batch }
            if queue.hasEnded {
                // A batch may have arrived between the two checks.
                if let batch = queue.take() { return batch }
                if let failure = queue.failure { throw failure }
                return nil
            }
            _ = await arrivals.next()
        }
    }

    package func reuse(_ batch: consuming PacketBatch) {}
    package func rewind() {}
    package func limitBatches(to bytes: Int) {}

    /// Ends the capture; the recording is complete when this returns.
    package func end() async throws -> Summary {
        queue.stop()
        while !queue.hasEnded { _ = await arrivals.next() }
        if let failure = queue.failure { throw failure }
        return queue.summary
    }
}

/// Packets on their way from the capturing thread to the decoding thread.
private final class PacketQueue: Sendable {
    private struct Content {
        var batches = FIFO<PacketBatch>()
        var bytes = 0
        var isStopped = false
        var hasEnded = false
        var failure: (any Error)?
        var summary = LiveFeed.Summary()
    }

    private let content = Mutex(Content())

    /// Maximum number of bytes queued for the decoder.
    private static let limit = 64 << 20

    func take() -> PacketBatch? {
        content.withLock { content in
            guard let batch = content.batches.popFirst() else { return nil }
            content.bytes -= batch.bytes.count
            return batch
        }
    }

    /// Appends a batch; returns false if the queue is full.
    func put(_ batch: PacketBatch) -> Bool {
        content.withLock { content in
            guard content.bytes < Self.limit else { return false }
            content.bytes += batch.bytes.count
            content.batches.append(batch)
            return true
        }
    }

    func stop() {
        content.withLock { $0.isStopped = true }
    }

    func finish(_ summary: LiveFeed.Summary, _ failure: (any Error)?) {
        content.withLock { content in
            content.summary = summary
            content.failure = failure
            content.hasEnded = true
        }
    }

    var isStopped: Bool { content.withLock { $0.isStopped } }
    var hasEnded: Bool { content.withLock { $0.hasEnded } }
    var failure: (any Error)? { content.withLock { $0.failure } }
    var summary: LiveFeed.Summary { content.withLock { $0.summary } }
}

/// Captures and records. Once started, only its thread uses it.
private final class CaptureWorker: @unchecked Sendable {
    private let capture: any LiveCapture
    private let options: LiveOptions
    private let recording: LiveRecording?
    private let queue: PacketQueue
    private let arrival: AsyncStream<Void>.Continuation
    private let isInterrupted: () -> Bool
    private let report: (String) -> Void
    private let clock = SystemClock()
    private let start: Timestamp
    private var summary = LiveFeed.Summary()
    /// When the capture was interrupted or its duration elapsed.
    private var end: Timestamp?

    init(
        _ capture: any LiveCapture, _ options: LiveOptions, _ queue: PacketQueue,
        _ arrival: AsyncStream<Void>.Continuation,
        isInterrupted: @escaping () -> Bool, report: @escaping (String) -> Void
    ) throws {
        self.capture = capture
        self.options = options
        self.queue = queue
        self.arrival = arrival
        self.isInterrupted = isInterrupted
        self.report = report
        let now = clock.now
        start = now
        recording = try options.recording.map {
            try LiveRecording($0, holding: capture.encapsulation, at: now)
        }
    }

    func run() {
        var failure: (any Error)?
        do {
            try capture.run(CaptureSink(take: { try self.take($0) }, report: report))
        } catch {
            failure = error
        }
        summary.lost = capture.lost
        do {
            summary.losses = try recording?.finish(at: clock.now) ?? []
        } catch {
            failure = failure ?? error
        }
        queue.finish(summary, failure)
        arrival.yield()
    }

    private func take(_ batch: PacketBatch) throws -> Bool {
        var batch = batch
        let room = options.packetLimit - summary.packets
        if batch.packets.count > room { batch.packets.removeLast(batch.packets.count - room) }
        summary.packets += batch.packets.count
        let now = clock.now
        if !batch.packets.isEmpty {
            try recording?.write(batch, at: now)
            deliver(batch)
        }
        try recording?.flush(at: now)
        reportLosses()
        return summary.packets < options.packetLimit && !queue.isStopped && !hasEnded(after: batch, at: now)
    }

    /// Whether the capture is complete. Packets from before the end are still captured: the system may have buffered
    /// some.
    private func hasEnded(after batch: PacketBatch, at now: Timestamp) -> Bool {
        let isOver = options.duration.map { now >= start + .seconds($0) } ?? false
        if end == nil, isOver || isInterrupted() { end = now }
        guard let end else { return false }
        guard !capture.canWait, let last = batch.packets.last else { return true }
        return last.time >= end
    }

    private func deliver(_ batch: PacketBatch) {
        while !queue.put(batch) {
            guard capture.canWait, !isInterrupted(), !queue.isStopped else {
                summary.unshown += batch.packets.count
                return
            }
            SystemThread.pause(milliseconds: 5)
        }
        arrival.yield()
    }

    private func reportLosses() {
        let lost = capture.lost
        guard lost > summary.lost else { return }
        summary.lost = lost
        report("warning: \(capture.name): \(lost) packets lost by the system so far")
    }
}
