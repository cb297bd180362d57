import ArgumentParser
import Bluetooth
import Bytes
import Emulation
import PluginKit
import Profile
import Transports
import Workbench

/// `gattbench emulate`.
struct EmulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "emulate",
        abstract: "Emulate a device for a client to connect to, or the client of a device.",
        discussion: """
            SPEC names the controller: an adapter, a virtual controller of another program, or “radio:”, the virtual radio of this
            process with the plugin's own client. “ready NAME ADDRESS” is printed once the device advertises; events follow.
            With --json, standard output has JSON lines only, the first is the event “ready”. On a terminal, keys trigger
            stimuli of the device; ? lists them. Ctrl-C ends it.

            With --task, it is the plugin's client that is emulated: it connects to the first device of the kind that it finds,
            does its tasks in their order, and ends when nothing is left to do.

            Exit codes: 0 success · 1 a scenario expectation or a task failed · 2 usage error · 3 transport or controller
            unavailable, or no device for the client.

            EXAMPLES
              gattbench radio --hci tcp-server:_:6402 --hci tcp-server:_:6403 &
              gattbench emulate aquavate --transport tcp-client:_:6402
              sudo gattbench emulate lifecount --transport hci-socket:0 --json
              gattbench emulate aquavate --transport radio: --scenario normal-day --speed virtual --energy
              echo '{"id": 1, "do": {"sip": "50 ml"}, "expect": "drink_stored"}' |
                gattbench emulate aquavate --transport radio: --speed virtual --control -
              gattbench emulate sensor/profile.yaml --transport tcp-client:_:6402 --record sensor.btsnoop
              sudo gattbench emulate aquavate --transport hci-socket:0 --task sync
            """)

    @Argument(
        help: "The device's plugin: its name, or the path of a profile.yaml or its folder.",
        completion: Completions.plugins)
    var plugin: String

    @Option(help: ArgumentHelp("Transport of the controller.", valueName: "spec"))
    var transport: String

    @Option(
        help: ArgumentHelp(
            "Be the client, and do this, like sync or set_goal=3000; may be repeated.", valueName: "task"))
    var task: [String] = []

    @Option(help: "The dialect that the device speaks.")
    var dialect: String?

    @Option(help: "The device's address: any on radio:, elsewhere a static random one.")
    var address: String?

    @Option(
        help: ArgumentHelp("Scenario to run: name or file.", valueName: "name-or-file"),
        completion: Completions.scenarios)
    var scenario: String?

    @Option(help: "Seed of the random number generator.")
    var seed: UInt64 = 1

    @Option(help: "Speed relative to real time; “virtual” runs without waiting.")
    var speed = "1"

    @Option(help: ArgumentHelp("Record the traffic between host and controller.", valueName: "file"))
    var record: String?

    @Option(
        help: ArgumentHelp(
            "Duration, like 90s, 5min or 8h; by default until the scenario ends.", valueName: "time"))
    var duration: String?

    @Flag(help: "Print events as JSON lines.")
    var json = false

    @Option(help: "Known firmware quirks to reproduce: exact (all), fixed (none), or ids like Q-02,Q-07.")
    var quirks = "exact"

    @Option(help: ArgumentHelp("File for the device's non-volatile memory.", valueName: "file"))
    var state: String?

    @Flag(help: "At the end, estimate the energy that the device has used, and the life of its battery.")
    var energy = false

    @Option(
        help: ArgumentHelp(
            "Take requests as JSON lines, from standard input (-) or a socket (unix:PATH); implies --json for -.",
            valueName: "link"))
    var control: String?

    @OptionGroup var terminal: TerminalArguments

    func validate() throws { try Console.refuse(record, overwriting: [plugin, scenario, state]) }

    func run() throws {
        let options = try makeOptions()
        Interruption.watch()
        let keyboard = isJSON || control == "-" ? nil : Keyboard()
        defer { keyboard?.close() }
        let outcome: ScenarioOutcome
        let used: EnergyUse?
        if options.transport == .radio {
            var job = try WorldJob(options, keyboard: keyboard)
            outcome = try job.run(isInterrupted: { Interruption.isAsked }, notify: printer())
            used = job.energy
        } else {
            var job = try EmulateJob(options, keyboard: keyboard)
            Console.note("the \(options.tasks == nil ? "device" : "client") is at \(job.name)")
            outcome = try job.run(isInterrupted: { Interruption.isAsked }, notify: printer())
            used = job.energy
        }
        if energy { try write(used) }
        for failure in outcome.failures { Console.note("\(failure)") }
        if let problem = outcome.problem {
            Console.note("\(problem)")
            if case .noDevice = problem { throw ExitCode(Exit.unreadable) }
            throw ExitCode(Exit.findings)
        }
        if !outcome.failures.isEmpty { throw ExitCode(Exit.findings) }
        if options.scenario != nil { Console.note("scenario expectations met: \(outcome.fulfilled)") }
    }

    private func write(_ energy: EnergyUse?) throws {
        guard let energy else {
            return Console.note("--energy: the twin of \(plugin) does not know what it uses")
        }
        guard json else { return try Console.write(energy.text) }
        try Console.write(#"{"event":"energy","energy":\#(Value(energy.json).json)}"# + "\n")
    }

    private func makeOptions() throws -> EmulateOptions {
        let library = try PluginLibrary.loadAndNote([plugin])
        let found = try library.entry(named: plugin).plugin
        var options = EmulateOptions(plugin: found, transport: try TransportSpec(transport))
        if options.transport.isRadio, options.transport != .radio {
            throw UsageError("\(transport): radio: takes no decorators; use --record, and put faults into the scenario")
        }
        options.dialect = dialect
        options.address = try address.map { try Address(option: "--address", $0) }
        options.scenario = try scenario.map { try ScenarioLibrary(library).scenario($0, of: found, dialect: dialect) }
        options.tasks = try readTasks(of: found)
        options.seed = seed
        options.speed = try Self.readSpeed(speed)
        options.record = record
        options.duration = try duration.map { try Duration(option: "--duration", $0) }
        options.quirks = try QuirkSelection(parsing: quirks, known: found.behaviour?.quirks.map(\.id) ?? [])
        options.state = state
        options.control = try readControl()
        return options
    }

    private func readControl() throws -> ControlLink? {
        guard let control else { return nil }
        guard task.isEmpty else { throw UsageError("--control: it controls a device, and --task is its client") }
        guard let link = ControlLink(control) else {
            throw UsageError("--control \(control): expected - or unix:PATH")
        }
        return link
    }

    /// Whether standard output contains only JSON lines.
    private var isJSON: Bool { json || control == "-" }

    /// The client's tasks; nil to emulate the device.
    private func readTasks(of plugin: DevicePlugin) throws -> [Stimulus]? {
        if task.isEmpty { return nil }
        if transport == "radio:" { throw UsageError("--task: on radio: a scenario says what the client does") }
        if scenario != nil { throw UsageError("--task: a scenario is about the device") }
        if state != nil { throw UsageError("--task: --state is about the device") }
        let tasks = try task.map { try plugin.task($0) }
        // A client that explores stays connected for notifications, unless it has the task to leave.
        return plugin.hasClient || tasks.last?.name != "explore" ? tasks : tasks + [Stimulus("leave")]
    }

    /// Parses a speed.
    static func readSpeed(_ speed: String) throws -> EmulateOptions.Speed {
        if speed == "virtual" { return .virtual }
        guard let factor = Double(speed), factor > 0, factor <= 1_000_000 else {
            throw UsageError("--speed \(speed): expected a number above 0, or virtual")
        }
        return .factor(factor)
    }

    /// Prints the emulation's output: results to standard output, all else to standard error.
    private func printer() -> (EmulateOutput) throws -> Void {
        let isJSON = isJSON
        var start: EmulationLogEntry?
        return { output in
            switch output {
            case .ready(let name, let address, let time):
                if isJSON {
                    return try Console.write(
                        EmulationLogEntry.readyJSON(name: name, address, at: time) + "\n")
                }
                try Console.write("ready \(name.map { "\($0.legible()) " } ?? "")\(address.address)\n")
            case .happened(let entry):
                if isJSON { return try Console.write(entry.json + "\n") }
                let first = start ?? entry
                start = first
                if let line = entry.line(since: first.time) { try Console.write(line + "\n") }
            case .said(let text, _): if !isJSON { try Console.write("— \(text.legibleLine())\n") }
            case .reply(let line): try Console.write(line + "\n")
            case .packet: break
            case .warning(let text): Console.note(text)
            case .help(let text): Console.writeError(text + "\n")
            }
        }
    }
}
