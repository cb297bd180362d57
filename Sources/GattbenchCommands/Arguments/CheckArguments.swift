import ArgumentParser
import Bytes
import Conformance
import Output
import PluginKit
import Workbench

/// Options that select the rules to evaluate.
struct RuleArguments: ParsableArguments {
    @Option(help: "Rules to check: peripheral, client or both.")
    var role = CheckOptions.Role.both

    @Flag(
        help:
            "Compare each device with its plugin's twin, which receives all that the client sends. Values that only the device can know, such as weight, battery and earlier records, are taken from the capture. Plugins without a twin are reported."
    )
    var oracle = false

    /// Whether any of these options was given.
    var isAsked: Bool { role != .both || oracle }

    /// The options as they were given.
    var words: [String] { (role == .both ? [] : ["--role", role.rawValue]) + (oracle ? ["--oracle"] : []) }
}

/// Options that decide the effect of a broken rule.
struct VerdictArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp("Waivers: rules that may fail, for which device, why and until when.", valueName: "path"))
    var waivers: String?

    @Flag(help: "Warnings count as failures.")
    var strict = false

    /// Whether any of these options was given.
    var isAsked: Bool { waivers != nil || strict }

    /// The parsed options, with the waivers read.
    func readOptions() throws -> CheckOptions {
        var options = CheckOptions(day: .today)
        options.isStrict = strict
        if let waivers { options.waivers = try CheckOptions.readWaivers(waivers) }
        return options
    }
}

/// Options of every command that checks traffic: the rules to evaluate, and the reports to write.
struct CheckArguments: ParsableArguments {
    @OptionGroup var rules: RuleArguments

    @Option(
        help: ArgumentHelp(
            "Exit with 4 unless this plugin checked a connection; may be repeated.", valueName: "name"),
        completion: Completions.plugins)
    var require: [String] = []

    @OptionGroup var reports: ReportArguments

    /// Whether any of these options was given.
    var isAsked: Bool { rules.isAsked || !require.isEmpty || reports.isAsked }

    /// The parsed options, with the waivers read.
    func readOptions() throws -> CheckOptions {
        var options = try reports.verdicts.readOptions()
        options.role = rules.role
        return options
    }
}

/// Options of every command that evaluates rules: the reports to write, and the effect of broken rules.
struct ReportArguments: ParsableArguments {
    @OptionGroup var verdicts: VerdictArguments

    @Option(help: ArgumentHelp("Write a JUnit XML report.", valueName: "path"))
    var junit: String?

    @Option(help: ArgumentHelp("Write a SARIF 2.1.0 report.", valueName: "path"))
    var sarif: String?

    @Option(help: ArgumentHelp("Write a summary in Markdown.", valueName: "path"))
    var markdown: String?

    @Option(help: ArgumentHelp("Write a TAP 14 report.", valueName: "path"))
    var tap: String?

    @Flag(help: "Print all results as JSON.")
    var json = false

    @Flag(help: "Write annotations for GitHub Actions.")
    var github = false

    /// Paths of the reports.
    var paths: [String] { [junit, sarif, markdown, tap].compactMap(\.self) }
    /// Number of reports on standard output, which replace the summary.
    private var reportsOnOutput: Int { paths.count { $0 == "-" } + (json ? 1 : 0) }
    /// Whether a report uses standard output, so that nothing else may be written there.
    var takesOutput: Bool { reportsOnOutput > 0 }
    /// Whether any of these options was given.
    var isAsked: Bool { verdicts.isAsked || !paths.isEmpty || json || github }
    private var isStrict: Bool { verdicts.strict }

    func validate() throws {
        if reportsOnOutput > 1 {
            throw ValidationError("only one report can be written to standard output; name files for the others")
        }
    }

    /// Throws if a report, or one of `others`, would overwrite an input file; the waivers are an input, too.
    func refuse(_ others: [String?] = [], overwriting inputs: [String?]) throws {
        for path in paths + others { try Console.refuse(path, overwriting: inputs + [verdicts.waivers]) }
    }

    /// Throws if a report is asked for that one file of several cannot have.
    func refuseSeveral() throws {
        let asked = [
            ("--sarif", sarif != nil), ("--markdown", markdown != nil), ("--tap", tap != nil), ("--github", github),
        ]
        guard let option = asked.first(where: { $0.1 })?.0 else { return }
        throw ValidationError("\(option) goes with one capture; several have a summary, --json and --junit")
    }

    /// Writes the reports of several captures, and a sum of their verdicts unless a report replaces it.
    func write(_ reports: [CheckReport]) throws {
        if let junit { try Console.write(JUnitReports(reports, isStrict: isStrict), to: junit) }
        if json { try Console.write(JSONReports(reports), to: "-") }
        if takesOutput { return }
        try Console.write("\n\(CheckSummary.sum(of: reports))\n")
    }

    /// Writes the summary of one capture of several, unless a report replaces it.
    func writeSummary(_ report: CheckReport, isFirst: Bool) throws {
        if takesOutput { return }
        let summary = CheckSummary(report, isStrict: isStrict, paint: Console.wantsColor ? .ansi : .none).text()
        try Console.write(painted: (isFirst ? "" : "\n") + summary)
    }

    /// Throws the exit code that the reports require.
    func end(_ reports: [CheckReport], hasUnread: Bool) throws {
        let outcomes = reports.map { $0.outcome(isStrict: isStrict) }
        if outcomes.contains(.broken) { throw ExitCode(Exit.findings) }
        if hasUnread { throw ExitCode(Exit.unreadable) }
        if outcomes.contains(.undecided) { throw ExitCode(Exit.inconclusive) }
    }

    /// Writes the reports, and the summary unless a report replaces it. The summary goes to standard output, unless
    /// `hasFrames` states that columns or JSON of frames are written there.
    func write(
        _ report: CheckReport, _ comparison: RunComparison? = nil, _ options: CheckOptions, hasFrames: Bool = false
    ) throws {
        if let junit { try Console.write(JUnitReport(report, isStrict: isStrict), to: junit) }
        if let sarif { try Console.write(SARIFReport(report), to: sarif) }
        if let markdown {
            try Console.write(MarkdownReport(report, isStrict: isStrict, comparison: comparison), to: markdown)
        }
        if let tap { try Console.write(TAPReport(report, isStrict: isStrict), to: tap) }
        if json { try Console.write(JSONReport(report, comparison: comparison), to: "-") }
        // A CI runner finds annotations on standard error, too.
        let say = takesOutput || hasFrames ? { Console.writeError($0) } : { try Console.write(painted: $0) }
        if github { try say(AnnotationReport(report, isStrict: isStrict).text()) }
        if takesOutput { return }
        let paint: Paint = Console.wantsColor && !hasFrames ? .ansi : .none
        try say(CheckSummary(report, isStrict: isStrict, paint: paint).text())
        if let comparison { try say(ComparisonSummary(comparison, isStrict: isStrict, paint: paint).text()) }
    }

    /// Throws the exit code that the report requires.
    func end(_ report: CheckReport, _ comparison: RunComparison? = nil) throws {
        let isBroken = comparison?.hasNewFailures(isStrict: isStrict)
        switch (isBroken, report.outcome(isStrict: isStrict)) {
        case (true?, _), (nil, .broken): throw ExitCode(Exit.findings)
        case (_, .undecided): throw ExitCode(Exit.inconclusive)
        case (false?, .broken) where !report.omissions.isEmpty: throw ExitCode(Exit.inconclusive)
        case (_, .obeyed), (false?, .broken): return
        }
    }
}

extension CheckOptions.Role: ExpressibleByArgument {}
