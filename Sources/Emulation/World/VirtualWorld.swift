package import Bluetooth
package import Bytes
package import Host
package import Radio

/// Devices and clients in one process, each on a controller of the virtual radio, in virtual time.
///
/// Nothing in it waits: time is where the next thing happens. The same seed, the same devices and the same commands give
/// the same packets at the same times, byte for byte.
package struct VirtualWorld: Sendable {
    /// Something that happened.
    package struct Event: Hashable, Sendable {
        package enum Kind: Hashable, Sendable {
            /// A packet between a host and its controller, its packet indicator first; whether the host sent it.
            case packet([UInt8], isSent: Bool)
            case told(EmulationEvent)
            /// A driven host reports something.
            case host(Host.Event)
        }

        package var time: Timestamp
        /// Whose it is, by its number.
        package var station: Int
        package var kind: Kind
        /// Which of a client's sessions tells it.
        package var session = 0
    }

    private var radio: Radio
    private var stations: [Station] = []
    /// When each station wants to be told that time has passed.
    private var deadlines: [Timestamp?] = []
    /// Packets of controllers that their hosts have not taken yet.
    private var inbox = FIFO<Radio.Output>()
    private var events: [Event] = []

    package init(
        seed: UInt64, start: Timestamp = Timestamp(nanoseconds: 0), pace: Radio.Pace = .air, path: Path = Path()
    ) {
        radio = Radio(seed: seed, pace: pace, start: start, path: path)
    }

    /// How far time has come.
    package var now: Timestamp { radio.now }

    /// When something happens next, or has happened and was not told yet; nil where nothing does until somebody wants
    /// something.
    package var nextEvent: Timestamp? {
        events.isEmpty ? [firstDeadline?.time, radio.nextEvent].compactMap { $0 }.min() : now
    }

    /// Puts a device on the air, with the public address of its controller; returns its number.
    package mutating func add(_ device: EmulatedDevice, address: Address) -> Int {
        add(.device(device), ControllerConfiguration(address: address))
    }

    /// Puts a client on the air, with the public address of its controller; returns its number.
    package mutating func add(_ client: ConnectedClient, address: Address) -> Int {
        add(.client(client), ControllerConfiguration(address: address))
    }

    /// Puts a host on the air that is driven from outside, with the public address of its controller; returns its number.
    package mutating func add(_ host: Host, address: Address) -> Int {
        add(.host(DrivenHost(host)), ControllerConfiguration(address: address))
    }

    private mutating func add(_ station: Station, _ configuration: ControllerConfiguration) -> Int {
        let index = radio.add(configuration)
        stations.append(station)
        deadlines.append(nil)
        happen(.start, to: index)
        deliver()
        return index
    }

    /// The device of a number; nil where that is a client.
    package func device(_ index: Int) -> EmulatedDevice? {
        if case .device(let device) = stations[index] { device } else { nil }
    }

    /// The client of a number; nil where that is a device.
    package func client(_ index: Int) -> ConnectedClient? { stations[index].client }

    /// The driven host of a number; nil where there is none.
    package func host(_ index: Int) -> Host? {
        if case .host(let driven) = stations[index] { driven.host } else { nil }
    }
}

// MARK: - Things happen

extension VirtualWorld {
    /// Does something to a device; a client is not concerned. What comes of it is in the next `step`.
    package mutating func perform(_ input: EmulatedDevice.Input, device index: Int) {
        work(index) { station, now in station.handle(input, at: now) }
        deliver()
    }

    /// Does something to a client; a device is not concerned. What comes of it is in the next `step`.
    package mutating func perform(_ input: ConnectedClient.Input, client index: Int) {
        work(index) { station, now in station.handle(input, at: now) }
        deliver()
    }

    /// Gives a request to a driven host. What comes of it is in the next `step`.
    package mutating func perform(_ request: Host.Request, host index: Int) {
        work(index) { station, now in station.handle(Host.Input.request(request), at: now) }
        deliver()
    }

    private mutating func happen(_ trigger: Station.Trigger, to index: Int) {
        work(index) { station, now in station.handle(trigger, at: now) }
    }

    /// Lets a station work, and does what comes of it.
    private mutating func work(_ index: Int, _ body: (inout Station, Timestamp) -> [StationOutput]) {
        let outputs = body(&stations[index], radio.now)
        deadlines[index] = stations[index].deadline
        for output in outputs {
            switch output {
            case .send(let packet):
                note(.packet(packet, isSent: true), of: index)
                for output in radio.send(packet, to: index) { inbox.append(output) }
            case .tell(let event, let session): note(.told(event), of: index, session: session)
            case .report(let event): note(.host(event), of: index)
            }
        }
    }

    /// Lets time pass until the next thing happens, but not beyond `limit`; returns what happened since the last step, nil
    /// where there is nothing more until the limit.
    package mutating func step(notAfter limit: Timestamp) -> [Event]? {
        if !events.isEmpty { return takeEvents() }
        let due = firstDeadline
        let next = radio.nextEvent
        if let due, due.time <= limit, next.map({ due.time <= $0 }) ?? true {
            advanceRadio(to: due.time)
            happen(.time, to: due.index)
            deliver()
            return takeEvents()
        }
        if let outputs = radio.step(notAfter: limit) {
            for output in outputs { inbox.append(output) }
            deliver()
            return takeEvents()
        }
        advanceRadio(to: limit)
        return events.isEmpty ? nil : takeEvents()
    }

    /// Lets all time pass until `limit`; returns what happened. For long times, `step` needs less memory.
    package mutating func advance(to limit: Timestamp) -> [Event] {
        var all: [Event] = []
        while let events = step(notAfter: limit) { all += events }
        return all
    }

    /// Whose deadline comes first.
    private var firstDeadline: (index: Int, time: Timestamp)? {
        var first: (index: Int, time: Timestamp)?
        for (index, deadline) in deadlines.enumerated() {
            guard let deadline else { continue }
            if let earlier = first?.time, earlier <= deadline { continue }
            first = (index, deadline)
        }
        return first
    }

    /// Lets the radio's time pass until `time`.
    private mutating func advanceRadio(to time: Timestamp) {
        for output in radio.advance(to: time) { inbox.append(output) }
        deliver()
    }

    /// Brings hosts what their controllers say, one after the other, and so on with what they send then.
    private mutating func deliver() {
        while let output = inbox.popFirst() {
            let index = output.controller
            events.append(Event(time: output.time, station: index, kind: .packet(output.packet, isSent: false)))
            happen(.packet(output.packet), to: index)
        }
    }

    private mutating func note(_ kind: Event.Kind, of station: Int, session: Int = 0) {
        events.append(Event(time: radio.now, station: station, kind: kind, session: session))
    }

    private mutating func takeEvents() -> [Event] {
        defer { events = [] }
        return events
    }
}
