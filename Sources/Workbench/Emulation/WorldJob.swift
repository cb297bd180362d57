import Bluetooth
package import Bytes
import Captures
import Emulation
package import PluginKit
import Radio
package import Transports

/// Runs emulated devices and their client, each on a controller of the virtual radio in this process. A scenario acts
/// on all devices; its expectations, the non-volatile memory and the controlling program concern the first.
///
/// Virtual time does not wait. Otherwise radio events are performed when their time has come, and the job waits for
/// keys between them.
package struct WorldJob {
    private let options: EmulateOptions
    private var cast: EmulationSession
    private var world: VirtualWorld
    private var loop = TransportLoop()
    private let recorder: CaptureWriter?
    private let start: Timestamp
    private let device: Int
    private var furtherDevices: [Int] = []
    private let client: Int
    private var isReady = false
    /// When the client finished; nil before that, and for a client that runs until it is stopped.
    private var clientEnd: Timestamp?
    private var control: ControlChannel?
    /// Stores the values that the client receives; nil for a client without a store.
    private let sync: SyncSession?

    /// Default public addresses of the controllers; no manufacturer assigns them.
    private static let addresses = (device: Address(value: 0x0242_0000_0001), client: Address(value: 0x0242_0000_0002))
    /// Time for a device to complete its work after the client has finished.
    private static let settlingTime = Duration.seconds(5)
    /// Default start of virtual time: 2026-03-02T07:00:00Z, a Monday morning.
    private static let morning = Timestamp(seconds: 1_772_434_800, nanoseconds: 0)

    package init(_ options: EmulateOptions, keyboard: Keyboard?, sync: SyncSession? = nil) throws {
        self.options = options
        self.sync = sync
        cast = try EmulationSession(options)
        recorder = try options.record.map { try RadioRecorder.writer($0) }
        if let keyboard { loop.add(keyboard) }
        if let link = options.control { control = ControlChannel(link, loop.add(try link.open())) }
        start = options.scenario?.start ?? (options.speed == .virtual ? Self.morning : loop.now)
        world = VirtualWorld(seed: options.seed, start: start)
        let own = try cast.makeDevice()
        device = world.add(own, address: options.address ?? own.address ?? Self.addresses.device)
        let app = cast.makeClient(hasStore: sync != nil, isContinuous: sync?.isContinuous ?? false)
        client = world.add(app, address: Self.addresses.client)
        for number in 1..<max(options.deviceLimit, 1) {
            let address = Address(value: Self.addresses.device.value + UInt64(number) << 8)
            furtherDevices.append(world.add(try cast.makeDevice(number), address: address))
        }
    }

    /// Runs until the scenario or the duration ends, or until `isInterrupted` returns true; returns the outcome.
    package mutating func run(
        isInterrupted: () -> Bool, notify: (EmulateOutput) throws -> Void
    ) throws -> ScenarioOutcome {
        defer { loop.close() }
        let realStart = loop.now
        let end = options.duration.map { start + $0 }
        if options.scenario == nil, sync == nil, control == nil, let task = options.plugin.tasks.first {
            world.perform(.task(Stimulus(task.name, task.amount?.usual)), client: client)
        }
        if let sync, sync.isContinuous {
            for task in sync.nextTasks() ?? [] { world.perform(.task(task), client: client) }
        }
        while !isInterrupted(), sync?.isOver != true {
            if let end, world.now >= end { break }
            try answer(notify)
            if end == nil || control != nil, startTasks() { break }
            // Virtual time passes only while a controlling program waits for it.
            if control != nil, options.speed == .virtual {
                try wait(until: isAwaitingRequest ? nil : world.now, notify)
            }
            if isAwaitingRequest, options.speed == .virtual { continue }
            for note in sync?.reminders?.expire(at: world.now) ?? [] { try notify(.warning(note)) }
            let next = [world.nextEvent, cast.deadline, end, sync?.reminders?.deadline].compactMap { $0 }.min()
            guard let next else {
                if options.speed == .virtual { break }
                try wait(until: nil, notify)
                continue
            }
            if case .factor(let factor) = options.speed {
                let span = Double(next.nanoseconds(since: start)) / factor
                let due = realStart.advanced(nanoseconds: Int64(min(span.rounded(.up), 1e18)))
                try wait(until: due, notify)
                if loop.now < due { continue }
            }
            try pass(to: next, notify)
        }
        try answer(notify)
        try recorder?.flush()
        if let sync, !sync.isContinuous { try settle() }
        return ScenarioOutcome(failures: cast.failures, fulfilled: cast.fulfilled)
    }

    /// Starts the client's next tasks. Returns whether all work is done: the scenario is over, and the client has
    /// completed the tasks of its store.
    private mutating func startTasks() -> Bool {
        guard let sync else { return cast.isFinished }
        if sync.isOver { return true }
        if sync.isContinuous { return options.scenario != nil && cast.isFinished }
        guard options.scenario == nil || cast.isFinished else { return false }
        if sync.isDone { return true }
        // If the scenario's app is still connected, it performs the tasks in that connection.
        guard !sync.hasBegun || world.client(client)?.isIdle == true else { return false }
        guard let tasks = sync.nextTasks() else { return true }
        if let wakeUp = sync.wakeUp { world.perform(.stimulus(Stimulus(wakeUp)), device: device) }
        for task in tasks { world.perform(.task(task), client: client) }
        return false
    }

    /// Whether nothing happens until the controlling program sends a request.
    private var isAwaitingRequest: Bool { isReady && cast.isAwaitingRequest }

    /// Sends the pending replies to the program that controls the device.
    private mutating func answer(_ notify: (EmulateOutput) throws -> Void) throws {
        let replies = cast.control?.takeReplies() ?? []
        // The recording contains the events of a reply before the reply is sent.
        if !replies.isEmpty { try recorder?.flush() }
        for line in replies { try control?.send(line, through: loop, notify) }
    }

    /// Runs the device until it has completed acknowledged commands, as a puck executes commands after its display
    /// update. Of these events only changes to the non-volatile memory are kept.
    private mutating func settle() throws {
        clientEnd = world.now
        while let events = world.step(notAfter: now + Self.settlingTime) {
            for event in events where event.station == device {
                if case .reported(let reported) = event.kind { try cast.keep(reported) }
            }
        }
    }

    /// The time of the device and its client; once the client has finished, the time at which it did.
    package var now: Timestamp { clientEnd ?? world.now }

    /// The energy that the device has used; nil for a twin without an energy model.
    package var energy: EnergyUse? { world.device(device)?.energy(at: world.now) }

    /// Waits for keys and requests until a time at most.
    private mutating func wait(until due: Timestamp?, _ notify: (EmulateOutput) throws -> Void) throws {
        for (link, event) in loop.wait(until: due) {
            if link == control?.link {
                let actions = control?.take(event, for: &cast, world.device(device), hasClient: true, at: world.now)
                try perform(actions ?? [], notify)
                continue
            }
            guard case .packet(let key, _) = event else { continue }
            switch cast.stimulus(forKey: Character(Unicode.Scalar(key[0]))) {
            case .stimulus(let stimulus): world.perform(.stimulus(stimulus), device: device)
            case .display: try notify(.help(world.device(device)?.display?.joined(separator: "\n") ?? ""))
            case .help(let text): try notify(.help(text))
            }
        }
    }

    /// Advances the radio to a time and performs the scenario's reactions.
    private mutating func pass(to time: Timestamp, _ notify: (EmulateOutput) throws -> Void) throws {
        while let events = world.step(notAfter: time) {
            for event in events { try take(event, notify) }
        }
        try perform(cast.expire(at: world.now), notify)
    }

    private mutating func take(_ event: VirtualWorld.Event, _ notify: (EmulateOutput) throws -> Void) throws {
        let source: Scenario.Event.Source = event.station == client ? .client : .device
        switch event.kind {
        case .packet(let packet, let isSent):
            try recorder?.write(
                h4: packet, direction: isSent ? .sent : .received, adapter: UInt16(clamping: event.station),
                time: event.time)
            try notify(.packet(packet, isSent: isSent, of: source, at: event.time))
        case .host: break
        case .reported where furtherDevices.contains(event.station): break
        case .reported(let reported):
            if case .advertising(let address, let name) = reported, !isReady {
                isReady = true
                try notify(.ready(name: name, address, at: event.time))
                control?.ready(EmulationLogEntry.readyJSON(name: name, address, at: event.time), through: loop)
                try perform(cast.begin(at: event.time), notify)
            }
            let peer = world.client(event.station)?.sessions[event.session].serverAddress?.address
            if let entry = cast.logEntry(reported, from: source, session: event.session, peer: peer, at: event.time) {
                try notify(.happened(entry))
                control?.notify(entry, through: loop)
            }
            try cast.keep(reported)
            if source == .client, let sync {
                // The recording contains all packets sent before the records are on disk.
                if case .commit = reported { try recorder?.flush() }
                if let input = sync.take(reported, world.client(client), event.session, at: event.time) {
                    world.perform(input, client: client)
                }
            }
            try perform(cast.take(reported, from: source, at: event.time), notify)
        }
    }

    private mutating func perform(_ actions: [Scenario.Action], _ notify: (EmulateOutput) throws -> Void) throws {
        for action in actions {
            if let input = EmulatedDevice.Input(action) {
                for device in [device] + furtherDevices { world.perform(input, device: device) }
            }
            if let attenuation = action.attenuation {
                for device in [device] + furtherDevices {
                    world.setAttenuation(attenuation, between: device, and: client)
                }
            }
            switch action {
            case .client(let task): world.perform(.task(task), client: client)
            case .say(let text), .ask(let text): try notify(.said(text, at: world.now))
            default: break
            }
        }
    }
}
