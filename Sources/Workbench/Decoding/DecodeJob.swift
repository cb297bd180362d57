package import Bluetooth
import Bytes
package import Captures
package import Conversation
package import Dissection
package import Keys
package import Output
import PluginKit
import Synchronization

/// Decodes one capture and prints its frames: reads and tracks in order, dissects and prints on all cores, and writes
/// in the file's order.
package struct DecodeJob: Sendable {
    package var printer: any FramePrinter
    package var filter: DisplayFilter?
    package var plugins = PluginSet.none
    /// Whether attributes whose discovery was not captured are named from the handles known to the profile.
    package var guesses = true
    /// Attribute tables imported by the user.
    package var importedTables = GATT.KnownTables()
    /// Keys that encrypted packets are opened with.
    package var keys = KeyRing()
    /// Maximum number of frames to read.
    package var frameLimit = Int.max
    /// Whether to track the whole capture before printing, so that a late discovery names earlier frames.
    package var looksAhead = false
    /// Knowledge from an earlier pass through the same capture, which replaces the look-ahead.
    package var learned: Learned?

    /// Knowledge of a capture's devices, gained in a complete pass.
    package struct Learned: @unchecked Sendable {
        package let knowledge: CaptureKnowledge
        /// Knows the devices; its tracking state is at the beginning of the capture.
        package let application: ApplicationTracker

        package init(_ knowledge: CaptureKnowledge, _ application: ApplicationTracker) {
            self.knowledge = knowledge
            self.application = application
        }
    }

    package init(printer: any FramePrinter) {
        self.printer = printer
    }

    package struct Outcome: Sendable {
        package var frames = 0
        /// Frames printed.
        package var shown = 0
        /// Ids of plugins that match the same device equally well, so that none was chosen.
        package var rivals: [[String]] = []
    }

    /// The layers that the printer and the filter need.
    var scope: DissectionScope {
        printer.scope.union(filter.map { DissectionScope(fieldNames: $0.fieldNames) } ?? [])
    }

    /// Whether the output shows names of devices and attributes.
    var needsNames: Bool {
        !scope.isDisjoint(with: [.application, .bluetooth, .linkLayer, .conversation, .ends])
    }

    /// Whether a look-ahead pass can change the output.
    var needsLookAhead: Bool { needsNames || scope.contains(.responses) }

    /// Batches dissected at the same time; bounds the memory.
    private static let batchesInFlight = 3
    /// Minimum batch size in bytes of the look-ahead pass; printers request smaller batches only for their output.
    private static let followedBatchSize = 64 * 1024

    /// Decodes all packets of `reader`. `write` receives the text in order, with the number of frames so far, and
    /// returns whether to continue.
    package func run(
        _ reader: any PacketSource, write: (RawSpan, Int) throws -> Bool
    ) async throws -> Outcome {
        let dissector = Dissector(scope: scope, plugins: plugins)
        reader.limitBatches(to: max(printer.batchSize, Self.followedBatchSize))
        var application = ApplicationTracker(plugins, guesses: guesses)
        var responses: ResponseIndex?
        var knowledge = learned?.knowledge
        if let learned { application = learned.application }
        if looksAhead, reader.isSeekable, knowledge == nil || scope.contains(.responses) {
            knowledge = try await lookAhead(reader, &application, &responses)
        }
        reader.limitBatches(to: printer.batchSize)
        // The first pass has identified the devices.
        var tracker = Tracker(
            imported: importedTables, plugins: knowledge == nil ? plugins : .none, keys: keys, record: .ends)
        var outcome = Outcome()
        let buffers = OutputBufferPool()
        let writers = WriterPool(printer)
        var waiting: [Task<OutputBuffer, Never>] = []
        var goesOn = true
        func finishOldest() async throws {
            let buffer = await waiting.removeFirst().value
            outcome.shown += buffer.frames
            goesOn = try write(buffer.text.span, outcome.frames)
            reader.reuse(buffer.batch.empty())
            buffers.giveBack(buffer)
        }
        var header = TextWriter()
        printer.writeHeader(to: &header)
        goesOn = try write(header.span, 0)
        while goesOn, outcome.frames < frameLimit, var packets = try await reader.next() {
            let excess = outcome.frames + packets.packets.count - frameLimit
            if excess > 0 { packets.packets.removeLast(excess) }
            outcome.frames += packets.packets.count
            if waiting.count >= Self.batchesInFlight { try await finishOldest() }
            let buffer = buffers.take()
            buffer.batch.fill(packets)
            tracker.track(&buffer.batch)
            if needsNames {
                if let knowledge {
                    knowledge.name(&buffer.batch)
                    application.follow(&buffer.batch, knowledge.devices)
                } else {
                    tracker.name(&buffer.batch)
                    application.follow(&buffer.batch, tracker.devices)
                }
            }
            if scope.contains(.ends) { buffer.batch.takeRoles(tracker) }
            if let responses { buffer.batch.takeResponses(responses) }
            waiting.append(
                Task {
                    writers.lend { print(on: buffer, with: $0, dissector) }
                    return buffer
                })
            if !reader.isSeekable || printer.isSequential { while !waiting.isEmpty { try await finishOldest() } }
        }
        while goesOn, !waiting.isEmpty { try await finishOldest() }
        outcome.rivals = plugins.ids(ofRivals: application.rivals)
        return outcome
    }

    /// Dissects and prints the buffer's batch.
    private func print(on buffer: OutputBuffer, with slot: WriterSlot, _ dissector: Dissector) {
        let batch = buffer.batch
        for metadata in batch.metadata {
            dissector.dissect(metadata, of: batch, into: slot.frame)
            if let filter, !batch.matches(filter, slot.frame, metadata) { continue }
            slot.writer.write(slot.frame, metadata, of: batch, to: &buffer.text)
            buffer.frames += 1
        }
    }

    /// Tracks the whole capture, then rewinds to its beginning.
    private func lookAhead(
        _ reader: any PacketSource, _ application: inout ApplicationTracker, _ responses: inout ResponseIndex?
    ) async throws -> CaptureKnowledge {
        let follower = CaptureTracker(
            Tracker(imported: importedTables, plugins: plugins, keys: keys, record: []), application,
            indexing: scope.contains(.responses) ? ResponseIndex() : nil, upTo: frameLimit)
        try await follower.follow(reader) { $0 < frameLimit }
        application = follower.application.restarted()
        responses = follower.responses
        try reader.rewind()
        return follower.tracker.conclusion
    }
}

