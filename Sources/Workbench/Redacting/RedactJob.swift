package import Bluetooth
import Bytes
package import Captures
package import Conversation
package import Keys
package import Redaction

/// Replaces in a capture what identifies people, devices and places.
///
/// It reads the capture three times: for its connections, devices and keys; for what is to be replaced; to write.
package struct RedactJob {
    package var plugins = PluginSet.none
    /// Attribute tables imported by the user.
    package var importedTables = GATT.KnownTables()
    /// The keys to decrypt with, beside those found in the capture.
    package var keys = KeyRing()
    package var options = RedactionOptions()
    /// The file that undoes it; nil for none.
    package var map: String?

    package init() {}

    /// The result of a run.
    package struct Report: Sendable {
        package var packets = 0
        package var counts = RedactionCounts()
        /// What the file could not hold.
        package var losses: [ConversionLoss] = []
        /// Problems of the source.
        package var warnings: [CaptureWarning] = []
        /// Whether the run ended early.
        package var isInterrupted = false
    }

    /// Writes the packets of `reader` to `path`; `progress` gets the number of packets in all passes, and returns whether
    /// to continue. Nothing is written unless the first two passes reach the end.
    package func run(
        _ reader: CaptureReader, to path: String, as format: CaptureFormat, progress: (Int) -> Bool = { _ in true }
    ) async throws -> Report {
        try check(reader, path)
        let source = DecryptedSource(reader, keys: keys)
        var read = 0
        var report = Report(isInterrupted: true)
        // The first pass learns the devices and their attribute tables.
        let follower = CaptureTracker(
            Tracker(imported: importedTables, plugins: plugins, keys: keys, record: []), ApplicationTracker(plugins))
        var isInterrupted = false
        try await follower.follow(source) { packets in
            isInterrupted = isInterrupted || !progress(packets)
            return !isInterrupted
        }
        if isInterrupted { return report }
        let knowledge = follower.tracker.conclusion
        let hasDecrypted = source.decrypted > 0
        // The second pass learns what is to be replaced.
        let survey = RedactionSurvey(plugins: plugins)
        var sources = RedactedOutput.Sources()
        var pass = try NamedPass(self, source, follower, knowledge)
        while let batch = try await pass.next() {
            sources.add(batch.packets.packets)
            survey.add(batch)
            read += batch.metadata.count
            guard progress(read) else { return report }
            source.reuse(pass.recycle(batch))
        }
        let redactor = survey.redactor(options, devices: follower.tracker.devices, keys: follower.tracker.keys)
        // The third pass writes.
        let output = try RedactedOutput(
            path, format, sources, hasDecrypted: hasDecrypted, hasNanoseconds: reader.hasNanoseconds)
        var writer = try RedactedWriter(output, redactor, mapPath: map, firstTime: sources.first?.time)
        source.keepsCaptured = map != nil
        pass = try NamedPass(self, source, follower, knowledge)
        report.isInterrupted = false
        while let batch = try await pass.next() {
            try writer.write(batch, captured: source.captured)
            read += batch.metadata.count
            guard progress(read) else {
                report.isInterrupted = true
                break
            }
            source.reuse(pass.recycle(batch))
        }
        try writer.finish()
        redactor.counts[.interfaceName] += reader.interfaces.count { $0.name != nil || $0.description != nil }
        redactor.counts[.decrypted] += source.decrypted
        (report.packets, report.counts, report.losses) = (output.packetCount, redactor.counts, output.losses)
        report.warnings = reader.warnings
        return report
    }

    private func check(_ reader: CaptureReader, _ path: String) throws(CaptureError) {
        guard reader.isSeekable else {
            throw CaptureError(
                .cannotRead, file: reader.file, "cannot be read more than once, as redact does",
                advice: "write it to a file first")
        }
        for output in [path, map].compactMap({ $0 }) where reader.reads(fileAt: output) {
            throw CaptureError(
                .cannotWrite, file: output, "is the file that is read", advice: "write to another file")
        }
    }

    /// A pass through the capture after the first, with the names and plugins that the first has found.
    private struct NamedPass {
        private let source: DecryptedSource
        private let knowledge: CaptureKnowledge
        private var tracker: Tracker
        private var application: ApplicationTracker

        init(
            _ job: RedactJob, _ source: DecryptedSource, _ follower: CaptureTracker, _ knowledge: CaptureKnowledge
        ) throws {
            try source.rewind()
            self.source = source
            self.knowledge = knowledge
            tracker = Tracker(imported: job.importedTables, keys: job.keys, record: .ends)
            application = follower.application.restarted()
        }

        mutating func next() async throws -> TrackedBatch? {
            guard let packets = try await source.next() else { return nil }
            var batch = tracker.track(packets)
            knowledge.name(&batch)
            application.follow(&batch, knowledge.devices)
            return batch
        }

        /// The memory of a batch.
        func recycle(_ batch: TrackedBatch) -> PacketBatch {
            var batch = batch
            return batch.empty()
        }
    }
}

extension RedactJob.Report {
    /// The counts as JSON, for programs.
    package var json: String {
        let replaced = RedactionKind.allCases.map { (name: $0.rawValue, value: JSONValue.integer(counts[$0])) }
        let members: [(name: String, value: JSONValue)] = [
            ("packets", .integer(packets)), ("replaced", .object(of: replaced)),
        ]
        return JSONValue.object(of: members).text
    }

    /// One line for each kind of replacement that was made.
    package var lines: [String] {
        RedactionKind.allCases.filter { counts[$0] > 0 }.map { "\($0.title): \(counts[$0])" }
    }
}
