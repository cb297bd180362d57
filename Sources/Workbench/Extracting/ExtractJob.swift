import Bytes
package import Captures
import Conversation
import Dissection

/// Writes selected frames of a capture with all that their decoding needs.
///
/// It reads the capture three times: to learn what it shows, to select, and to write. What is kept is decoded before it is
/// written: while a selected frame is not decoded as in the whole capture, more is kept for it.
package struct ExtractJob: Sendable {
    package var selection = FrameSelection()
    package var decoding = FrameDecoding()

    package init() {}

    /// The result of an extraction.
    package struct Report: Sendable {
        package var conversion: Converter.Report
        /// The frames that the options select, and all that are kept.
        package var selected: FrameSet
        package var kept: FrameSet
        /// Number of frames of the capture.
        package var frames: Int
    }

    /// Writes the frames to `path`. `progress` gets the number of packets read in all passes, and returns whether to
    /// continue. Nothing is written unless a frame is selected.
    package func run(
        _ reader: CaptureReader, to path: String, format: CaptureFormat, progress: (Int) -> Bool = { _ in true }
    ) async throws -> Report {
        guard reader.isSeekable else {
            throw CaptureError(
                .cannotRead, file: reader.file, "cannot be read more than once, as extract does",
                advice: "write it to a file first")
        }
        var count = 0
        func goesOn(_ packets: Int) -> Bool {
            count += packets
            return progress(count)
        }
        let (outline, learned) = try await survey(reader, goesOn)
        let (selected, summaries) = try await select(reader, outline, learned, goesOn)
        guard !selected.isEmpty else { throw NothingSelected() }
        let kept = try await context(of: selected, summaries, outline, reader, goesOn)
        let subset = CaptureSubset(kept, isMerged: outline.isMerged || outline.isMixed)
        let conversion = try subset.write(reader, to: path, format: format) { goesOn($0 - count) }
        return Report(
            conversion: conversion, selected: selected, kept: kept, frames: outline.frames.count)
    }

    /// Tracks the whole capture.
    private func survey(
        _ reader: CaptureReader, _ goesOn: (Int) -> Bool
    ) async throws -> (FrameOutline, DecodeJob.Learned) {
        var procedures = ProcedureTracker()
        let (learned, tracker) = try await decoding.learn(from: reader) { batch in
            procedures.add(batch)
            guard procedures.outline.frames.count <= FrameOutline.frameLimit else {
                throw CaptureError(
                    .unsupported, file: reader.file, "more than \(FrameOutline.frameLimit) packets",
                    advice: "divide it first, as with editcap -c")
            }
            guard goesOn(batch.metadata.count) else { throw ExtractionInterruption() }
            return true
        }
        try reader.rewind()
        return (procedures.finish(tracker), learned)
    }

    /// The selected frames, and summaries of their decoding in the whole capture.
    private func select(
        _ reader: CaptureReader, _ outline: FrameOutline, _ learned: DecodeJob.Learned, _ goesOn: (Int) -> Bool
    ) async throws -> (FrameSet, [Int]) {
        let candidates = try selection.frames(of: outline)
        let filter = selection.filter
        let dissector = Dissector(
            scope: filter.map { DissectionScope(fieldNames: $0.fieldNames) } ?? [], plugins: decoding.plugins)
        let frame = DissectedFrame()
        let summarizer = FrameSummarizer(decoding.plugins)
        var selected = FrameSet()
        var summaries: [Int] = []
        var isInterrupted = false
        try await decoding.decode(reader, learned) { batch in
            for metadata in batch.metadata where candidates.contains(metadata.packet.number) {
                if let filter {
                    dissector.dissect(metadata, of: batch, into: frame)
                    guard batch.matches(filter, frame, metadata) else { continue }
                }
                selected.insert(metadata.packet.number)
                summaries.append(summarizer.summary(of: metadata, in: batch))
            }
            isInterrupted = !goesOn(batch.metadata.count)
            return !isInterrupted
        }
        if isInterrupted { throw ExtractionInterruption() }
        return (selected, summaries)
    }

    /// The frames to keep: more until the selected frames are decoded as in the whole capture.
    private func context(
        of selected: FrameSet, _ summaries: [Int], _ outline: FrameOutline, _ reader: CaptureReader,
        _ goesOn: (Int) -> Bool
    ) async throws -> FrameSet {
        var context = DecodingContext(outline, of: selected)
        while true {
            let kept = context.frames
            try reader.rewind()
            let found = try await decoding.summaries(of: selected, in: SelectedPackets(reader, kept))
            let changed = zip(selected.numbers, zip(summaries, found)).filter { $0.1.0 != $0.1.1 }.map(\.0)
            guard goesOn(0) else { throw ExtractionInterruption() }
            guard !changed.isEmpty, context.widen(for: changed) else { return kept }
        }
    }
}

/// No frame passes the options of an extraction.
package struct NothingSelected: Error {}

/// The user has ended an extraction before anything was written.
package struct ExtractionInterruption: Error {}
