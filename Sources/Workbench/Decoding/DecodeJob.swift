package import Bluetooth
import Bytes
package import Captures
package import Conversation
package import Dissection
package import Output
import PluginKit
import Synchronization

/// Decodes one capture and prints its frames: reads and tracks in order, dissects and prints on all cores, writes in
/// the file's order.
package struct DecodeJob: Sendable {
    package var printer: any FramePrinter
    package var filter: DisplayFilter?
    package var plugins = PluginSet.none
    /// Whether attributes whose discovery was not captured are named by the handles that a profile knows.
    package var guesses = true
    /// Attribute tables given by the user.
    package var importedTables = GATT.KnownTables()
    /// Stop after so many frames read.
    package var frameLimit = Int.max
    /// Go through the capture once before printing, so that what discovery reveals late names earlier frames.
    package var looksAhead = false
    /// What an earlier pass through the same capture has told; it is not gone through before then.
    package var learned: Learned?

    /// What a pass through a whole capture has told of its devices.
    package struct Learned: @unchecked Sendable {
        package let knowledge: CaptureKnowledge
        /// It knows what devices are, and has followed nothing.
        package let application: ApplicationTracker

        package init(_ knowledge: CaptureKnowledge, _ application: ApplicationTracker) {
            self.knowledge = knowledge
            self.application = application
        }
    }

    package init(printer: any FramePrinter) {
        self.printer = printer
    }

    /// What came of it.
    package struct Outcome: Sendable {
        /// Frames read.
        package var frames = 0
        /// Frames printed.
        package var shown = 0
        /// Plugins, by their ids, that speak for the same device with equal weight, so that none was chosen.
        package var rivals: [[String]] = []
    }

    /// The layers that printer and filter need.
    var scope: DissectionScope {
        printer.scope.union(filter.map { DissectionScope(fieldNames: $0.fieldNames) } ?? [])
    }

    /// Whether frames are to be shown with names of devices and attributes.
    var needsNames: Bool {
        !scope.isDisjoint(with: [.application, .bluetooth, .linkLayer, .conversation, .ends])
    }

    /// Whether going through the capture before tells something that is asked for.
    var needsLookAhead: Bool { needsNames || scope.contains(.responses) }

    /// Batches that are dissected at the same time; bounds the memory.
    private static let batchesInFlight = 3
    /// Bytes of a batch that is only followed, not less: printers that want small ones do so for their output.
    private static let followedBatchSize = 64 * 1024

    /// Decodes all that `reader` gives; `write` gets the text in order, with the number of frames so far, and says
    /// whether to go on.
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
        // What devices are is known from the first pass.
        var tracker = Tracker(
            imported: importedTables, plugins: knowledge == nil ? plugins : .none, record: .ends)
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

    /// Prints the buffer's batch.
    private func print(on buffer: OutputBuffer, with slot: WriterSlot, _ dissector: Dissector) {
        let batch = buffer.batch
        for facts in batch.facts {
            dissector.dissect(facts, of: batch, into: slot.frame)
            if let filter, !batch.matches(filter, slot.frame, facts) { continue }
            slot.writer.write(slot.frame, facts, of: batch, to: &buffer.text)
            buffer.frames += 1
        }
    }

    /// Tracks the whole capture and goes back to its beginning.
    private func lookAhead(
        _ reader: any PacketSource, _ application: inout ApplicationTracker, _ responses: inout ResponseIndex?
    ) async throws -> CaptureKnowledge {
        let follower = CaptureTracker(
            Tracker(imported: importedTables, plugins: plugins, record: []), application,
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

/// The state that prints frames on one thread. It has one owner at a time: the pool or a task.
private final class WriterSlot: @unchecked Sendable {
    let frame = DissectedFrame()
    let writer: any FrameWriter

    init(_ writer: any FrameWriter) {
        self.writer = writer
    }
}

/// Idle writers, the last returned first: few writers then see most of the frames, which fills their caches.
private final class WriterPool: Sendable {
    private let printer: any FramePrinter
    private let free = Mutex<[WriterSlot]>([])

    init(_ printer: any FramePrinter) {
        self.printer = printer
    }

    /// Lends a slot to `body`.
    func lend(_ body: (WriterSlot) -> Void) {
        let slot = free.withLock { $0.popLast() } ?? WriterSlot(printer.makeWriter())
        body(slot)
        free.withLock { $0.append(slot) }
    }
}
