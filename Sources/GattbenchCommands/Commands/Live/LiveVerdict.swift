import Conformance
import Output
import Workbench

/// Checks the traffic of a live command: prints findings as they occur, and the summary or the reports at the end.
struct LiveVerdict {
    private let arguments: CheckArguments
    private let options: CheckOptions
    private let job: CheckJob
    /// Whether columns or JSON of frames are written to standard output, so that all else goes to standard error.
    private let hasFrames: Bool

    init(_ arguments: CheckArguments, _ decoding: DecodeOptions, hasFrames: Bool) throws {
        self.arguments = arguments
        self.hasFrames = hasFrames
        options = try arguments.readOptions()
        var job = CheckJob()
        job.plugins = decoding.plugins
        try job.require(arguments.require)
        job.importedTables = decoding.tables
        job.keys = decoding.keys
        job.asksOracle = arguments.rules.oracle
        self.job = job
    }

    /// Makes the check of a capture, which prints the findings.
    func makeCheck(of name: String) -> LiveCheck {
        let isOnOutput = !hasFrames && !arguments.reports.takesOutput
        let lines = FindingLines(paint: isOnOutput && Console.wantsColor ? .ansi : .none)
        return LiveCheck(name, job) { failures, start in
            let text = lines.text(failures.filter(options.concern), since: start)
            if isOnOutput { try Console.write(painted: text) } else { Console.writeError(text) }
        }
    }

    /// Writes the reports of an outcome with the user's options applied; returns the report.
    func write(_ outcome: CheckJob.Outcome) throws -> CheckReport {
        Console.note(outcome)
        let report = options.applied(to: outcome.report)
        try arguments.reports.write(report, nil, options, hasFrames: hasFrames)
        return report
    }
}
