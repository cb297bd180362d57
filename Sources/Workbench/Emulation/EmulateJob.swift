import Bluetooth
package import Bytes
import Emulation
package import PluginKit
package import Transports

/// Runs an emulated device or a plugin's client on a controller behind a transport, in real time or a multiple of it.
package struct EmulateJob {
    private let options: EmulateOptions
    private var station: SimulatedNode
    /// The side whose events are reported.
    private let source: Scenario.Event.Source
    private var cast: EmulationSession
    private var loop = TransportLoop()
    /// The keyboard's index among the loop's transports; nil for none.
    private let keyboard: Int?
    private var control: ControlChannel?
    /// The start, in the time of the transports and in the time of the device.
    private let start: Timestamp
    private let deviceStart: Timestamp
    /// Device time that was skipped instead of waited for.
    private var skipped = Duration.zero
    private var isReady = false
    private var hasController = false
    private var isOver = false
    /// Stores the values that the client receives; nil for a client without a store.
    private let sync: SyncSession?
    private var progress = ClientProgress()
    /// Whether it ended because the machine's clock was set; a client that runs until it is stopped then starts again.
    package private(set) var wasClockSet = false

    /// Opens the transport.
    package init(_ options: EmulateOptions, keyboard: Keyboard?, sync: SyncSession? = nil) throws {
        if options.scenario?.needsClient == true {
            throw TwinFault("the scenario has a client's part: the client is an external one here; use radio:")
        }
        if options.scenario?.needsVirtualRadio == true {
            throw TwinFault("the scenario sets attenuation or distance, which only the virtual radio has; use radio:")
        }
        self.options = options
        self.sync = sync
        cast = try EmulationSession(options)
        source = options.tasks == nil ? .device : .client
        station =
            try options.tasks == nil
            ? .device(cast.makeDevice())
            : .client(cast.makeClient(hasStore: sync != nil, isContinuous: sync?.isContinuous ?? false))
        let spec = options.record.map { TransportSpec.tap(file: $0, options.transport) } ?? options.transport
        loop.add(try TransportOpener().open(spec))
        self.keyboard = keyboard == nil ? nil : 1
        if let keyboard { loop.add(keyboard) }
        if let link = options.control { control = ControlChannel(link, loop.add(try link.open())) }
        start = loop.now
        deviceStart = options.scenario?.start ?? start
    }

    /// The transport's name; a server's includes the bound port.
    package var name: String { loop.transports[0].name }

    /// Runs the device or the client until the scenario, the duration or the link ends, or until `isInterrupted`
    /// returns true; returns the outcome.
    package mutating func run(
        isInterrupted: () -> Bool, notify: (EmulateOutput) throws -> Void
    ) throws -> ScenarioOutcome {
        defer { loop.close() }
        let end = options.duration.map { deviceStart + $0 }
        while !isInterrupted(), !isOver {
            try pass(to: now, notify)
            if let end, now >= end { break }
            if control != nil, cast.isFinished { break }
            if end == nil, sync?.isContinuous != true, cast.isFinished || station.isIdle {
                guard let tasks = sync?.nextTasks() else { break }
                for task in tasks { try give(ConnectedClient.Input.task(task), at: now, notify) }
            }
            if sync?.isOver == true { break }
            if sync?.isContinuous == true, loop.isClockSet {
                wasClockSet = true
                break
            }
            try answer(notify)
            try commit(notify)
            for note in sync?.reminders?.expire(at: now) ?? [] { try notify(.warning(note)) }
            skip()
            let due = [station.deadline, cast.deadline, end, sync?.reminders?.deadline].compactMap { $0 }.min()
            for (link, event) in loop.wait(until: due.map(real)) { try take(event, of: link, notify) }
        }
        try answer(notify)
        try commit(notify)
        // The controller is left as if it had been switched off.
        if hasController { _ = loop.transports[0].send([0x01, 0x03, 0x0C, 0x00], at: loop.now) }
        let problem = source == .client && sync == nil ? progress.problem(of: options.plugin.id) : nil
        return ScenarioOutcome(failures: cast.failures, fulfilled: cast.fulfilled, problem: problem)
    }

    /// The current time of the device.
    package var now: Timestamp {
        guard case .factor(let factor) = options.speed else {
            return deviceStart + (loop.now - start as Duration) + skipped
        }
        return deviceStart.advanced(nanoseconds: Int64(Double(loop.now.nanoseconds(since: start)) * factor))
    }

    /// The energy that the device has used; nil for a client, and for a twin without an energy model.
    package var energy: EnergyUse? { if case .device(let device) = station { device.energy(at: now) } else { nil } }

    /// Converts a time of the device to the time of the transports.
    private func real(_ time: Timestamp) -> Timestamp {
        guard case .factor(let factor) = options.speed else { return start + (time - deviceStart - skipped) }
        let elapsed = (Double(time.nanoseconds(since: deviceStart)) / factor).rounded(.up)
        return start.advanced(nanoseconds: Int64(min(elapsed, 1e18)))
    }

    /// Commits the values received since the last wait: a burst of events costs one write to the disk.
    private mutating func commit(_ notify: (EmulateOutput) throws -> Void) throws {
        for input in sync?.commitWaiting(at: now) ?? [] { try give(input, at: now, notify) }
    }

    /// Skips to the next deadline if time is virtual and no outside event can come before it.
    private mutating func skip() {
        guard options.speed == .virtual, station.isSettled, cast.onlyTimeIsMissing else { return }
        guard let next = [station.deadline, cast.deadline].compactMap({ $0 }).min(), next > now else { return }
        skipped += next - now
    }

    /// Performs pending work up to a time, each item at its deadline.
    private mutating func pass(to time: Timestamp, _ notify: (EmulateOutput) throws -> Void) throws {
        while let due = [station.deadline, cast.deadline].compactMap({ $0 }).min(), due <= time {
            if station.deadline == due { try give(SimulatedNode.Trigger.time, at: due, notify) }
            try perform(cast.expire(at: due), at: due, notify)
        }
    }

    private mutating func take(
        _ event: TransportEvent, of link: Int, _ notify: (EmulateOutput) throws -> Void
    ) throws {
        if link == keyboard {
            if case .packet(let key, _) = event { try press(key[0], notify) }
            return
        }
        if link == control?.link {
            guard case .device(let device) = station else { return }
            let actions = control?.take(event, for: &cast, device, hasClient: false, at: now) ?? []
            return try perform(actions, at: now, notify)
        }
        switch event {
        case .connected:
            hasController = true
            try give(SimulatedNode.Trigger.start, at: now, notify)
            for task in sync?.isContinuous ?? true ? options.tasks ?? [] : [] {
                try give(ConnectedClient.Input.task(task), at: now, notify)
            }
        case .packet(let packet, _): try give(SimulatedNode.Trigger.packet(packet), at: now, notify)
        case .note(let text): try notify(.warning("\(name): \(text)"))
        case .disconnected(let text):
            hasController = false
            try notify(.warning("\(name): \(text)"))
        case .closed(let text):
            hasController = false
            isOver = true
            if !isReady { throw TransportError(name, text, advice: "check the log of the controller") }
            try notify(.warning("\(name): \(text)"))
        }
    }

    /// Sends the pending replies to the program that controls the device.
    private mutating func answer(_ notify: (EmulateOutput) throws -> Void) throws {
        for line in cast.control?.takeReplies() ?? [] { try control?.send(line, through: loop, notify) }
    }

    private mutating func press(_ key: UInt8, _ notify: (EmulateOutput) throws -> Void) throws {
        switch cast.stimulus(forKey: Character(Unicode.Scalar(key))) {
        case .stimulus(let stimulus):
            switch source {
            case .device: try give(EmulatedDevice.Input.stimulus(stimulus), at: now, notify)
            case .client: try give(ConnectedClient.Input.task(stimulus), at: now, notify)
            }
        case .display:
            if case .device(let device) = station { try notify(.help(device.display?.joined(separator: "\n") ?? "")) }
        case .help(let text): try notify(.help(text))
        }
    }

    private mutating func give(
        _ trigger: SimulatedNode.Trigger, at time: Timestamp, _ notify: (EmulateOutput) throws -> Void
    ) throws {
        try take(station.handle(trigger, at: time), at: time, notify)
    }

    private mutating func give(
        _ input: EmulatedDevice.Input, at time: Timestamp, _ notify: (EmulateOutput) throws -> Void
    ) throws {
        try take(station.handle(input, at: time), at: time, notify)
    }

    private mutating func give(
        _ input: ConnectedClient.Input, at time: Timestamp, _ notify: (EmulateOutput) throws -> Void
    ) throws {
        try take(station.handle(input, at: time), at: time, notify)
    }

    private mutating func take(
        _ outputs: [StationOutput], at time: Timestamp, _ notify: (EmulateOutput) throws -> Void
    ) throws {
        for output in outputs {
            switch output {
            case .send(let packet):
                for event in loop.transports[0].send(packet, at: loop.now) { try take(event, of: 0, notify) }
            case .event(let event, let session): try note(event, of: session, at: time, notify)
            case .report: break
            }
        }
    }

    private mutating func note(
        _ event: EmulationEvent, of session: Int, at time: Timestamp, _ notify: (EmulateOutput) throws -> Void
    ) throws {
        if case .failed(let failure) = event { throw TransportError(name, failure: failure) }
        if case .note(let note) = event { progress.record(note) }
        var actions: [Scenario.Action] = []
        if case .advertising(let address, let name) = event, !isReady {
            isReady = true
            try notify(.ready(name: name, address, at: time))
            control?.ready(EmulationLogEntry.readyJSON(name: name, address, at: time), through: loop)
            actions = cast.begin(at: time)
        }
        let peer = station.client?.sessions[session].serverAddress?.address
        if let entry = cast.logEntry(event, from: source, session: session, peer: peer, at: time) {
            try notify(.happened(entry))
            control?.notify(entry, through: loop)
        }
        try cast.keep(event)
        if let sync, let client = station.client,
            let input = sync.take(event, client, session, isGathering: true, at: time)
        {
            try give(input, at: time, notify)
        }
        actions += cast.take(event, from: source, at: time)
        try perform(actions, at: time, notify)
    }

    private mutating func perform(
        _ actions: [Scenario.Action], at time: Timestamp, _ notify: (EmulateOutput) throws -> Void
    ) throws {
        for action in actions {
            if let input = EmulatedDevice.Input(action) { try give(input, at: time, notify) }
            switch action {
            case .say(let text), .ask(let text): try notify(.said(text, at: time))
            default: break
            }
        }
    }
}