/// A batch and its text, reused for later batches.
///
/// A buffer has one owner at a time: the pool, the task that prints the batch, then the job that writes the text out.
private final class OutputBuffer: @unchecked Sendable {
    var batch = TrackedBatch()
    var text = TextWriter(capacity: 1 << 20)
    /// Frames printed.
    var frames = 0
}

/// Idle output buffers, whose memory is reused.
private final class OutputBufferPool {
    private var free: [OutputBuffer] = []

    func take() -> OutputBuffer { free.popLast() ?? OutputBuffer() }

    func giveBack(_ buffer: OutputBuffer) {
        buffer.text.truncate(to: 0)
        buffer.frames = 0
        free.append(buffer)
    }
}

/// The state of one printing thread. It has one owner at a time: the pool or a task.
private final class WriterSlot: @unchecked Sendable {
    let frame = DissectedFrame()
    let writer: any FrameWriter

    init(_ writer: any FrameWriter) {
        self.writer = writer
    }
}

/// Idle writers, the last returned first: few writers then print most of the frames, which fills their caches.
private final class WriterPool: Sendable {
    private let printer: any FramePrinter
    private let free = Mutex<[WriterSlot]>([])

    init(_ printer: any FramePrinter) {
        self.printer = printer
    }

    /// Calls `body` with an idle slot, or a new one.
    func lend(_ body: (WriterSlot) -> Void) {
        let slot = free.withLock { $0.popLast() } ?? WriterSlot(printer.makeWriter())
        body(slot)
        free.withLock { $0.append(slot) }
    }
}
