import ArgumentParser
import Bluetooth
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
            case of such a capture, or all that failed in a report of --json, again: FIXED, STILL FAILING or FAILS OTHERWISE.

            --against compares with the report of --json of an earlier run or of another device; then 1 means that a case or a
            rule fails that did not fail there.

            Exit codes: 0 all passed · 1 a case or a rule failed · 2 usage error · 3 transport unavailable · 4 inconclusive.

            EXAMPLES
              gattbench test peripheral aquavate --transport radio:
              gattbench test peripheral aquavate --transport radio: --quirks fixed
              gattbench test peripheral aquavate --transport radio: --scenario low-battery --case 'read.*'
              sudo gattbench test peripheral lifecount --transport hci-socket:0 --junit test.xml
              gattbench test peripheral sensor/profile.yaml --transport tcp-client:_:6402 --case 'read.*'
              gattbench test peripheral aquavate --list
              gattbench test peripheral aquavate --transport radio: --replay gattbench-failures/random.pcapng
              gattbench test peripheral aquavate --transport radio: --json > exact.json
              gattbench test peripheral aquavate --transport radio: --quirks fixed --against exact.json
            """)

    @OptionGroup var test: ActiveTestArguments

    @Option(help: "The device's address.")
    var address: String?

    @Option(help: "The device's name, or the beginning of it.")
    var name: String?

    @Option(help: "The passkey that the device shows, or that is typed there, for pairing: 0 to 999999.")
    var passkey: UInt32?

    @Option(
        help: ArgumentHelp(
            "On radio:, what happens to the twin from the beginning of each case on: a name or a file.",
            valueName: "scenario"),
        completion: Completions.scenarios)
    var scenario: String?

    @Option(
        name: .customLong("case"),
        help: ArgumentHelp("Run this case; * stands for any characters; may be repeated.", valueName: "id"))
    var cases: [String] = []

    @Option(
        help: ArgumentHelp(
            "Write what was tried with each characteristic and field, and what came back, as CSV; - prints a table.",
            valueName: "file"))
    var coverage: String?

    @OptionGroup var reports: ReportArguments

    @OptionGroup var terminal: TerminalArguments

    func validate() throws {
        try reports.refuse([test.record, coverage], overwriting: test.files + [scenario])
        if test.replay != nil, !cases.isEmpty || !test.tag.isEmpty {
            throw ValidationError("--replay runs the cases of its file; leave out --case and --tag.")
        }
    }

    mutating func run() async throws {
        Interruption.watch()
        Console.workUnread()
        let library = try PluginLibrary.loadAndNote([test.plugin])
        let replayed = try test.readReplay()
        if let replayed {
            if replayed.ids.isEmpty { return try Console.write("\(test.replay ?? ""): no case failed\n") }
            cases = replayed.ids
            scenario = scenario ?? replayed.scenario
        }
        let job = try PeripheralTestJob(makeOptions(library, replayed), library) { Interruption.isAsked }
        if test.list { return try Console.write(job.cases.map { "\($0.id)  \($0.title)\n" }.joined()) }
        let options = try reports.verdicts.readOptions()
        let before = try test.earlierRun()
        let hands = test.makeHands()
        defer { hands.keyboard?.close() }
        let user = test.unattended ? nil : Passkey.user
        let (report, coverage) = try job.run(hands: hands, user: user) { [test, reports] in try test.print($0, reports)
        }
        if self.coverage == "-" {
            if reports.takesOutput { Console.writeError(coverage.text) } else { try Console.write(coverage.text) }
        } else if let path = self.coverage {
            try Console.write(coverage.csv, to: path)
        }
        let result = options.applied(to: report)
        let comparison = before.map { RunComparison(RunOutline(result), against: $0) }
        try reports.write(result, comparison, options)
        try reports.end(result, comparison)
    }

    private func makeOptions(_ library: PluginLibrary, _ replayed: ReplayedCases?) throws -> PeripheralTestOptions {
        let found = try library.entry(named: test.plugin).plugin
        var options = PeripheralTestOptions(plugin: found, transport: try test.readTransport())
        options.dialect = test.dialect
        options.address = try address.map { try Address(option: "--address", $0) }
        options.name = name
        options.passkey = try Passkey.checked(passkey)
        options.selection.ids = cases
        options.selection.tags = test.tag
        options.run = try test.runOptions(of: "peripheral")
        options.run.earlier = replayed?.failures ?? [:]
        if let scenario {
            guard options.transport == .radio else { throw UsageError("--scenario is about the twin on radio:") }
            options.scenario = try ScenarioLibrary(library).scenario(scenario, of: found, dialect: test.dialect)
            options.run.command? += " --scenario \(scenario)"
        }
        options.quirks = try test.readQuirks(of: found)
        options.record = test.record
        options.failures = test.failures.isEmpty ? nil : test.failures
        return options
    }
}

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

            A failure prints the command that repeats it, and its capture is kept in the folder of --failures; --replay runs it
            again: FIXED, STILL FAILING or FAILS OTHERWISE.

            Exit codes: 0 all passed · 1 a situation or a rule failed · 2 usage error · 3 transport unavailable · 4 inconclusive.

            EXAMPLES
              gattbench test client aquavate --transport radio:
              sudo gattbench test client aquavate --transport hci-socket:0 --situation 'reconnection.*'
              gattbench test client lifecount --transport tcp-client:_:6402 --hands ./app-robot --junit client.xml
              gattbench test client aquavate --transport tcp-client:_:6402 --expect-stored drinks.csv
            """)

    @OptionGroup var test: ActiveTestArguments

    @Option(
        name: .customLong("situation"),
        help: ArgumentHelp("Run this situation; * stands for any characters; may be repeated.", valueName: "id"))
    var situations: [String] = []

    @Option(
        name: .customLong("expect-stored"),
        help: ArgumentHelp("The records that the client has stored, read after the last situation.", valueName: "file"))
    var stored: String?

    @OptionGroup var reports: ReportArguments

    @OptionGroup var terminal: TerminalArguments

    func validate() throws {
        try reports.refuse([test.record], overwriting: test.files + [stored])
        if test.replay != nil, !situations.isEmpty || !test.tag.isEmpty {
            throw ValidationError("--replay runs the situations of its file; leave out --situation and --tag.")
        }
    }

    mutating func run() async throws {
        Interruption.watch()
        Console.workUnread()
        let library = try PluginLibrary.loadAndNote([test.plugin])
        let replayed = try test.readReplay()
        if let replayed {
            if replayed.ids.isEmpty { return try Console.write("\(test.replay ?? ""): no situation failed\n") }
            situations = replayed.ids
        }
        var job = try ClientTestJob(makeOptions(library, replayed), library) { Interruption.isAsked }
        job.say = { Console.writeError("\($0)\n") }
        if test.list { return try Console.write(job.situations.map { "\($0.id)  \($0.title)\n" }.joined()) }
        let options = try reports.verdicts.readOptions()
        let before = try test.earlierRun()
        let hands = test.makeHands()
        defer { hands.keyboard?.close() }
        let report = try job.run(hands: hands) { [test, reports] in try test.print($0, reports) }
        let result = options.applied(to: report)
        let comparison = before.map { RunComparison(RunOutline(result), against: $0) }
        try reports.write(result, comparison, options)
        try reports.end(result, comparison)
    }

    private func makeOptions(_ library: PluginLibrary, _ replayed: ReplayedCases?) throws -> ClientTestOptions {
        let found = try library.entry(named: test.plugin).plugin
        var options = ClientTestOptions(plugin: found, transport: try test.readTransport())
        options.dialect = test.dialect
        options.selection.ids = situations
        options.selection.tags = test.tag
        options.run = try test.runOptions(of: "client")
        options.run.earlier = replayed?.failures ?? [:]
        options.quirks = try test.readQuirks(of: found)
        options.record = test.record
        options.failures = test.failures.isEmpty ? nil : test.failures
        options.stored = stored
        return options
    }
}
