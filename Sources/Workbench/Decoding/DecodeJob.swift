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
        package var frames = 0
        package var shown = 0
    }

    /// Batches that are dissected at the same time; bounds the memory.
    private static let batchesInFlight = 3

    /// Decodes all that `reader` gives; `write` gets the text in order, and says whether to go on.
    package func run(
        _ reader: CaptureReader, write: ([UInt8]) throws -> Void
    ) async throws -> Outcome {
        let scope = printer.scope.union(filter.map { DissectionScope(protocols: $0.protocols) } ?? [])
        let dissector = Dissector(scope: scope, plugins: plugins)
        let needsNames = !scope.isDisjoint(with: [.application, .bluetooth, .linkLayer])
        let knowledge = looksAhead && needsNames ? try lookAhead(reader) : nil
        var tracker = Tracker(imported: importedTables)
        var outcome = Outcome()
        var waiting: [Task<Printed, Never>] = []
        func finishOldest() async throws {
            let printed = await waiting.removeFirst().value
            outcome.shown += printed.frames
            try write(printed.text)
        }
        var header = TextWriter()
        printer.writeHeader(to: &header)
        try write(header.bytes)
        while outcome.frames < frameLimit, var packets = try reader.next() {
            let excess = outcome.frames + packets.packets.count - frameLimit
            if excess > 0 { packets.packets.removeLast(excess) }
            outcome.frames += packets.packets.count
            var batch = tracker.track(packets)
            if needsNames { (knowledge ?? tracker).name(&batch) }
            if waiting.count >= Self.batchesInFlight { try await finishOldest() }
            waiting.append(Task { [batch] in print(batch, dissector) })
            if !reader.isSeekable { while !waiting.isEmpty { try await finishOldest() } }
        }
        while !waiting.isEmpty { try await finishOldest() }
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
