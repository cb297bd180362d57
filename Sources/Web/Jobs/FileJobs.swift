import Bytes
import Captures
import Conformance
import Conversation
import Dissection
import Output
import Workbench

/// What is made of a file in the background, each when it is first asked for.
struct FileJobs: Sendable {
    let statistics: BackgroundJob<CountedCapture>
    let survey: BackgroundJob<Survey>
    let check: BackgroundJob<CheckedCapture>
    let comparison: BackgroundJob<CheckedCapture>

    init(_ index: CaptureIndex, _ catalog: FieldCatalog, _ waivers: WaiverFile) {
        statistics = BackgroundJob(index) { goesOn in
            let end = await index.knownEnd()
            var job = StatisticsJob()
            job.plugins = index.plugins
            job.importedTables = index.tables
            let reader = try CaptureReader(path: index.path)
            return CountedCapture(try await job.run(reader) { goesOn($0) && $0 < end }, of: reader)
        }
        survey = BackgroundJob(index) { goesOn in try await Survey.make(index, catalog, goesOn) }
        check = BackgroundJob(index) { goesOn in try await Self.check(index, waivers, asksOracle: false, goesOn) }
        comparison = BackgroundJob(index) { goesOn in try await Self.check(index, waivers, asksOracle: true, goesOn) }
    }

    func cancel() {
        statistics.cancel()
        survey.cancel()
        check.cancel()
        comparison.cancel()
    }

    private static func check(
        _ index: CaptureIndex, _ waivers: WaiverFile, asksOracle: Bool, _ goesOn: @escaping @Sendable (Int) -> Bool
    ) async throws -> CheckedCapture {
        let end = await index.knownEnd()
        var job = CheckJob()
        job.plugins = index.plugins
        job.importedTables = index.tables
        job.asksOracle = asksOracle
        let report = try await job.run(CaptureReader(path: index.path)) { goesOn($0) && $0 < end }.report
        return try CheckedCapture(try waivers.applied(to: report))
    }
}

/// What is in a capture, and the same as JSON.
struct CountedCapture: Sendable {
    let outcome: StatisticsOutcome
    let json: String

    init(_ outcome: StatisticsOutcome, of reader: CaptureReader) {
        self.outcome = outcome
        var report = StatisticsReport(outcome, of: reader)
        json = report.json()
    }
}

/// The findings of a check by packet, and its report as JSON.
struct CheckedCapture: Sendable {
    let marks: FrameMarks
    let json: String

    init(_ report: CheckReport) throws {
        marks = FrameMarks(report)
        json = try JSONReport(report).text()
    }
}

extension CaptureIndex {
    /// What is known of a device, by its number: of a live capture so far. Nil for one that is not known yet.
    func device(_ number: Int32) -> Device? {
        let progress = progress
        guard let table = progress.learned?.knowledge.devices ?? progress.devices,
            table.devices.indices.contains(Int(number))
        else { return nil }
        return table.shown(number)
    }

    /// How many packets a job has to look at: of a file all of them, of a live capture those that were recorded.
    func knownEnd() async -> Int {
        await waitUntilReadable()
        return isLive ? packets : .max
    }

    /// Prints frames with what is known of the devices, in the capture's order; of a live capture those that were recorded.
    func decode(
        _ printer: any FramePrinter, _ filter: DisplayFilter? = nil,
        write: @escaping (RawSpan, Int) -> Bool
    ) async throws {
        var job = DecodeJob(printer: printer)
        job.plugins = plugins
        job.importedTables = tables
        job.filter = filter
        job.frameLimit = await knownEnd()
        job.learned = learned
        if job.frameLimit == 0 { return }
        _ = try await job.run(try CaptureReader(path: path), write: write)
    }
}
