import BluetoothTypes
import Bytes
import Captures
import Emulation
import PluginKit
import Radio
package import Transports

/// An emulated device and a client of it, each on a controller of the virtual radio of this process.
///
/// Virtual time does not wait. Otherwise what is due on the radio is done when its time has come; between two things the
/// job waits, for the keyboard too.
package struct WorldJob {
    private let options: EmulateOptions
    private var cast: EmulationSession
    private var world: VirtualWorld
    private var loop = TransportLoop()
    private let recorder: CaptureWriter?
    private let start: Timestamp
    private let device: Int
    private let client: Int
    private var isReady = false

    /// Public addresses of the controllers where nobody chooses one; no manufacturer gives them.
    private static let addresses = (device: Address(value: 0x0242_0000_0001), client: Address(value: 0x0242_0000_0002))
    /// Where virtual time begins unless the scenario says: 2026-03-02T07:00:00Z, a Monday morning.
    private static let morning = Timestamp(seconds: 1_772_434_800, nanoseconds: 0)

    package init(_ options: EmulateOptions, keyboard: Keyboard?) throws {
        self.options = options
        cast = try EmulationSession(options)
        recorder = try options.record.map { try RadioRecorder.writer($0) }
        if let keyboard { loop.add(keyboard) }
        start = options.scenario?.start ?? (options.speed == .virtual ? Self.morning : loop.now)
        world = VirtualWorld(seed: options.seed, start: start)
        let own = try cast.makeDevice()
        device = world.add(own, address: options.address ?? own.address ?? Self.addresses.device)
        client = world.add(cast.makeClient(), address: Self.addresses.client)
    }

    /// Goes on until the scenario or the duration ends, or `isInterrupted`; says what failed.
    package mutating func run(
        isInterrupted: () -> Bool, tell: (EmulateOutput) throws -> Void
    ) throws -> ScenarioOutcome {
        defer { loop.close() }
        let realStart = loop.now
        let end = options.duration.map { start + $0 }
        if options.scenario == nil, let task = options.plugin.tasks.first {
            world.perform(.task(Stimulus(task.name, task.amount?.usual)), client: client)
        }
        while !isInterrupted() {
            if let end, world.now >= end { break }
            if end == nil, cast.isFinished { break }
            let next = [world.nextEvent, cast.deadline, end].compactMap { $0 }.min()
            guard let next else {
                if options.speed == .virtual { break }
                try wait(until: nil, tell)
                continue
            }
            if case .factor(let factor) = options.speed {
                let span = Double(next.nanoseconds(since: start)) / factor
                let due = realStart.advanced(nanoseconds: Int64(min(span.rounded(.up), 1e18)))
                try wait(until: due, tell)
                if loop.now < due { continue }
            }
            try pass(to: next, tell)
        }
        try recorder?.flush()
        return ScenarioOutcome(failures: cast.failures, fulfilled: cast.fulfilled)
    }

    /// Waits for the keyboard at most until a time.
    private mutating func wait(until due: Timestamp?, _ tell: (EmulateOutput) throws -> Void) throws {
        for (_, event) in loop.wait(until: due) {
            guard case .packet(let key, _) = event else { continue }
            switch cast.stimulus(forKey: Character(Unicode.Scalar(key[0]))) {
            case .stimulus(let stimulus): world.perform(.stimulus(stimulus), device: device)
            case .help(let text): try tell(.help(text))
            }
        }
    }

    /// Does what is due until a time, and what the scenario makes of it.
    private mutating func pass(to time: Timestamp, _ tell: (EmulateOutput) throws -> Void) throws {
        while let events = world.step(notAfter: time) {
            for event in events { try take(event, tell) }
        }
        try perform(cast.expire(at: world.now), tell)
    }

    private mutating func take(_ event: VirtualWorld.Event, _ tell: (EmulateOutput) throws -> Void) throws {
        let source: Scenario.Event.Source = event.station == device ? .device : .client
        switch event.kind {
        case .packet(let packet, let isSent):
            try recorder?.write(
                h4: packet, direction: isSent ? .sent : .received, adapter: UInt16(clamping: event.station),
                time: event.time)
            try tell(.packet(packet, isSent: isSent, of: source, at: event.time))
        case .host: break
        case .told(let told):
            if case .advertising(let address, let name) = told, !isReady {
                isReady = true
                try tell(.ready(name: name, address, at: event.time))
                try perform(cast.begin(at: event.time), tell)
            }
            try tell(.happened(cast.happening(told, from: source, at: event.time)))
            try cast.keep(told)
            try perform(cast.take(told, from: source, at: event.time), tell)
        }
    }

    private mutating func perform(_ actions: [Scenario.Action], _ tell: (EmulateOutput) throws -> Void) throws {
        for action in actions {
            switch action {
            case .device(let stimulus): world.perform(.stimulus(stimulus), device: device)
            case .client(let task): world.perform(.task(task), client: client)
            case .dropLink: world.perform(EmulatedDevice.Input.dropLink, device: device)
            case .changeServices: world.perform(.changeServices, device: device)
            case .fault(let fault): world.perform(.fault(fault), device: device)
            case .say(let text), .ask(let text): try tell(.said(text, at: world.now))
            case .timePasses: break
            }
        }
    }
}
