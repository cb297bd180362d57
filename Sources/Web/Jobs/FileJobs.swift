import Bytes
import Captures
import Causes
import Conformance
import Conversation
import Dissection
import Output
import Workbench

/// Background jobs of a file, each started on its first request.
struct FileJobs: Sendable {
    let statistics: BackgroundJob<CountedCapture>
    let survey: BackgroundJob<Survey>
    let check: BackgroundJob<CheckedCapture>
    let comparison: BackgroundJob<CheckedCapture>
    let explanation: BackgroundJob<ExplainedCapture>

    init(_ index: CaptureIndex, _ catalog: FieldCatalog, _ waivers: WaiverFile) {
        statistics = BackgroundJob(index) { goesOn in
            let end = await index.knownEnd()
            var job = StatisticsJob()
            job.plugins = index.plugins
            job.importedTables = index.tables
            job.keys = index.keys
            let reader = try CaptureReader(path: index.path)
            return CountedCapture(try await job.run(reader) { goesOn($0) && $0 < end }, of: reader)
        }
        survey = BackgroundJob(index) { goesOn in try await Survey.make(index, catalog, goesOn) }
        check = BackgroundJob(index) { goesOn in try await Self.check(index, waivers, asksOracle: false, goesOn) }
        comparison = BackgroundJob(index) { goesOn in try await Self.check(index, waivers, asksOracle: true, goesOn) }
        explanation = BackgroundJob(index) { goesOn in
            let end = await index.knownEnd()
            var job = WhyJob()
            job.plugins = index.plugins
            job.importedTables = index.tables
            job.keys = index.keys
            let list = try await job.run(CaptureReader(path: index.path)) { goesOn($0) && $0 < end }
            return ExplainedCapture(list)
        }
    }

    func cancel() {
        statistics.cancel()
        survey.cancel()
        check.cancel()
        comparison.cancel()
        explanation.cancel()
    }

    private static func check(
        _ index: CaptureIndex, _ waivers: WaiverFile, asksOracle: Bool, _ goesOn: @escaping @Sendable (Int) -> Bool
    ) async throws -> CheckedCapture {
        let end = await index.knownEnd()
        var job = CheckJob()
        job.plugins = index.plugins
        job.importedTables = index.tables
        job.keys = index.keys
        job.asksOracle = asksOracle
        let report = try await job.run(CaptureReader(path: index.path)) { goesOn($0) && $0 < end }.report
        return try CheckedCapture(try waivers.applied(to: report))
    }
}

/// Statistics of a capture, also as JSON.
struct CountedCapture: Sendable {
    let outcome: StatisticsOutcome
    let json: String

    init(_ outcome: StatisticsOutcome, of reader: CaptureReader) {
        self.outcome = outcome
        var report = StatisticsReport(outcome, of: reader)
        json = report.json()
    }
}

/// Findings of a check by packet, and its report as JSON.
struct CheckedCapture: Sendable {
    let marks: FrameMarks
    let json: String

    init(_ report: CheckReport) throws {
        marks = FrameMarks(report)
        json = try JSONReport(report).text()
    }
}

/// The incidents of a capture as JSON.
struct ExplainedCapture: Sendable {
    let json: String

    init(_ list: IncidentList) {
        json = IncidentJSON.text([list], isArray: false)
    }
}

extension CaptureIndex {
    /// The device with this number, for a live capture as known so far; nil if it is unknown.
    func device(_ number: Int32) -> Device? {
        let progress = progress
        guard let table = progress.learned?.knowledge.devices ?? progress.devices,
            table.devices.indices.contains(Int(number))
        else { return nil }
        return table.shown(number)
    }

    /// Number of packets that a job covers: all of a file, or those recorded so far of a live capture.
    func knownEnd() async -> Int {
        await waitUntilReadable()
        return isLive ? packets : .max
    }

    /// Prints frames in capture order, with the devices identified so far. For a live capture, covers the packets
    /// recorded so far.
    func decode(
        _ printer: any FramePrinter, _ filter: DisplayFilter? = nil,
        write: @escaping (RawSpan, Int) -> Bool
    ) async throws {
        var job = DecodeJob(printer: printer)
        job.plugins = plugins
        job.importedTables = tables
        job.keys = keys
        job.filter = filter
        job.frameLimit = await knownEnd()
        job.learned = learned
        if job.frameLimit == 0 { return }
        _ = try await job.run(try CaptureReader(path: path), write: write)
    }
}
