import Bytes
package import Captures
package import Dissection
package import GATT
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
    /// Bytes of a batch that is only followed, not less: printers that want small ones do so for their pages.
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
        let knowledge = looksAhead && reader.isSeekable ? try await lookAhead(reader, &application, &responses) : nil
        reader.limitBatches(to: printer.batchSize)
        // What devices are is known from the first pass.
        var tracker = Tracker(
            imported: importedTables, plugins: knowledge == nil ? plugins : .none, record: .ends)
        var outcome = Outcome()
        let pages = PagePool()
        let pens = PenPool(printer)
        var waiting: [Task<Page, Never>] = []
        var goesOn = true
        func finishOldest() async throws {
            let page = await waiting.removeFirst().value
            outcome.shown += page.frames
            goesOn = try write(page.text.span, outcome.frames)
            reader.reuse(page.batch.empty())
            pages.giveBack(page)
        }
        var header = TextWriter()
        printer.writeHeader(to: &header)
        goesOn = try write(header.span, 0)
        while goesOn, outcome.frames < frameLimit, var packets = try await reader.next() {
            let excess = outcome.frames + packets.packets.count - frameLimit
            if excess > 0 { packets.packets.removeLast(excess) }
            outcome.frames += packets.packets.count
            if waiting.count >= Self.batchesInFlight { try await finishOldest() }
            let page = pages.take()
            page.batch.fill(packets)
            tracker.track(&page.batch)
            if needsNames {
                if let knowledge {
                    knowledge.name(&page.batch)
                    application.follow(&page.batch, knowledge.devices)
                } else {
                    tracker.name(&page.batch)
                    application.follow(&page.batch, tracker.devices)
                }
            }
            if scope.contains(.ends) { page.batch.takeRoles(tracker) }
            if let responses { page.batch.takeResponses(responses) }
            waiting.append(
                Task {
                    pens.lend { print(on: page, with: $0, dissector) }
                    return page
                })
            if !reader.isSeekable || printer.isSequential { while !waiting.isEmpty { try await finishOldest() } }
        }
        while goesOn, !waiting.isEmpty { try await finishOldest() }
        outcome.rivals = plugins.ids(ofRivals: application.rivals)
        return outcome
    }

    /// Prints the page's batch on it.
    private func print(on page: Page, with pen: Pen, _ dissector: Dissector) {
        let batch = page.batch
        for facts in batch.facts {
            dissector.dissect(facts, of: batch, into: pen.frame)
            if let filter, !batch.matches(filter, pen.frame, facts) { continue }
            pen.writer.write(pen.frame, facts, of: batch, to: &page.text)
            page.frames += 1
        }
    }

    /// Tracks the whole capture and goes back to its beginning.
    private func lookAhead(
        _ reader: any PacketSource, _ application: inout ApplicationTracker, _ responses: inout ResponseIndex?
    ) async throws -> CaptureKnowledge {
        let follower = ConversationFollower(
            Tracker(imported: importedTables, plugins: plugins, record: []), application,
            indexing: scope.contains(.responses) ? ResponseIndex() : nil, upTo: frameLimit)
        try await follower.follow(reader) { $0 < frameLimit }
        application = follower.application.restarted()
        responses = follower.responses
        try reader.rewind()
        return follower.tracker.conclusion
    }
}

/// A batch and what it is printed on; used again for later batches.
///
/// A page has one owner at a time: the pool, the task that prints on it, then the job that writes it out.
private final class Page: @unchecked Sendable {
    var batch = TrackedBatch()
    var text = TextWriter(capacity: 1 << 20)
    /// Frames printed.
    var frames = 0
}

/// Pages that nobody prints on, so that their memory is used again.
private final class PagePool {
    private var free: [Page] = []

    func take() -> Page { free.popLast() ?? Page() }

    func giveBack(_ page: Page) {
        page.text.truncate(to: 0)
        page.frames = 0
        free.append(page)
    }
}

/// What a thread prints with. It has one owner at a time: the pool or a task.
private final class Pen: @unchecked Sendable {
    let frame = DissectedFrame()
    let writer: any FrameWriter

    init(_ writer: any FrameWriter) {
        self.writer = writer
    }
}

/// Pens that nobody prints with; the one that was given back last is lent first. No more than threads print at a time, so that each comes across most of what writers
/// remember.
private final class PenPool: Sendable {
    private let printer: any FramePrinter
    private let free = Mutex<[Pen]>([])

    init(_ printer: any FramePrinter) {
        self.printer = printer
    }

    /// Lends a pen to `body`.
    func lend(_ body: (Pen) -> Void) {
        let pen = free.withLock { $0.popLast() } ?? Pen(printer.makeWriter())
        body(pen)
        free.withLock { $0.append(pen) }
    }
}
