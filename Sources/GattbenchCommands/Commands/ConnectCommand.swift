import ArgumentParser
import Bluetooth
import Bytes
import DeviceTesting
import PluginKit
import Profile
import Transports
import Workbench

/// `gattbench connect`.
struct ConnectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "connect",
        abstract: "Connect to a device; read, write and subscribe by the names of its profile.",
        discussion: """
            SPEC names the controller; “radio:” has the twin of --plugin on it. The device is the one of --address or --name, else
            the first that --plugin describes, else the first that can be connected to. Characteristics are given by name, UUID
            or handle (0x0010); values in hexadecimal or as JSON of the profile's fields, in which "now" is the time.

            Requests: read NAME · write NAME VALUE · write-command NAME VALUE · subscribe NAME… (until Ctrl-C or --duration).
            Without a request, lines with requests are read from standard input; “list” prints the characteristics.

            Exit codes: 0 success · 1 the device refused a request · 2 usage error · 3 transport or device unavailable.

            EXAMPLES
              sudo gattbench connect hci-socket:0 --name Aquavate read current_state
              gattbench connect tcp-client:_:6402 --plugin lifecount subscribe count_event --json
              gattbench connect radio: --plugin aquavate write command '{"opcode":"set_time","time":"now"}'
              gattbench connect tcp-client:_:6402
            """)

    @Argument(help: "Transport of the controller.")
    var spec: String

    @Argument(help: ArgumentHelp("What is asked for.", valueName: "request"))
    var request: [String] = []

    @Option(
        help: ArgumentHelp("The device's plugin: its name, or the path of a profile.", valueName: "name-or-path"),
        completion: Completions.plugins)
    var plugin: String?

    @Option(help: "The dialect that the device speaks.")
    var dialect: String?

    @Option(help: "The device's address.")
    var address: String?

    @Option(help: "The device's name, or the beginning of it.")
    var name: String?

    @Option(help: "The passkey that the device shows, or that is typed there, for pairing: 0 to 999999.")
    var passkey: UInt32?

    @Option(help: "ATT_MTU to ask for, 23 to 517.")
    var mtu: UInt16 = 517

    @Option(help: ArgumentHelp("Time limit for finding the device and connecting, like 30s.", valueName: "time"))
    var timeout = "30s"

    @Option(help: ArgumentHelp("How long subscriptions last, like 90s; by default until Ctrl-C.", valueName: "time"))
    var duration: String?

    @Option(help: ArgumentHelp("Record the traffic between host and controller.", valueName: "file"))
    var record: String?

    @Flag(help: "Print values as JSON lines.")
    var json = false

    @OptionGroup var terminal: TerminalArguments

    func validate() throws { try Console.refuse(record, overwriting: [plugin]) }

    func run() throws {
        let asked = request.isEmpty ? nil : try Self.parse(request)
        Interruption.watch()
        let library = try PluginLibrary.loadAndNote([plugin].compactMap(\.self))
        let session: ConnectSession
        do {
            session = try ConnectSession(makeOptions(library), library) { Interruption.isAsked }
        } catch let stop as TestStop {
            throw CommandError.unreadable("\(spec): \(Self.words(stop))")
        }
        defer { session.close() }
        do {
            if let asked { try perform(asked, session) } else { try readRequests(session) }
        } catch let failure as ConnectFailure {
            Console.note("\(failure)")
            throw ExitCode(Exit.findings)
        } catch TestStop.interrupted {
            return
        } catch let stop as TestStop {
            Console.note(Self.words(stop))
            throw ExitCode(Exit.findings)
        }
    }

    private func makeOptions(_ library: PluginLibrary) throws -> ConnectOptions {
        var options = ConnectOptions(transport: try TransportSpec(spec))
        options.plugin = try plugin.map { try library.entry(named: $0).plugin }
        options.dialect = dialect
        options.address = try address.map { try Address(option: "--address", $0) }
        options.name = name
        options.passkey = try Passkey.checked(passkey)
        options.user = Passkey.user
        guard (23...517).contains(mtu) else { throw UsageError("--mtu \(mtu): expected 23 to 517") }
        options.mtu = mtu
        options.timeout = try Duration(option: "--timeout", timeout)
        options.record = record
        return options
    }

    private static func parse(_ words: [String]) throws -> ConnectSession.Request {
        switch (words.first, words.count) {
        case ("read", 2): return .read(words[1])
        case ("write", 3): return .write(words[1], words[2], hasResponse: true)
        case ("write-command", 3): return .write(words[1], words[2], hasResponse: false)
        case ("subscribe", 2...): return .subscribe(Array(words.dropFirst()), isOn: true)
        case ("unsubscribe", 2...): return .subscribe(Array(words.dropFirst()), isOn: false)
        default:
            throw UsageError(
                "\(words.joined(separator: " ")): expected read NAME, write NAME VALUE, write-command NAME VALUE or subscribe NAME…"
            )
        }
    }

    private func perform(_ request: ConnectSession.Request, _ session: ConnectSession) throws {
        for value in try session.perform(request) { try show(value) }
        guard case .subscribe(_, true) = request else { return }
        // Virtual time never waits: without an end, values would arrive forever.
        let isVirtual = spec == "radio:"
        var left = try duration.map { try Duration(option: "--duration", $0) } ?? (isVirtual ? .seconds(60) : nil)
        while !Interruption.isAsked, left.map({ $0 > .zero }) ?? true {
            let slice = min(left ?? .seconds(1), .seconds(1))
            for value in try session.values(within: slice) { try show(value) }
            left = left.map { $0 - slice }
        }
    }

    /// Reads requests line by line until the end of input; the exit code is that of the first failure.
    private func readRequests(_ session: ConnectSession) throws {
        try list(session)
        if try prompt(session) { return }
        var failure: ExitCode?
        while !Interruption.isAsked, let line = readLine() {
            for value in try session.values(within: .milliseconds(1)) { try show(value) }
            if try !perform(line: line, session, &failure) { break }
        }
        if let failure { throw failure }
    }

    /// Prompts for requests at the terminal, and prints values that the device sends meanwhile; false if there is no
    /// terminal.
    private func prompt(_ session: ConnectSession) throws -> Bool {
        var history = PromptHistory(environment: ProcessEnvironment.variables)
        var last = ContinuousClock.now
        var isConnected = true
        let editor = LineEditor(session.completion, history: history.lines, isStopped: Interruption.check) {
            // The twin's virtual time passes in step with real time.
            let now = ContinuousClock.now
            defer { last = now }
            do {
                return try session.values(within: min(max(.milliseconds(1), now - last), .seconds(1))).map(text)
            } catch let failure as ConnectFailure {
                defer { isConnected = session.isConnected }
                return isConnected ? ["\(failure)"] : []
            }
        }
        guard let editor else { return false }
        var failure: ExitCode?
        while let line = try editor.next() {
            if history.add(line) { editor.remember(line) }
            if try !perform(line: line, session, &failure) { return true }
            isConnected = session.isConnected
        }
        try Console.write("\n")
        return true
    }

    /// Performs the request of a line, and keeps the first `failure`; false for the last line.
    private func perform(line: String, _ session: ConnectSession, _ failure: inout ExitCode?) throws -> Bool {
        let words = Self.words(of: line)
        do {
            switch words.first {
            case nil: break
            case "quit"?, "exit"?: return false
            case "list"?: try list(session)
            case "wait"?:
                let limit = try Duration(option: "wait", words.dropFirst().first ?? "1s")
                for value in try session.values(within: limit) { try show(value) }
            default: for value in try session.perform(Self.parse(words)) { try show(value) }
            }
        } catch let error where error is ConnectFailure || error is UsageError || error is TwinFault {
            Console.note("\(error)")
            failure = failure ?? ExitCode(error is ConnectFailure ? Exit.findings : Exit.usage)
        }
        return true
    }

    /// Splits a line into words; the third word of a write is the remainder of the line, JSON with spaces.
    private static func words(of line: String) -> [String] {
        let words = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: true).map(String.init)
        guard ["subscribe", "unsubscribe"].contains(words.first), words.count > 2 else { return words }
        return words.prefix(2) + words[2].split(separator: " ").map(String.init)
    }

    private func list(_ session: ConnectSession) throws {
        if json { return }
        for one in session.characteristics {
            try Console.write("\(one.handle)  \(one.name)  \(one.properties)\n")
        }
    }

    private func show(_ value: ConnectSession.Shown) throws { try Console.write(text(value) + "\n") }

    private func text(_ value: ConnectSession.Shown) -> String {
        let hex = value.bytes.map { String(hex: $0, digits: 2) }.joined()
        if json {
            let record: Record = [
                "time": .text("\(value.time)"), "operation": .text(value.operation.rawValue),
                "characteristic": .text(value.name), "handle": .integer(Int64(value.handle.rawValue)),
                "bytes": .bytes(value.bytes), "value": value.value ?? .absent,
            ]
            return Value.record(record).json
        }
        return "\(value.operation.rawValue) \(value.name)  \(value.value.map(\.json) ?? hex)"
    }

    private static func words(_ stop: TestStop) -> String {
        switch stop {
        case .failed(let expected, let observed): "expected \(expected); observed \(observed)"
        case .inconclusive(let reason), .notApplicable(let reason): reason
        case .interrupted: "interrupted"
        }
    }
}
