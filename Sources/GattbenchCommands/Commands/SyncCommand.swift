import ArgumentParser
import Bluetooth
import Bytes
import Emulation
import PluginKit
import Profile
import Transports
import Workbench

/// `gattbench sync`.
struct SyncCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Fetch a device's records as its app does, and keep them.",
        discussion: """
            The plugin's client connects to the device of --address or --name, else to one that the store knows, and waits 30 s
            for it; it fetches what the device has recorded, and acknowledges each part when it is on disk. It connects to a
            device that the store does not know only with --new, or if the store knows none. After a lost connection it goes
            on where it was. Records that are kept already are not kept twice.

            SPEC names the controller; “radio:” has the plugin's own twin on it, in virtual time.

            Exit codes: 0 all was fetched · 1 the device failed or a scenario expectation did · 2 usage error · 3 no device,
            no controller, or the store cannot be written.

            EXAMPLES
              sudo gattbench sync aquavate --transport hci-socket:0
              sudo gattbench sync aquavate --transport hci-socket:0 --new
              sudo gattbench sync aquavate --transport hci-socket:0 --task delete_drink=102
              gattbench sync aquavate --transport radio: --scenario normal-day --store drinks.sqlite
            """)

    @OptionGroup var arguments: SyncArguments

    @OptionGroup var terminal: TerminalArguments

    func run() throws {
        let tables = try arguments.tables()
        if tables.isContinuous {
            throw UsageError("\(arguments.plugin) is never done: use “gattbench gateway \(arguments.plugin)”")
        }
        try arguments.run(tables)
    }
}

/// `gattbench gateway`.
struct GatewayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gateway",
        abstract: "Receive devices' records as their gateway does, and keep each of them.",
        discussion: """
            The plugin's client connects to the device, keeps every event on disk before it acknowledges it, asks for those that
            are missing, and comes back when the connection is lost, until it is stopped with Ctrl-C or by --duration. Events
            that are kept already are not kept twice. With --devices it has connections with several devices at once.

            A bottle is synced whenever it advertises, then left alone so that it sleeps. The gateway waits for all bottles that
            the store knows, and for others only with --new or --address; if the store knows none, it takes the first. --notify
            runs a command for each of the app's reminders.

            SPEC names the controller; “radio:” has the plugin's own twins on it, in virtual time.

            Exit codes: 0 stopped · 1 a scenario expectation failed · 2 usage error · 3 no device, no controller, or the store
            cannot be written.

            EXAMPLES
              sudo gattbench gateway lifecount --transport hci-socket:0
              sudo gattbench gateway lifecount --transport hci-socket:0 --devices 3
              sudo gattbench gateway lifecount --transport hci-socket:0 --location c4:00:00:00:00:01=7
              sudo gattbench gateway aquavate --transport hci-socket:0 --notify /usr/local/bin/remind
              gattbench gateway lifecount --transport radio: --scenario busy-hour --store counts.sqlite
            """)

    @OptionGroup var arguments: SyncArguments

    @Option(help: ArgumentHelp(.duration))
    var duration: String?

    @Option(help: ArgumentHelp("Receive from up to N devices at once, 1 to 16.", valueName: "n"))
    var devices: Int?

    @Option(
        help: ArgumentHelp(
            "Set the location of the device with this address; may be repeated.", valueName: "address=id"))
    var location: [String] = []

    @Option(
        help: ArgumentHelp(
            "Run COMMAND for each reminder, described by GATTBENCH_… in its environment.", valueName: "command"))
    var notify: String?

    @Flag(help: "Receive although another gateway of the store seems to.")
    var takeOver = false

    @OptionGroup var terminal: TerminalArguments

    func run() throws {
        let tables = try arguments.tables()
        guard tables.isContinuous || !tables.gatewayTasks.isEmpty else {
            throw UsageError("\(arguments.plugin) has no gateway: use “gattbench sync \(arguments.plugin)”")
        }
        guard !tables.tasks.isEmpty else {
            throw UsageError("\(arguments.plugin) has no gateway but a command of its own: see “gattbench --help”")
        }
        let locations = try deviceLocations()
        let limit = devices ?? max(arguments.address.count, locations.count, 1)
        guard (1...16).contains(limit), arguments.address.count <= limit else {
            throw UsageError(
                "--devices \(limit): expected 1 to 16, and as many as there are addresses (\(arguments.address.count))")
        }
        if !arguments.isRadio, !takeOver { try refuseSecondGateway(tables) }
        try arguments.run(
            tables, duration: duration, deviceLimit: limit, deviceTasks: locations, gateway: try gateway(tables))
    }

    private func gateway(_ tables: StoredTables) throws -> SyncArguments.Gateway {
        guard let notify else { return SyncArguments.Gateway(devices: devices) }
        guard tables.reminders != nil else { throw UsageError("--notify: \(arguments.plugin) has no reminders") }
        guard let command = ReminderCommand(notify) else {
            throw UsageError("--notify \(notify): expected a program and its arguments, with all quotes closed")
        }
        return SyncArguments.Gateway(devices: devices, notify: command)
    }

    /// The tasks of `--location`, by address.
    private func deviceLocations() throws -> [Address: [Stimulus]] {
        var tasks: [Address: [Stimulus]] = [:]
        if location.isEmpty { return tasks }
        let plugin = try PluginLibrary.loadAndNote([arguments.plugin]).entry(named: arguments.plugin).plugin
        guard plugin.tasks.contains(where: { $0.name == Self.locationTask }) else {
            throw UsageError("--location: devices of \(arguments.plugin) have no location")
        }
        for text in location {
            let parts = text.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, let number = Int(parts[1]), (1...65_535).contains(number) else {
                throw UsageError(
                    "--location \(text): expected an address and a location from 1 to 65535, like "
                        + "c4:00:00:00:00:01=7")
            }
            let address = try Address(option: "--location", parts[0])
            let former = tasks.updateValue([try plugin.task("\(Self.locationTask)=\(number)")], forKey: address)
            if former != nil { throw UsageError("--location \(text): there are two locations for \(address)") }
        }
        return tasks
    }

    private static let locationTask = "set_location"

    /// Throws if another gateway receives for the same device: two would compete for its connections.
    private func refuseSecondGateway(_ tables: StoredTables) throws {
        guard let lock = tables.softLock else { return }
        let store = try StoreFile.open(arguments.store)
        let query = lock.query(SystemClock().now)
        var active: [(peer: Int64, silence: Int64)] = []
        try store.forEachRow(of: query) { active.append(($0[0], $0[1])) }
        for peer in try store.rows(of: "peers") {
            guard let id = peer.integer("id"), let address = peer.text("address"),
                let one = active.first(where: { $0.peer == id }),
                arguments.address.isEmpty || arguments.address.contains(where: { $0.lowercased() == address })
            else { continue }
            let sessions = try store.rows(of: "sessions").filter {
                $0.text("device") == address && $0["ended_at"] == .absent
            }
            let states = sessions.map { $0.text("process").flatMap { ProcessIdentity($0)?.isRunning } }
            if states.last == false, !states.contains(true) {
                Console.note("\(address): the gateway that received for it ended without notice; taking over")
                continue
            }
            throw CommandError.unreadable(
                "\(address): another gateway receives for it, and has heard it \(one.silence) s ago; end that one, or use "
                    + "--take-over")
        }
    }
}

