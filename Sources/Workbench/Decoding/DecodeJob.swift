import Bytes
package import Captures
package import Dissection
package import PluginKit
package import GATT
package import BluetoothTypes

/// Decodes one capture and prints its frames: reads and tracks in order, dissects and prints on all cores, writes in
/// the file's order.
package struct DecodeJob: Sendable {
    package var printer: any FramePrinter
    package var filter: DisplayFilter?
    package var plugins: [any DevicePlugin] = []
    /// Tables given by the user, by device.
    package var importedTables: [DeviceAddress: GATT.Table] = [:]
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
    }

    /// The layers that printer and filter need.
    private var scope: DissectionScope {
        printer.scope.union(filter.map { DissectionScope(protocols: $0.protocols) } ?? [])
    }

    /// Whether frames are to be shown with names of devices and attributes.
    var needsNames: Bool { !scope.isDisjoint(with: [.application, .bluetooth, .linkLayer]) }

    /// Batches that are dissected at the same time; bounds the memory.
    private static let batchesInFlight = 3

    /// Decodes all that `reader` gives; `write` gets the text in order, with the number of frames so far, and says
    /// whether to go on.
    package func run(
        _ reader: CaptureReader, write: ([UInt8], Int) throws -> Bool
    ) async throws -> Outcome {
        let dissector = Dissector(scope: scope, plugins: plugins)
        let knowledge = looksAhead && reader.isSeekable ? try lookAhead(reader) : nil
        var tracker = Tracker(imported: importedTables)
        var outcome = Outcome()
        var waiting: [Task<Printed, Never>] = []
        var goesOn = true
        func finishOldest() async throws {
            let printed = await waiting.removeFirst().value
            outcome.shown += printed.frames
            goesOn = try write(printed.text, outcome.frames)
        }
        var header = TextWriter()
        printer.writeHeader(to: &header)
        goesOn = try write(header.bytes, 0)
        while goesOn, outcome.frames < frameLimit, var packets = try reader.next() {
            let excess = outcome.frames + packets.packets.count - frameLimit
            if excess > 0 { packets.packets.removeLast(excess) }
            outcome.frames += packets.packets.count
            var batch = tracker.track(packets)
            if needsNames { (knowledge ?? tracker).name(&batch) }
            if waiting.count >= Self.batchesInFlight { try await finishOldest() }
            waiting.append(Task { [batch] in print(batch, dissector) })
            if !reader.isSeekable { while !waiting.isEmpty { try await finishOldest() } }
        }
        while goesOn, !waiting.isEmpty { try await finishOldest() }
        return outcome
    }

    private struct Printed: Sendable {
        var text: [UInt8]
        var frames: Int
    }

    private func print(_ batch: TrackedBatch, _ dissector: Dissector) -> Printed {
        let frame = DissectedFrame()
        var output = TextWriter()
        var frames = 0
        for facts in batch.facts {
            dissector.dissect(facts, of: batch, into: frame)
            if let filter, !batch.matches(filter, frame, facts) { continue }
            printer.write(frame, facts, of: batch, to: &output)
            frames += 1
        }
        return Printed(text: output.bytes, frames: frames)
    }

    /// Tracks the whole capture and goes back to its beginning.
    private func lookAhead(_ reader: CaptureReader) throws -> Tracker {
        var tracker = Tracker(imported: importedTables)
        var frames = 0
        while frames < frameLimit, let packets = try reader.next() {
            frames += packets.packets.count
            _ = tracker.track(packets)
        }
        try reader.rewind()
        return tracker
    }
}
