import ArgumentParser
import Bytes
import Captures
import Conformance
import FoundationEssentials
import GATT
import PluginKit
import Workbench

/// `gattbench check`.
struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Judge a capture by rules: those of the Bluetooth specification, and those of the devices' profiles.",
        discussion: """
            Exit codes: 0 no rule broken · 1 a rule broken · 2 wrong usage · 3 input unreadable · 4 nothing to judge.

            EXAMPLES
              gattbench check session.btsnoop
              gattbench check --role peripheral --strict session.pcapng
              gattbench check --waivers waivers.yaml --json session.btsnoop > verdicts.json
              gattbench check --plugin sensor/profile.yaml sensor.pcapng
            """)

    @Argument(help: "A capture file; - is standard input.")
    var file: String

    @Option(
        help: ArgumentHelp(
            "A plugin: its name, or the path of a profile.yaml or its folder; may be repeated. A single one is also taken for devices that show no sign of any.",
            valueName: "name-or-path"))
    var plugin: [String] = []

    @Option(help: "Attribute tables from a file, to name attributes whose discovery was not captured.")
    var gatt: String?

    @Option(help: "Whose rules: peripheral, client or both.")
    var role = CheckOptions.Role.both

    @Option(help: "A file of waivers: which rules may be broken, by whom, why and until when.")
    var waivers: String?

    @Flag(help: "Warnings count as failures.")
    var strict = false

    @Flag(help: "Write every result as JSON.")
    var json = false

    func run() async throws {
        Interruption.watch()
        var options = CheckOptions(day: .today)
        options.role = role
        options.isStrict = strict
        if let waivers { options.waivers = try CheckOptions.readWaivers(waivers) }
        let library = try PluginLibrary.load(plugin, environment: ProcessEnvironment.variables)
        for warning in library.warnings { Console.note("warning: \(warning)") }
        var job = CheckJob()
        job.plugins = library.plugins
        job.assumedPlugin = library.assumed
        if let gatt { job.importedTables = try GATTFiles.read(gatt) }

        let reader = try CaptureReader(path: file)
        var progress = Progress()
        let outcome = try await job.run(reader) { frames in
            progress.show(frames)
            return !Interruption.isAsked
        }
        Console.note(reader)
        Console.note(rivals: outcome.rivals, in: reader.file)
        let report = options.applied(to: outcome.report)
        if json {
            try JSONReport(report).write { try Console.write($0) }
        } else {
            try Console.write(CheckSummary(report, options, paint: Console.wantsColor ? .ansi : .none).text())
        }
        switch report.outcome(isStrict: strict) {
        case .obeyed: return
        case .broken: throw ExitCode(Exit.findings)
        case .undecided: throw ExitCode(Exit.inconclusive)
        }
    }
}

extension CivilDate {
    /// The day that it is, UTC.
    fileprivate static var today: CivilDate { CivilDate(daysSince1970: Int64(Date().timeIntervalSince1970) / 86_400) }
}

extension CheckOptions.Role: ExpressibleByArgument {}