/// Options of the commands that store values received by a client.
struct SyncArguments: ParsableArguments {
    @Argument(help: "The device's plugin.")
    var plugin: String

    @Option(help: ArgumentHelp(.transport))
    var transport: String

    @Option(help: ArgumentHelp("The store.", valueName: "path"))
    var store: String?

    @Option(help: ArgumentHelp(.address))
    var address: [String] = []

    @Option(help: ArgumentHelp(.peerName))
    var name: String?

    @Flag(help: "Connect to a device that the store does not know.")
    var new = false

    @Option(help: "The dialect that the device speaks.")
    var dialect: String?

    @Option(
        help: ArgumentHelp(
            "Do this besides, like delete_drink=102 or set_goal=3000; may be repeated.", valueName: "task"))
    var task: [String] = []

    @Option(help: ArgumentHelp(.scenario))
    var scenario: String?

    @Option(help: ArgumentHelp(.state))
    var state: String?

    @Option(help: ArgumentHelp(.seed))
    var seed: UInt64 = 1

    @Option(help: ArgumentHelp(.speed))
    var speed = "virtual"

    @Option(help: ArgumentHelp(.record))
    var record: String?

    @Flag(help: ArgumentHelp(.jsonLines))
    var json = false

    func validate() throws { try Console.refuse(record, overwriting: [scenario, state, store]) }

    func tables() throws -> StoredTables {
        try tables(of: PluginLibrary.loadAndNote([plugin]).entry(named: plugin).plugin)
    }

    /// Whether the device is a twin in this process.
    var isRadio: Bool { (try? TransportSpec(transport)) == .radio }

    /// Options of the gateway.
    struct Gateway {
        /// Maximum number of devices; nil for the known ones, or one.
        var devices: Int?
        /// The command for reminders; nil for none.
        var notify: ReminderCommand?
    }

