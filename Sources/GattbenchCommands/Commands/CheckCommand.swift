import ArgumentParser
import Bluetooth
import Bytes
import Captures
import Conformance
import Output
import PluginKit
import Workbench

/// `gattbench check`.
struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", _superCommandName: Program.name,
        abstract: "Check a capture against rules of the Core specification and of device profiles.",
        discussion: """
            Exit codes: 0 no rule broken · 1 a rule broken · 2 usage error · 3 unreadable input · 4 inconclusive.
            With --against, 1 means that a rule is broken that the earlier run did not break.

            Inconclusive: no rule applied; the capture was not read to its end; a plugin named by --plugin checked nothing; a
            plugin named by --require checked no connection; or a device nearly matches a plugin and no plugin checked it
            (--plugin forces one).

            One of --junit, --sarif, --markdown and --tap may be -, which prints it instead of the summary.

            EXAMPLES
              gattbench check session.btsnoop
              gattbench check --role peripheral --strict session.pcapng
              gattbench check --waivers waivers.yaml --json session.btsnoop > verdicts.json
              gattbench check --plugin sensor/profile.yaml sensor.pcapng
              gattbench check --keys bonds.keys sniffed.pcapng
              gattbench check --require aquavate session.btsnoop
              gattbench check --oracle session.btsnoop
              gattbench check --junit check.xml --sarif check.sarif session.btsnoop
              gattbench check --github --markdown "$GITHUB_STEP_SUMMARY" session.btsnoop
              gattbench check --against verdicts.json session.btsnoop
              gattbench check --junit all.xml monday.pcapng tuesday.pcapng
              gattbench check --join btsnoop_hci.log.last btsnoop_hci.log
              gattbench check --join bugreport.zip
            """)

    @Argument(help: "A capture file; - is standard input.")
    var file: String

    @Argument(help: "More captures: one after the other, with --join as one.")
    var more: [String] = []

    @OptionGroup var joining: JoinArguments

    @OptionGroup var devices: DeviceArguments

    @OptionGroup var keys: KeyArguments

    @Option(help: ArgumentHelp("Compare with an earlier run: its JSON report or its capture.", valueName: "path"))
    var against: String?

    @Option(
        help: ArgumentHelp(
            "Evaluate rules for this number of parts of the devices at the same time, 1 to 16.", valueName: "count"))
    var jobs = CheckShard.usualCount

    @OptionGroup var checking: CheckArguments

    @OptionGroup var captures: CaptureArguments

    @OptionGroup var terminal: TerminalArguments

    func validate() throws {
        try checking.reports.refuse(overwriting: devices.files + keys.files + more + [file, against])
        try keys.refuse(sharing: [file, against] + more)
        if !more.isEmpty, !joining.join {
            try checking.reports.refuseSeveral()
            if against != nil { throw ValidationError("--against goes with one capture, or with --join") }
        }
        guard (1...16).contains(jobs) else { throw ValidationError("--jobs \(jobs): expected 1 to 16") }
        if ([file] + more).contains("-"), against == "-" {
            throw ValidationError("only one of the captures can be standard input")
        }
    }

    func run() async throws {
        Interruption.watch()
        Pager.use()
        Console.workUnread()
        let options = try checking.readOptions()
        let job = try makeJob()
        guard more.isEmpty || joining.join else { return try await checkEach(job, options) }
        let before = try await earlierRun(job, options)
        try finish(try await check([file] + more, job, options), before, options)
    }

    /// Checks captures one after the other.
    private func checkEach(_ job: CheckJob, _ options: CheckOptions) async throws {
        var reports: [CheckReport] = []
        var hasUnread = false
        for path in [file] + more where !Interruption.isAsked {
            do {
                let report = try await check([path], job, options)
                try checking.reports.writeSummary(report, isFirst: reports.isEmpty)
                reports.append(report)
            } catch let error as CaptureError {
                Console.note("\(error)")
                hasUnread = true
            }
        }
        try checking.reports.write(reports)
        try checking.reports.end(reports, hasUnread: hasUnread)
    }

    private func makeJob() throws -> CheckJob {
        let library = try devices.loadPlugins()
        var job = CheckJob()
        job.plugins = library.plugins
        try job.require(checking.require)
        job.asksOracle = checking.rules.oracle
        job.shardCount = jobs
        job.importedTables = try devices.readTables()
        job.keys = try keys.read()
        return job
    }

    private func check(_ files: [String], _ job: CheckJob, _ options: CheckOptions) async throws -> CheckReport {
        let opened = try captures.open(files, joining)
        var progress = Progress(opened.reader)
        let outcome = try await job.run(opened.source) { frames in
            progress.show(frames)
            return !Interruption.isAsked
        }
        Console.note(opened)
        Console.note(outcome)
        return options.applied(to: outcome.report)
    }

    /// The outline of the run to compare with; nil without `--against`.
    private func earlierRun(_ job: CheckJob, _ options: CheckOptions) async throws -> RunOutline? {
        guard let against else { return nil }
        if try EarlierRun.isReport(against) { return try EarlierRun.read(against) }
        return RunOutline(try await check([against], job, options))
    }

    private func finish(_ report: CheckReport, _ before: RunOutline?, _ options: CheckOptions) throws {
        let comparison = before.map { RunComparison(RunOutline(report), against: $0) }
        try checking.reports.write(report, comparison, options)
        try checking.reports.end(report, comparison)
    }
}
