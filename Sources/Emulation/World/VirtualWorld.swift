package import Bluetooth
package import Bytes
package import Host
package import Radio

/// Devices and clients in one process, each on a controller of the virtual radio, in virtual time.
///
/// Nothing waits in real time: the clock jumps to the next event. The same seed, devices and commands give the same
/// packets at the same times, byte for byte.
package struct VirtualWorld: Sendable {
    package struct Event: Hashable, Sendable {
        package enum Kind: Hashable, Sendable {
            /// A packet between a host and its controller, its packet indicator first, and whether the host sent it.
            case packet([UInt8], isSent: Bool)
            case reported(EmulationEvent)
            /// An event of a driven host.
            case host(Host.Event)
        }

        package var time: Timestamp
        /// Number of the station.
        package var station: Int
        package var kind: Kind
        /// Index of the client session that reports the event.
        package var session = 0
    }

    private var radio: Radio
    private var stations: [SimulatedNode] = []
    /// The deadline of each station; nil if it waits for no time.
    private var deadlines: [Timestamp?] = []
    /// Packets from controllers, not yet delivered to their hosts.
    private var inbox = FIFO<Radio.Output>()
    private var events: [Event] = []

    package init(
        seed: UInt64, start: Timestamp = Timestamp(nanoseconds: 0), pace: Radio.Pace = .air, path: Path = Path()
    ) {
        radio = Radio(seed: seed, pace: pace, start: start, path: path)
    }

    package var now: Timestamp { radio.now }

    /// The time of the next event, or the current time if events are waiting to be returned. Nil if nothing happens
    /// without a new input.
    package var nextEvent: Timestamp? {
        events.isEmpty ? [firstDeadline?.time, radio.nextEvent].compactMap { $0 }.min() : now
    }

    /// Adds a device on a controller with this public address; returns its number.
    package mutating func add(_ device: EmulatedDevice, address: Address) -> Int {
        add(.device(device), ControllerConfiguration(address: address))
    }

    /// Adds a client on a controller with this public address; returns its number.
    package mutating func add(_ client: ConnectedClient, address: Address) -> Int {
        add(.client(client), ControllerConfiguration(address: address))
    }

    /// Adds a driven host on a controller with this public address; returns its number.
    package mutating func add(_ host: Host, address: Address) -> Int {
        add(.host(DrivenHost(host)), ControllerConfiguration(address: address))
    }

    private mutating func add(_ station: SimulatedNode, _ configuration: ControllerConfiguration) -> Int {
        let index = radio.add(configuration)
        stations.append(station)
        deadlines.append(nil)
        happen(.start, to: index)
        deliver()
        return index
    }

    /// The device with this number; nil if that station is no device.
    package func device(_ index: Int) -> EmulatedDevice? {
        if case .device(let device) = stations[index] { device } else { nil }
    }

    /// The client with this number; nil if that station is no client.
    package func client(_ index: Int) -> ConnectedClient? { stations[index].client }

    /// The driven host with this number; nil if that station is no driven host.
    package func host(_ index: Int) -> Host? {
        if case .host(let driven) = stations[index] { driven.host } else { nil }
    }
}

// MARK: - Inputs and time

extension VirtualWorld {
    /// Passes an input to a device; does nothing for other stations. The next `step` returns the resulting events.
    package mutating func perform(_ input: EmulatedDevice.Input, device index: Int) {
        work(index) { station, now in station.handle(input, at: now) }
        deliver()
    }

    /// Passes an input to a client; does nothing for other stations. The next `step` returns the resulting events.
    package mutating func perform(_ input: ConnectedClient.Input, client index: Int) {
        work(index) { station, now in station.handle(input, at: now) }
        deliver()
    }

    /// Passes a request to a driven host. The next `step` returns the resulting events.
    package mutating func perform(_ request: Host.Request, host index: Int) {
        work(index) { station, now in station.handle(Host.Input.request(request), at: now) }
        deliver()
    }

    /// Changes the path loss between two stations, in dB.
    package mutating func setAttenuation(_ attenuation: Int, between one: Int, and other: Int) {
        var path = radio.path(one, other)
        path.attenuation = attenuation
        radio.setPath(one, other, path)
    }

    private mutating func happen(_ trigger: SimulatedNode.Trigger, to index: Int) {
        work(index) { station, now in station.handle(trigger, at: now) }
    }

    /// Runs a station and processes its outputs.
    private mutating func work(_ index: Int, _ body: (inout SimulatedNode, Timestamp) -> [StationOutput]) {
        let outputs = body(&stations[index], radio.now)
        deadlines[index] = stations[index].deadline
        for output in outputs {
            switch output {
            case .send(let packet):
                note(.packet(packet, isSent: true), of: index)
                for output in radio.send(packet, to: index) { inbox.append(output) }
            case .event(let event, let session): note(.reported(event), of: index, session: session)
            case .report(let event): note(.host(event), of: index)
            }
        }
    }

    /// Advances to the next event, but not beyond `limit`; returns the events since the last step, or nil if there are
    /// none before the limit.
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

    /// Advances to `limit`; returns all events until then. Over long times, `step` needs less memory.
    package mutating func advance(to limit: Timestamp) -> [Event] {
        var all: [Event] = []
        while let events = step(notAfter: limit) { all += events }
        return all
    }

    /// The station with the earliest deadline.
    private var firstDeadline: (index: Int, time: Timestamp)? {
        var first: (index: Int, time: Timestamp)?
        for (index, deadline) in deadlines.enumerated() {
            guard let deadline else { continue }
            if let earlier = first?.time, earlier <= deadline { continue }
            first = (index, deadline)
        }
        return first
    }

    private mutating func advanceRadio(to time: Timestamp) {
        for output in radio.advance(to: time) { inbox.append(output) }
        deliver()
    }

    /// Delivers controller packets to their hosts in order, including packets caused by the delivery.
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