    /// Runs the plugin's client, or a command's client, until it is done or stopped, and stores the values that it
    /// receives.
    func run(
        _ tables: StoredTables, duration: String? = nil, deviceLimit: Int = 1,
        deviceTasks: [Address: [Stimulus]] = [:], gateway: Gateway? = nil, client: CommandClient? = nil
    ) throws {
        let isContinuous = tables.isContinuous || gateway != nil
        if isContinuous, isRadio, duration == nil, scenario == nil {
            throw UsageError("on radio: time does not wait; say where it ends with --duration or --scenario")
        }
        let store = try StoreFile.open(store)
        var options = try makeOptions(deviceLimit, isGateway: gateway != nil)
        options.duration = try duration.map { try Duration(option: "--duration", $0) }
        options.deviceTasks = deviceTasks
        if let client {
            (options.client, options.tasks) = (client.client, [client.task])
            options.pairing = client.pairing
            if !json { try Console.write(client.heading) }
        }
        Interruption.watch()
        let begin = ContinuousClock.now
        defer { for note in gateway?.notify?.finish() ?? [] { Console.note(note) } }
        for number in 2... {
            try select(from: store, tables, gateway, &options)
            let sync = SyncSession(
                store, plugin: options.plugin.id, transport: transport, tasks: options.tasks ?? [],
                wakeUp: tables.wakeUp, isContinuous: isContinuous, release: tables.softLock?.release ?? [])
            if let command = gateway?.notify, let source = tables.reminders?() {
                let zone = ZoneFile.local(environment: ProcessEnvironment.variables)
                sync.reminders = GatewayReminders(source, store, zone: zone, command: command)
            }
            guard try isClockSet(afterRunning: sync, options, client) else { return }
            Console.note("the clock was set: beginning anew with its time")
            if let duration {
                options.duration = try Duration(option: "--duration", duration) - begin.duration(to: .now)
            }
            options.record = record.map { Self.numbered($0, number) }
        }
    }

    /// Runs the client until it is done or stopped; returns true if it has ended because the machine's clock was set.
    private func isClockSet(
        afterRunning sync: SyncSession, _ options: EmulateOptions, _ client: CommandClient?
    ) throws -> Bool {
        let outcome: ScenarioOutcome
        let end: Timestamp
        if options.transport == .radio {
            var job = try WorldJob(options, keyboard: nil, sync: sync)
            outcome = try job.run(isInterrupted: { Interruption.isAsked }, notify: printer(client))
            end = job.now
        } else {
            var job = try EmulateJob(options, keyboard: nil, sync: sync)
            outcome = try job.run(isInterrupted: { Interruption.isAsked }, notify: printer(client))
            end = job.now
            if job.wasClockSet {
                _ = try sync.end(at: end)
                return true
            }
        }
        let problem = try sync.end(at: end)
        for failure in outcome.failures { Console.note("\(failure)") }
        if let problem {
            Console.note(sync.wasConnected ? problem : problem + (address.isEmpty ? options.peers.advice : ""))
            throw ExitCode(sync.wasConnected ? Exit.findings : Exit.unreadable)
        }
        if !outcome.failures.isEmpty { throw ExitCode(Exit.findings) }
        if json { return false }
        if sync.devices.isEmpty { try Console.write("no device: 0 new rows\n") }
        for device in sync.devices { try Console.write("\(device.address): \(device.newRows) new rows\n") }
        return false
    }

    /// Selects the devices to connect to: those that are named, else those of the store or, with --new, others. The
    /// gateway of personal devices waits for each device of the store.
    private func select(
        from store: any RecordStore, _ tables: StoredTables, _ gateway: Gateway?, _ options: inout EmulateOptions
    ) throws {
        guard !isRadio, address.isEmpty else {
            if new { throw UsageError("--new looks for an unknown device: omit it with --address, and on radio:") }
            let named = Set([options.address].compactMap(\.self) + options.furtherAddresses)
            if !isRadio, tables.isPersonal { options.peers = .known(named) }
            return
        }
        let addresses = try store.addresses(of: options.plugin.id).compactMap { Address($0) }
        let known = Set(addresses)
        if new {
            options.peers = .new(except: known)
        } else if !tables.isPersonal {
            options.peers = .any(first: name == nil ? known : [])
        } else {
            options.peers = known.isEmpty || name != nil ? .new(except: []) : .known(known)
        }
        guard tables.isPersonal, let gateway, name == nil else { return }
        let usual = min(max(addresses.count + (new ? 1 : 0), 1), 16)
        options.deviceLimit = gateway.devices ?? usual
        guard addresses.count <= min(options.deviceLimit, 16) else {
            throw UsageError(
                "the store knows \(addresses.count) devices, more than --devices or 16: choose some with --address")
        }
        guard new || options.deviceLimit == usual else {
            throw UsageError(
                "--devices \(options.deviceLimit): the store knows \(addresses.count); --new waits for others, too")
        }
        (options.address, options.furtherAddresses) = (addresses.first, Array(addresses.dropFirst()))
    }

