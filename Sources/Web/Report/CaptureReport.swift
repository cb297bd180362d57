import Captures
import Causes
import Conformance
import Conversation
import Dissection
import Output
import Workbench

/// The content of a capture report, computed in several passes over the file.
struct CaptureReport: Sendable {
    let options: ReportOptions
    let source: ReadableCapture
    let format: String
    let statistics: StatisticsOutcome
    let verdicts: CheckReport
    let marks: FrameMarks
    let incidents: IncidentList
    let index: CaptureIndex
    let survey: Survey
    let plots: ReportPlots
    /// The differences from another capture, A; nil unless one was given.
    let comparison: CaptureComparison?
    /// Defects of the file.
    let warnings: [String]

    /// - Parameter progress: Receives the number of packets read in a pass.
    init(_ options: ReportOptions, progress: @escaping @Sendable (Int) -> Void) async throws {
        self.options = options
        let goesOn: @Sendable (Int) -> Bool = {
            progress($0)
            return !Task.isCancelled
        }
        var source = try ReadableCapture(options.file, member: options.member, as: options.stated)
        if options.isRedacted { source = try await source.redacted(options, goesOn) }
        self.source = source
        do {
            let reader = try CaptureReader(path: source.path)
            format = reader.format.name
            var job = StatisticsJob()
            job.plugins = options.plugins
            job.importedTables = options.tables
            job.keys = options.keys
            statistics = try await job.run(reader, goesOn: goesOn)
            let more = reader.furtherWarnings
            warnings =
                (source.warnings + reader.warnings).map { source.named($0).description }
                + (more > 0 ? ["\(source.name): and \(more) more"] : [])
        } catch let error as CaptureError {
            throw CaptureError(error.kind, source.named(error.finding))
        }
        try Task.checkCancellation()
        var job = CheckJob()
        job.plugins = options.plugins
        job.importedTables = options.tables
        job.keys = options.keys
        job.asksOracle = options.asksOracle
        var report = try await job.run(CaptureReader(path: source.path), goesOn: goesOn).report
        report.file = source.name
        verdicts = options.checking.applied(to: report)
        marks = FrameMarks(verdicts)
        incidents = try await Self.incidents(options, source, goesOn)
        index = CaptureIndex(
            path: source.path, plugins: options.plugins, tables: options.tables, keys: options.keys, source: nil)
        await index.build()
        try Task.checkCancellation()
        let catalog = FieldCatalog.all(plugins: options.plugins)
        survey = try await Survey.make(index, catalog, goesOn)
        plots = try await ReportPlots(survey, index, catalog, goesOn)
        try Task.checkCancellation()
        comparison = try await Self.comparison(of: source, options, goesOn)
        try Task.checkCancellation()
    }

    /// Compares the capture with the one that the options name.
    private static func comparison(
        of source: ReadableCapture, _ options: ReportOptions, _ goesOn: @Sendable (Int) -> Bool
    ) async throws -> CaptureComparison? {
        guard let path = options.against else { return nil }
        let other = try ReadableCapture(path, member: options.member, as: options.stated)
        var job = OutlineJob()
        job.plugins = options.plugins
        job.importedTables = options.tables
        job.keys = options.keys
        var outlines: [CaptureOutline] = []
        for capture in [other, source] {
            do {
                var outline = try await job.run(CaptureReader(path: capture.path), goesOn: goesOn)
                outline.file = capture.name
                outlines.append(outline)
            } catch let error as CaptureError {
                throw CaptureError(error.kind, capture.named(error.finding))
            }
        }
        return try CaptureComparison(outlines[0], outlines[1], options.comparison)
    }

    private static func incidents(
        _ options: ReportOptions, _ source: ReadableCapture, _ goesOn: @escaping @Sendable (Int) -> Bool
    ) async throws -> IncidentList {
        var job = WhyJob()
        job.plugins = options.plugins
        job.importedTables = options.tables
        job.keys = options.keys
        return try await job.run(CaptureReader(path: source.path), goesOn: goesOn)
    }
}
