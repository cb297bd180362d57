import ArgumentParser
import Bytes
import Conformance
import DeviceTesting
import Output
import PluginKit
import Profile
import Transports
import Workbench

/// `gattbench test client`.
struct TestClientCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "client",
        abstract: "Be the device and test a client app.",
        discussion: """
            The virtual device meets the client in one situation after the other: a first contact, a lost link, values that are
            damaged, refused requests. --list prints the situations. The rules of “gattbench check” about clients evaluate the
            traffic of each. SPEC names the device's controller; on “radio:” the client is the plugin's own, in this process and
            in virtual time.

            What the client's user has to do is asked at the terminal, or of the program of --hands. --expect-stored compares the
            records that the client has stored (CSV or JSON lines, exported after the run) with those that it acknowledged.

            Exit codes: 0 all passed · 1 a situation or a rule failed · 2 usage error · 3 transport unavailable · 4 inconclusive.

            EXAMPLES
              gattbench test client aquavate --transport radio:
              sudo gattbench test client aquavate --transport hci-socket:0 --situation 'reconnection.*'
              gattbench test client lifecount --transport tcp-client:_:6402 --hands ./app-robot --junit client.xml
              gattbench test client aquavate --transport tcp-client:_:6402 --expect-stored drinks.csv
            """)

    @Argument(help: "The device's plugin: its name, or the path of a profile.yaml or its folder.")
    var plugin: String

    @Option(help: ArgumentHelp("Transport of the device's controller.", valueName: "spec"))
    var transport: String

    @Option(help: "The dialect that the device speaks.")
    var dialect: String?

    @Option(
        name: .customLong("situation"),
        help: ArgumentHelp("Run this situation; * stands for any characters; may be repeated.", valueName: "id"))
    var situations: [String] = []

    @Option(help: "Run the situations with this tag; may be repeated.")
    var tag: [String] = []

    @Option(help: ArgumentHelp("Report this rule only; may be repeated.", valueName: "id"))
    var rule: [String] = []

    @Option(help: "Seed of the random number generator.")
    var seed: UInt64 = 1

    @Option(name: .customLong("repeat"), help: "Run each situation so many times.")
    var repetitions = 1

    @Option(help: "Time limit of a situation, like 90s.")
    var timeout: String?

    @Option(help: "Quirks of the device: exact (all), fixed (none), or ids like Q-02,Q-07.")
    var quirks = "exact"

    @Flag(help: "Skip what the client's user has to do.")
    var unattended = false

    @Option(
        help: ArgumentHelp(
            "Program that does what the client's user has to do: its arguments are the task and its amount.",
            valueName: "command"))
    var hands: String?

    @Option(
        name: .customLong("expect-stored"),
        help: ArgumentHelp("The records that the client has stored, read after the last situation.", valueName: "file"))
    var stored: String?

    @Option(help: ArgumentHelp("Record the traffic of the device.", valueName: "file"))
    var record: String?

    @Option(help: ArgumentHelp("Folder for the captures of situations that fail.", valueName: "folder"))
    var failures = "gattbench-failures"

    @Flag(help: "Print the situations and run none.")
    var list = false

    @OptionGroup var reports: ReportArguments

    func run() async throws {
        Interruption.watch()
        let library = try PluginLibrary.loadAndNote([plugin])
        var job = try ClientTestJob(makeOptions(library), library) { Interruption.isAsked }
        job.say = { Console.remark("\($0)\n") }
        if list { return try Console.write(job.situations.map { "\($0.id)  \($0.title)\n" }.joined()) }
        let options = try reports.readOptions()
        let hands = UpperTesters.make(hands, isUnattended: unattended)
        defer { hands.keyboard?.close() }
        let report = try job.run(hands: hands) { result in
            let line = CaseLine.text(of: result, paint: Console.wantsColor && !reports.takesOutput ? .ansi : .none)
            if reports.takesOutput { Console.remark(line) } else { try Console.write(line) }
        }
        let result = options.applied(to: report)
        try reports.write(result, nil, options)
        try reports.end(result)
    }

    private func makeOptions(_ library: PluginLibrary) throws -> ClientTestOptions {
        let found = try library.entry(named: plugin).plugin
        var options = ClientTestOptions(plugin: found, transport: try TransportSpec(transport))
        if options.transport.isRadio, options.transport != .radio {
            throw UsageError("\(transport): radio: takes no decorators; use --record")
        }
        options.dialect = dialect
        options.selection.ids = situations
        options.selection.tags = tag
        options.run.seed = seed
        options.run.repetitions = repetitions
        options.run.rules = Set(rule)
        options.run.command =
            "gattbench test client \(plugin) --transport \(transport)" + (dialect.map { " --dialect \($0)" } ?? "")
            + (quirks == "exact" ? "" : " --quirks \(quirks)")
        options.run.timeout = try timeout.map { try Duration(option: "--timeout", $0) }
        options.quirks = try QuirkSelection(parsing: quirks, known: found.behaviour?.quirks.map(\.id) ?? [])
        options.record = record
        options.failures = failures.isEmpty ? nil : failures
        options.stored = stored
        return options
    }
}

/// Who does what has to be done by hand.
enum UpperTesters {
    static func make(_ command: String?, isUnattended: Bool) -> any UpperTester {
        if let command { return CommandUpperTester(command) }
        if isUnattended { return NoUpperTester("--unattended") }
        guard let keyboard = Keyboard() else { return NoUpperTester("nobody is at a terminal; --hands runs a program") }
        return AskingUpperTester(keyboard) { Console.remark("\($0)\n") }
    }
}