    /// The path of a further part of a recording: `counts-2.btsnoop`.
    private static func numbered(_ path: String, _ number: Int) -> String {
        guard let dot = path.lastIndex(of: "."), path[dot...].firstIndex(of: "/") == nil else {
            return "\(path)-\(number)"
        }
        return "\(path[..<dot])-\(number)\(path[dot...])"
    }

    private func tables(of found: DevicePlugin) throws -> StoredTables {
        guard let tables = BuiltInPlugins.tables(of: found.id) else {
            throw UsageError("\(plugin) has no tables: its records are not kept")
        }
        return tables
    }

    private func makeOptions(_ deviceLimit: Int, isGateway: Bool) throws -> EmulateOptions {
        let library = try PluginLibrary.loadAndNote([plugin])
        let found = try library.entry(named: plugin).plugin
        let tables = try tables(of: found)
        var options = EmulateOptions(plugin: found, transport: try TransportSpec(transport))
        let isRadio = options.transport == .radio
        if options.transport.isRadio, !isRadio {
            throw UsageError("\(transport): radio: takes no decorators; use --record")
        }
        if !isRadio, scenario != nil || state != nil {
            throw UsageError("--scenario and --state are about the twin on radio:")
        }
        options.dialect = dialect
        let addresses = try address.map { try Address(option: "--address", $0) }
        guard addresses.count <= deviceLimit else { throw UsageError("--address: one device at a time") }
        (options.address, options.furtherAddresses) = (addresses.first, Array(addresses.dropFirst()))
        options.deviceLimit = deviceLimit
        options.peerName = name
        options.scenario = try scenario.map { try ScenarioLibrary(library).scenario($0, of: found, dialect: dialect) }
        let usual = isGateway && !tables.isContinuous ? tables.gatewayTasks : tables.tasks
        // In a scenario, a `connect` step connects a gateway that has no tasks of its own.
        let own = tables.isContinuous && options.scenario != nil ? [:] : usual
        try options.setTasks(
            own.mapValues { try $0.map { try found.task($0) } }, further: task.map { try found.task($0) })
        options.seed = seed
        options.record = record
        options.state = state
        if isRadio { options.speed = try EmulateCommand.readSpeed(speed) }
        return options
    }

    /// Prints the client's output.
    private func printer(_ client: CommandClient?) -> (EmulateOutput) throws -> Void {
        let isJSON = json
        var start: Timestamp?
        return { output in
            switch output {
            case .happened(let entry) where entry.source == .client:
                if isJSON { return try Console.write(entry.json + "\n") }
                if let client {
                    guard case .note(let note) = entry.event, let line = client.line(note, entry.time) else { break }
                    return try Console.write(line + "\n")
                }
                let first = start ?? entry.time
                start = first
                // Values are printed only as JSON.
                if case .note = entry.event, let line = entry.line(since: first) { try Console.write(line + "\n") }
            case .said(let text, _): if !isJSON { try Console.write("— \(text.legibleLine())\n") }
            case .warning(let text): Console.note(text)
            default: break
            }
        }
    }
}

extension DevicePlugin {
    /// Parses a task of the client: `set_goal=3000`.
    func task(_ text: String) throws -> Stimulus {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        guard let definition = tasks.first(where: { $0.name == parts.first }) else {
            let names = tasks.map(\.name)
            let near = Spelling.suggestion(for: parts.first ?? "", among: names)
            throw UsageError(
                "--task \(text): there is no such task"
                    + (near.isEmpty ? "; tasks are \(names.joined(separator: ", "))" : near))
        }
        let amount = try parts.dropFirst().first.map { digits in
            guard let number = Double(digits), definition.amount?.range.contains(number) == true else {
                throw UsageError("--task \(text): \(definition.name) takes no such amount")
            }
            return number
        }
        return Stimulus(definition.name, amount ?? definition.amount?.usual)
    }
}

extension PeerSelection {
    /// What to do if no device was found.
    fileprivate var advice: String {
        switch self {
        case .known(let devices):
            let names = devices.map { "\($0)" }.sorted().joined(separator: ", ")
            return "; the store knows \(names): wake it, or use --new for a device that the store does not know"
        case .new(let devices) where !devices.isEmpty: return "; those that the store knows were passed over (--new)"
        case .new, .any: return ""
        }
    }
}

extension ArgumentHelp {
    /// The help of an option that plugin commands have, too.
    init(_ parameter: CommandParameter) {
        self.init(
            "\(parameter.help)", valueName: parameter.kind == .flag ? nil : parameter.placeholder)
    }
}
