import Bytes
import Captures
import Conversation
import Dissection
import Synchronization
import Workbench

/// An open capture: its index and its background jobs.
final class OpenFile: Sendable {
    let id: String
    let name: String
    /// The folder in the path given by the user; empty for none.
    let folder: String
    let index: CaptureIndex
    let jobs: FileJobs
    private let live: LiveSource?
    private let content = Mutex(Content())

    private struct Content {
        var filters: [FilterRun] = []
        var filterCount = 0
        /// Requested series, most recent last.
        var plots: [(name: SeriesName, job: BackgroundJob<PlotSeries>)] = []
        var task: Task<Void, Never>?
    }

    /// Maximum number of filters with kept matches; a new one replaces the oldest.
    private static let filterLimit = 16
    /// Maximum number of series with kept values.
    private static let plotLimit = 8

    /// - Parameter file: the open file at `path`, if it has no name.
    init(
        id: String, name: String, folder: String, path: String, keeping file: FileDescriptor?, live: LiveSource?,
        _ session: WebSession
    ) {
        self.id = id
        self.name = name
        self.folder = folder
        self.live = live
        let index = CaptureIndex(
            path: path, keeping: file, plugins: session.options.plugins, tables: session.options.tables,
            keys: session.options.keys, source: live)
        self.index = index
        jobs = FileJobs(index, session.catalog, session.waivers)
        let task = Task(priority: .utility) { await index.build() }
        content.withLock { $0.task = task }
    }

    /// Cancels all jobs of the capture.
    func close() {
        content.withLock { content in
            content.task?.cancel()
            for filter in content.filters { filter.cancel() }
            content.filters = []
            for plot in content.plots { plot.job.cancel() }
        }
        jobs.cancel()
        live?.close()
    }

    /// The findings of the last check.
    var marks: FrameMarks { jobs.check.progress?.outcome?.marks ?? FrameMarks() }

    func plot(_ name: SeriesName, _ catalog: FieldCatalog) -> BackgroundJob<PlotSeries> {
        content.withLock { content in
            if let place = content.plots.firstIndex(where: { $0.name == name }) {
                let known = content.plots.remove(at: place)
                content.plots.append(known)
                return known.job
            }
            let job = BackgroundJob(index) { [index] goesOn in try await name.read(index, catalog, goesOn) }
            content.plots.append((name, job))
            if content.plots.count > Self.plotLimit { content.plots.removeFirst().job.cancel() }
            return job
        }
    }

    /// State of the background jobs, by their names in the web API.
    var work: [(name: String, state: JobState, scanned: Int)] {
        let plots = content.withLock { $0.plots.compactMap { $0.job.progress } }
        var work: [(name: String, state: JobState, scanned: Int)] = []
        if let one = jobs.statistics.progress { work.append(("devices", one.state, one.scanned)) }
        if let one = jobs.survey.progress { work.append(("series", one.state, one.scanned)) }
        if let one = jobs.check.progress { work.append(("verdicts", one.state, one.scanned)) }
        if let one = jobs.explanation.progress { work.append(("incidents", one.state, one.scanned)) }
        if !plots.isEmpty {
            let isRunning = plots.contains { $0.state == .running }
            work.append(("plots", isRunning ? .running : .complete, plots.reduce(0) { $0 + $1.scanned }))
        }
        return work
    }

    // MARK: - Filters

    func start(_ filter: DisplayFilter, _ catalog: FieldCatalog) throws -> FilterRun {
        let id = content.withLock { content in
            content.filterCount += 1
            return "\(content.filterCount)"
        }
        let run = try FilterRun(id: id, filter, over: index, catalog)
        content.withLock { content in
            content.filters.append(run)
            if content.filters.count > Self.filterLimit { content.filters.removeFirst().cancel() }
        }
        return run
    }

    var filters: [FilterRun] { content.withLock { $0.filters } }

    func filter(_ id: String) -> FilterRun? { filters.first { $0.id == id } }

    func endFilter(_ id: String) -> Bool {
        content.withLock { content in
            guard let place = content.filters.firstIndex(where: { $0.id == id }) else { return false }
            content.filters.remove(at: place).cancel()
            return true
        }
    }

    // MARK: - JSON

    /// Seconds from the first packet, the time unit of the web API.
    func seconds(_ time: Timestamp) -> Double { (time - index.start).seconds }

    var json: JSONValue {
        let progress = index.progress
        return .members([
            "id": .string(id), "name": .string(name), "folder": folder.isEmpty ? nil : .string(folder),
            "format": .string(progress.format),
            "size": progress.size.map { .integer($0) } ?? .null, "read": .integer(progress.bytesRead),
            "packets": .integer(progress.packets),
            "start": progress.start.map { .string($0.description) } ?? .null,
            "duration": .number(progress.duration),
            "state": .string(progress.state.rawValue), "live": .boolean(live.map { !$0.isOver } ?? false),
            "error": progress.error.map { .string($0) },
            "warnings": progress.warnings.isEmpty ? nil : .array(progress.warnings.map { .string($0) }),
        ])
    }
}

extension FilterRun {
    func json(at number: Int? = nil) -> JSONValue {
        let progress = progress
        return .members([
            "id": .string(id), "expression": .string(expression), "state": .string(progress.state.rawValue),
            "scanned": .integer(progress.scanned), "matches": .integer(progress.matches),
            "index": number.map { index(from: $0).map { .integer($0) } ?? .null },
        ])
    }
}
