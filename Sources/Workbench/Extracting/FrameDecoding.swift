package import Bluetooth
import Bytes
import Captures
package import Conversation
import Dissection
package import Keys

/// Decodes the frames of a capture in order, with what the whole capture shows of its devices, as `decode` does.
package struct FrameDecoding: Sendable {
    package var plugins = PluginSet.none
    /// Whether attributes whose discovery was not captured are named from the handles known to the profile.
    package var guesses = true
    /// Attribute tables imported by the user.
    package var importedTables = GATT.KnownTables()
    /// Keys that encrypted packets are opened with.
    package var keys = KeyRing()

    package init() {}

    /// Tracks a whole capture. `visit` gets each batch and returns whether to continue.
    func learn(
        from source: any PacketSource, visit: (borrowing TrackedBatch) throws -> Bool
    ) async throws -> (learned: DecodeJob.Learned, tracker: Tracker) {
        var tracker = Tracker(imported: importedTables, plugins: plugins, keys: keys)
        var application = ApplicationTracker(plugins, guesses: guesses)
        var batch = TrackedBatch()
        while let packets = try await source.next() {
            batch.fill(packets)
            tracker.track(&batch)
            if application.learnsFromValues { application.learn(from: &batch, tracker.knowledge) }
            let goesOn = try visit(batch)
            source.reuse(batch.empty())
            guard goesOn else { break }
        }
        tracker.finish()
        return (DecodeJob.Learned(tracker.conclusion, application.restarted()), tracker)
    }

    /// Tracks a capture again, with names. `visit` gets each batch and returns whether to continue.
    func decode(
        _ source: any PacketSource, _ learned: DecodeJob.Learned, visit: (borrowing TrackedBatch) -> Bool
    ) async throws {
        var tracker = Tracker(imported: importedTables, keys: keys, record: .ends)
        var application = learned.application
        var batch = TrackedBatch()
        while let packets = try await source.next() {
            batch.fill(packets)
            tracker.track(&batch)
            learned.knowledge.name(&batch)
            application.follow(&batch, learned.knowledge.devices)
            let goesOn = visit(batch)
            source.reuse(batch.empty())
            guard goesOn else { return }
        }
    }

    /// Summaries of the decoding of frames in a set, in order.
    func summaries(of frames: FrameSet, in source: any PacketSource) async throws -> [Int] {
        let (learned, _) = try await learn(from: source) { _ in true }
        try source.rewind()
        let summarizer = FrameSummarizer(plugins)
        var summaries: [Int] = []
        try await decode(source, learned) { batch in
            for metadata in batch.metadata where frames.contains(metadata.packet.number) {
                summaries.append(summarizer.summary(of: metadata, in: batch))
            }
            return true
        }
        return summaries
    }
}

/// Makes a number of all that a frame is decoded to: its fields, names of attributes and devices, values of plugins. What
/// counts the frames and connections of a capture is left out.
final class FrameSummarizer {
    private let dissector: Dissector
    private let frame = DissectedFrame()

    init(_ plugins: PluginSet) {
        dissector = Dissector(scope: .all.subtracting([.frame, .bluetooth]), plugins: plugins)
    }

    func summary(of metadata: FrameMetadata, in batch: borrowing TrackedBatch) -> Int {
        dissector.dissect(metadata, of: batch, into: frame)
        var hasher = Hasher()
        let recorder = frame.recorder
        let fields = recorder.span
        let texts = recorder.texts
        for index in fields.indices {
            let recorded = fields[index]
            hasher.combine(recorded.field.name)
            hasher.combine(recorded.length)
            hasher.combine(recorded.depth)
            switch recorded.field.format {
            case .text, .uuid128, .bigEndianUUID128:
                let isText = recorded.isGenerated && recorded.value < UInt64(texts.count)
                hasher.combine(isText ? texts[Int(recorded.value)] : "")
            default: hasher.combine(recorded.value)
            }
        }
        for range in [metadata.pdu, metadata.assembled, metadata.plain] where range.isPresent {
            hasher.combine(batch.bytes(of: range))
        }
        combine(frame.attribute, batch, &hasher)
        hasher.combine(frame.message?.plugin)
        hasher.combine(frame.message?.name)
        for value in frame.values {
            combine(value.attribute, batch, &hasher)
            hasher.combine(value.message?.plugin)
            hasher.combine(value.message?.name)
            hasher.combine(batch.devices[value.advertiser]?.title)
        }
        hasher.combine(metadata.peer(in: batch)?.title)
        return hasher.finalize()
    }

    private func combine(
        _ use: DissectedFrame.AttributeUse?, _ batch: borrowing TrackedBatch, _ hasher: inout Hasher
    ) {
        hasher.combine(use?.service)
        hasher.combine(use?.owner)
        hasher.combine(use?.name)
        hasher.combine(use?.attribute.handle)
        hasher.combine(use?.confidence)
        hasher.combine(use?.value.map { batch.bytes(of: $0) })
    }
}
