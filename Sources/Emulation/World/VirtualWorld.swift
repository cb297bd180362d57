package import BluetoothTypes
package import Bytes
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
        }

        package var time: Timestamp
        /// Whose it is, by its number.
        package var station: Int
        package var kind: Kind
    }

    /// A host on a controller.
    private enum Station: Sendable {
        case device(EmulatedDevice)
        case client(ConnectedClient)
        /// It is at work, and out of the list meanwhile: what it has would be copied else.
        case away
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
        events.isEmpty ? (deadlines + [radio.nextEvent]).compactMap { $0 }.min() : now
    }

    /// Puts a device on the air, with the public address of its controller; returns its number.
    package mutating func add(_ device: EmulatedDevice, address: Address) -> Int {
        add(.device(device), ControllerConfiguration(address: address))
    }

    /// Puts a client on the air, with the public address of its controller; returns its number.
    package mutating func add(_ client: ConnectedClient, address: Address) -> Int {
        add(.client(client), ControllerConfiguration(address: address))
    }

    private mutating func add(_ station: Station, _ configuration: ControllerConfiguration) -> Int {
        let index = radio.add(configuration)
        stations.append(station)
        deadlines.append(nil)
        switch station {
        case .device: perform(EmulatedDevice.Input.start, device: index)
        case .client: perform(ConnectedClient.Input.start, client: index)
        case .away: break
        }
        return index
    }

    /// The device of a number; nil where that is a client.
    package func device(_ index: Int) -> EmulatedDevice? {
        if case .device(let device) = stations[index] { device } else { nil }
    }

    /// The client of a number; nil where that is a device.
    package func client(_ index: Int) -> ConnectedClient? {
        if case .client(let client) = stations[index] { client } else { nil }
    }

    /// Changes how well two stations hear each other, from now on.
    package mutating func setPath(_ one: Int, _ other: Int, _ path: Path) {
        radio.setPath(one, other, path)
    }
}

// MARK: - Things happen

extension VirtualWorld {
    /// Does something to a device; a client is not concerned. What comes of it is in the next `step`.
    package mutating func perform(_ input: EmulatedDevice.Input, device index: Int) {
        give(input, toDevice: index)
        deliver()
    }

    /// Does something to a client; a device is not concerned. What comes of it is in the next `step`.
    package mutating func perform(_ input: ConnectedClient.Input, client index: Int) {
        give(input, toClient: index)
        deliver()
    }

    private mutating func give(_ input: EmulatedDevice.Input, toDevice index: Int) {
        guard case .device(var device) = stations[index] else { return }
        stations[index] = .away
        let outputs = device.handle(input, at: radio.now)
        stations[index] = .device(device)
        deadlines[index] = device.deadline
        for output in outputs {
            switch output {
            case .send(let packet): send(packet, from: index)
            case .tell(let event): note(.told(event), of: index)
            }
        }
    }

    private mutating func give(_ input: ConnectedClient.Input, toClient index: Int) {
        guard case .client(var client) = stations[index] else { return }
        stations[index] = .away
        let outputs = client.handle(input, at: radio.now)
        stations[index] = .client(client)
        deadlines[index] = client.deadline
        for output in outputs {
            switch output {
            case .send(let packet): send(packet, from: index)
            case .tell(let event): note(.told(event), of: index)
            }
        }
    }

    /// Lets time pass until the next thing happens, but not beyond `limit`; returns what happened since the last step, nil
    /// where there is nothing more until the limit.
    package mutating func step(notAfter limit: Timestamp) -> [Event]? {
        if !events.isEmpty { return takeEvents() }
        let due = deadlines.enumerated().compactMap { index, time in time.map { (index: index, time: $0) } }
            .min { $0.time < $1.time }
        let next = radio.nextEvent
        if let due, due.time <= limit, next.map({ due.time <= $0 }) ?? true {
            advanceRadio(to: due.time)
            pass(to: due.index)
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

    private mutating func pass(to index: Int) {
        switch stations[index] {
        case .device: perform(.time, device: index)
        case .client: perform(.time, client: index)
        case .away: break
        }
    }

    /// Lets the radio's time pass until `time`.
    private mutating func advanceRadio(to time: Timestamp) {
        for output in radio.advance(to: time) { inbox.append(output) }
        deliver()
    }

    private mutating func send(_ packet: [UInt8], from index: Int) {
        note(.packet(packet, isSent: true), of: index)
        for output in radio.send(packet, to: index) { inbox.append(output) }
    }

    /// Brings hosts what their controllers say, one after the other, and so on with what they send then.
    private mutating func deliver() {
        while let output = inbox.popFirst() {
            let index = output.controller
            events.append(Event(time: output.time, station: index, kind: .packet(output.packet, isSent: false)))
            switch stations[index] {
            case .device: give(.packet(output.packet), toDevice: index)
            case .client: give(.packet(output.packet), toClient: index)
            case .away: break
            }
        }
    }

    private mutating func note(_ kind: Event.Kind, of station: Int) {
        events.append(Event(time: radio.now, station: station, kind: kind))
    }

    private mutating func takeEvents() -> [Event] {
        defer { events = [] }
        return events
    }
}
