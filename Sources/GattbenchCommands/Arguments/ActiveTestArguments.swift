import ArgumentParser
import Bytes
import Conformance
import DeviceTesting
import Output
import PluginKit
import Profile
import Transports
import Workbench

/// Arguments shared by tests of devices and of clients.
struct ActiveTestArguments: ParsableArguments {
    @Argument(
        help: "The device's plugin: its name, or the path of a profile.yaml or its folder.",
        completion: Completions.plugins)
    var plugin: String

    @Option(help: ArgumentHelp("Transport of gattbench's controller; --list needs none.", valueName: "spec"))
    var transport: String?

    @Option(help: "The dialect that the device speaks.")
    var dialect: String?

    @Option(help: "Run what has this tag; may be repeated.")
    var tag: [String] = []

    @Option(
        help: ArgumentHelp("Report this rule only; may be repeated.", valueName: "id"), completion: Completions.rules)
    var rule: [String] = []

    @Option(help: "Seed of the random number generator.")
    var seed: UInt64 = 1

    @Option(name: .customLong("repeat"), help: "Number of runs of each case.")
    var repetitions = 1

    @Option(
        help: ArgumentHelp(
            "Run the case of this capture, or those that failed in this JSON report, again: with their seed, dialect and quirks.",
            valueName: "file"))
    var replay: String?

    @Option(
        help: ArgumentHelp(
            "Compare with an earlier run, such as that of another device: the report of its --json.",
            valueName: "file"))
    var against: String?

    @Option(help: "Time limit of a case, like 90s.")
    var timeout: String?

    @Option(help: "Quirks of the device: exact (all), fixed (none), or ids like Q-02,Q-07.")
    var quirks = "exact"

    @Flag(help: "Skip what has to be done by hand.")
    var unattended = false

    @Option(
        help: ArgumentHelp(
            "Program that does what has to be done by hand: its arguments are the action and its amount.",
            valueName: "command"))
    var hands: String?

    @Option(help: ArgumentHelp("Record the traffic of gattbench's controller.", valueName: "file"))
    var record: String?

    @Option(help: ArgumentHelp("Folder for the captures of cases that fail.", valueName: "folder"))
    var failures = "gattbench-failures"

    @Flag(help: "Print the cases and run none.")
    var list = false

    /// Input files. A plugin name among them is no file.
    var files: [String?] { [plugin, replay, against] }

    func validate() throws {
        if transport == nil, !list { throw ValidationError("Missing expected argument '--transport <spec>'") }
    }

    /// The parsed transport; throws for decorators around the virtual radio. For `--list`, which uses none, the radio.
    func readTransport() throws -> TransportSpec {
        guard let transport else { return .radio }
        let spec = try TransportSpec(transport)
        if spec.isRadio, spec != .radio { throw UsageError("\(transport): radio: takes no decorators; use --record") }
        return spec
    }

    /// The cases of the --replay file, and adopts its seed, dialect and quirks for the run; nil without one.
    mutating func readReplay() throws -> ReplayedCases? {
        guard let replay else { return nil }
        let replayed = try ReplayedCases.read(replay)
        (seed, dialect, quirks, failures) = (replayed.seed, replayed.dialect, replayed.quirks, "")
        return replayed
    }

    /// The outline of the run to compare with; nil without --against.
    func earlierRun() throws -> RunOutline? { try against.map { try EarlierRun.read($0) } }

    /// - Parameter role: the command line's word for the side under test.
    func runOptions(of role: String) throws -> TestRun.Options {
        guard repetitions > 0 else { throw UsageError("--repeat \(repetitions): expected 1 or more") }
        var options = TestRun.Options()
        options.seed = seed
        options.repetitions = repetitions
        options.rules = Set(rule)
        options.timeout = try timeout.map { try Duration(option: "--timeout", $0) }
        if options.timeout == .zero { throw UsageError("--timeout \(timeout ?? ""): expected a time above 0") }
        options.command =
            "gattbench test \(role) \(plugin) --transport \(transport ?? "radio:")"
            + (dialect.map { " --dialect \($0)" } ?? "") + (quirks == "exact" ? "" : " --quirks \(quirks)")
        return options
    }

    func readQuirks(of plugin: DevicePlugin) throws -> QuirkSelection {
        try QuirkSelection(parsing: quirks, known: plugin.behaviour?.quirks.map(\.id) ?? [])
    }

    /// The upper tester for actions by hand.
    func makeHands() -> any UpperTester {
        if let hands { return CommandUpperTester(hands) }
        if unattended { return NoUpperTester("--unattended") }
        guard let keyboard = Keyboard() else { return NoUpperTester("nobody is at a terminal; --hands runs a program") }
        return AskingUpperTester(keyboard) { Console.writeError("\($0)\n") }
    }

    /// Prints the result of a case; to standard error if a report uses standard output.
    func print(_ result: CaseResult, _ reports: ReportArguments) throws {
        let paint: Paint = Console.wantsColor && !reports.takesOutput ? .ansi : .none
        let line = CaseLine.text(of: result, paint: paint)
        if reports.takesOutput { Console.writeError(line) } else { try Console.write(painted: line) }
    }
}
