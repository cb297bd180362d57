import ArgumentParser
import BluetoothTypes
import Bytes
import Conformance
import DeviceTesting
import Output
import PluginKit
import Profile
import Transports
import Workbench

/// `gattbench test`.
struct TestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test", abstract: "Test a device or a client app over the air.",
        subcommands: [TestPeripheralCommand.self, TestClientCommand.self])
}

/// `gattbench test peripheral`.
struct TestPeripheralCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "peripheral",
        abstract: "Act as a central and test a device.",
        discussion: """
            The cases follow from the plugin's profile; --list prints them. All rules of “gattbench check” and the plugin's oracle
            evaluate the traffic of each case as well. SPEC names the tester's controller; “radio:” tests the plugin's own twin
            in this process, in virtual time.

            A failure prints the command that repeats it, and its capture is kept in the folder of --failures; --replay runs the
            case of such a capture, or all that failed in a report of --json, again: FIXED or STILL FAILING.

            Exit codes: 0 all passed · 1 a case or a rule failed · 2 usage error · 3 transport unavailable · 4 inconclusive.

            EXAMPLES
              gattbench test peripheral aquavate --transport radio:
              gattbench test peripheral aquavate --transport radio: --quirks fixed
              sudo gattbench test peripheral lifecount --transport hci-socket:0 --junit test.xml
              gattbench test peripheral sensor/profile.yaml --transport tcp-client:_:6402 --case 'read.*'
              gattbench test peripheral aquavate --transport radio: --list
              gattbench test peripheral aquavate --transport radio: --replay gattbench-failures/random.pcapng
            """)

    @Argument(help: "The device's plugin: its name, or the path of a profile.yaml or its folder.")
    var plugin: String

    @Option(help: ArgumentHelp("Transport of the tester's controller.", valueName: "spec"))
    var transport: String

    @Option(help: "The dialect that the device speaks.")
    var dialect: String?

    @Option(help: "The device's address.")
    var address: String?

    @Option(help: "The device's name, or the beginning of it.")
    var name: String?

    @Option(help: "The passkey that the device shows, or that is typed there, for pairing: 0 to 999999.")
    var passkey: UInt32?

    @Option(
        name: .customLong("case"),
        help: ArgumentHelp("Run this case; * stands for any characters; may be repeated.", valueName: "id"))
    var cases: [String] = []

    @Option(help: "Run the cases with this tag; may be repeated.")
    var tag: [String] = []

    @Option(help: ArgumentHelp("Report this rule only; may be repeated.", valueName: "id"))
    var rule: [String] = []

    @Option(help: "Seed of the random number generator.")
    var seed: UInt64 = 1

    @Option(name: .customLong("repeat"), help: "Run each case so many times.")
    var repetitions = 1

    @Option(
        help: ArgumentHelp(
            "Run the case of this capture, or those that failed in this JSON report, again: with their seed, dialect and quirks.",
            valueName: "file"))
    var replay: String?

    @Option(help: "Time limit of a case, like 90s.")
    var timeout: String?

    @Option(help: "Quirks of the twin on radio:: exact (all), fixed (none), or ids like Q-02,Q-07.")
    var quirks = "exact"

    @Flag(help: "Skip what has to be done by hand.")
    var unattended = false

    @Option(
        help: ArgumentHelp(
            "Program that does what has to be done by hand: its arguments are the action and its amount.",
            valueName: "command"))
    var hands: String?

    @Option(help: ArgumentHelp("Record the traffic of the tester.", valueName: "file"))
    var record: String?

    @Option(help: ArgumentHelp("Folder for the captures of cases that fail.", valueName: "folder"))
    var failures = "gattbench-failures"

    @Option(
        help: ArgumentHelp(
            "Write what was tried with each characteristic and field, and what came back, as CSV; - prints a table.",
            valueName: "file"))
    var coverage: String?

    @Flag(help: "Print the cases and run none.")
    var list = false

    @OptionGroup var reports: ReportArguments

    func validate() throws {
        if replay != nil, !cases.isEmpty || !tag.isEmpty {
            throw ValidationError("--replay runs the cases of its file; leave out --case and --tag.")
        }
    }

    mutating func run() async throws {
        Interruption.watch()
        let library = try PluginLibrary.loadAndNote([plugin])
        if let replay {
            let replayed = try ReplayedCases.read(replay)
            if replayed.ids.isEmpty { return try Console.write("\(replay): no case failed\n") }
            (cases, seed, dialect, quirks) = (replayed.ids, replayed.seed, replayed.dialect, replayed.quirks)
            failures = ""
        }
        let isReplayed = replay != nil
        let job = try PeripheralTestJob(makeOptions(library), library) { Interruption.isAsked }
        if list { return try Console.write(job.cases.map { "\($0.id)  \($0.title)\n" }.joined()) }
        let options = try reports.readOptions()
        let hands = UpperTesters.make(hands, isUnattended: unattended)
        defer { hands.keyboard?.close() }
        let isQuiet = reports.takesOutput
        let (report, coverage) = try job.run(hands: hands) { result in
            let line = CaseLine.text(
                of: result, paint: Console.wantsColor && !isQuiet ? .ansi : .none, isReplayed: isReplayed)
            if isQuiet { Console.remark(line) } else { try Console.write(line) }
        }
        if self.coverage == "-" {
            if reports.takesOutput { Console.remark(coverage.text) } else { try Console.write(coverage.text) }
        } else if let path = self.coverage {
            try Console.write(coverage.csv, to: path)
        }
        let result = options.applied(to: report)
        try reports.write(result, nil, options)
        try reports.end(result)
    }

    private func makeOptions(_ library: PluginLibrary) throws -> PeripheralTestOptions {
        let found = try library.entry(named: plugin).plugin
        var options = PeripheralTestOptions(plugin: found, transport: try TransportSpec(transport))
        if options.transport.isRadio, options.transport != .radio {
            throw UsageError("\(transport): radio: takes no decorators; use --record")
        }
        options.dialect = dialect
        options.address = try address.map { try Address(option: "--address", $0) }
        options.name = name
        options.passkey = try Passkey.checked(passkey)
        options.selection.ids = cases
        options.selection.tags = tag
        options.run.seed = seed
        options.run.repetitions = repetitions
        options.run.rules = Set(rule)
        options.run.command = command
        options.run.timeout = try timeout.map { try Duration(option: "--timeout", $0) }
        options.quirks = try QuirkSelection(parsing: quirks, known: found.behaviour?.quirks.map(\.id) ?? [])
        options.record = record
        options.failures = failures.isEmpty ? nil : failures
        return options
    }

    /// What repeats the run with the same device.
    private var command: String {
        let quirks = quirks == "exact" ? "" : " --quirks \(quirks)"
        return "gattbench test peripheral \(plugin) --transport \(transport)"
            + (dialect.map { " --dialect \($0)" } ?? "") + quirks
    }
}
