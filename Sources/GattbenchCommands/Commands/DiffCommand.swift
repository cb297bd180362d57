import ArgumentParser
import Bytes
import Captures
import Output
import Workbench

/// `gattbench diff`.
struct DiffCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff", _superCommandName: Program.name,
        abstract: "Compare two captures: tables, procedures, values, parameters, pairing, durations.",
        discussion: """
            Connections are paired by device and order, then procedures are aligned: one that only one side has does not shift
            those after it. Values are compared by the fields of their profile, else by their bytes. Handles, and what only one
            view of a connection shows, are no differences.

            Exit codes: 0 no differences · 1 differences · 2 usage error · 3 unreadable input · 4 no connection to compare, or
            only encrypted ones.

            EXAMPLES
              gattbench diff good-phone.btsnoop bad-phone.btsnoop
              gattbench diff --tolerance 50% monday.pcapng tuesday.pcapng
              gattbench diff --pair 1:2 session.btsnoop session.btsnoop
              gattbench diff --json before.btsnoop after.btsnoop | jq '.connections[].differences[]'
              gattbench diff --keys bonds.keys phone.btsnoop sniffed.pcapng
            """)

    @Argument(help: "The capture to compare with; - is standard input.")
    var a: String

    @Argument(help: "The capture that is compared; - is standard input.")
    var b: String

    @OptionGroup var comparing: ComparisonArguments

    @Option(
        help: ArgumentHelp(
            "Compare these connections only, by their numbers in A and B; may be repeated.", valueName: "a:b"))
    var pair: [String] = []

    @OptionGroup var devices: DeviceArguments

    @OptionGroup var keys: KeyArguments

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var captures: CaptureArguments

    @OptionGroup var terminal: TerminalArguments

    func validate() throws {
        if a == "-", b == "-" { throw ValidationError("only one of the captures can be standard input") }
        try keys.refuse(sharing: [a, b])
        _ = try readOptions()
    }

    func run() async throws {
        Interruption.watch()
        Pager.use()
        var job = OutlineJob()
        job.plugins = try devices.loadPlugins(.decoding).plugins
        job.importedTables = try devices.readTables()
        job.keys = try keys.read()
        let (one, other) = (try await outline(a, job), try await outline(b, job))
        let options = try readOptions()
        let comparison: CaptureComparison
        do throws(UnknownConnection) {
            comparison = try CaptureComparison(one, other, options)
        } catch {
            throw UsageError("--pair: \(error)")
        }
        if json {
            try Console.write(comparison.json.text)
        } else {
            let report = DifferenceReport(comparison, paint: Console.wantsColor ? .ansi : .none)
            try Console.write(painted: report.text())
        }
        if comparison.differs { throw ExitCode(Exit.findings) }
        if comparison.isUndecided { throw ExitCode(Exit.inconclusive) }
    }

    private func outline(_ path: String, _ job: OutlineJob) async throws -> CaptureOutline {
        let reader = try captures.open(path)
        var progress = Progress(reader)
        let outline = try await job.run(reader) { frames in
            progress.show(frames)
            return !Interruption.isAsked
        }
        Console.note(reader)
        return outline
    }

    private func readOptions() throws -> ComparisonOptions {
        var options = ComparisonOptions()
        options.tolerance = try comparing.readTolerance()
        options.pairs = try pair.map { text in
            guard let pair = ComparisonOptions.ForcedPair(text) else {
                throw ValidationError("--pair \(text): expected the numbers of a connection in A and in B, like 1:2")
            }
            return pair
        }
        return options
    }
}

/// Options of commands that compare two captures.
struct ComparisonArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The part of a duration by which the other one may differ, beside a connection interval; by default 20%.",
            valueName: "percentage"))
    var tolerance: String?

    var isGiven: Bool { tolerance != nil }

    func validate() throws { _ = try readTolerance() }

    func readTolerance() throws -> Double {
        guard let text = tolerance else { return ComparisonOptions().tolerance }
        guard let tolerance = ComparisonOptions.tolerance(text) else {
            throw ValidationError("--tolerance \(text): expected a percentage, like 20%")
        }
        return tolerance
    }
}
