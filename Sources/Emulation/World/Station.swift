package import Bytes
package import Host

/// A device, a client or a host on a controller.
package enum Station: Sendable {
    case device(EmulatedDevice)
    case client(ConnectedClient)
    case host(DrivenHost)
    /// At work: what it has would be copied if it stood here meanwhile.
    case away

    /// An input that every station handles.
    package enum Trigger: Sendable {
        /// A controller is there.
        case start
        /// A packet of the controller, its packet indicator first.
        case packet([UInt8])
        /// Time has passed.
        case time
    }

    /// Nil for a device or a host.
    package var client: ConnectedClient? { if case .client(let client) = self { client } else { nil } }

    package var deadline: Timestamp? {
        switch self {
        case .device(let device): device.deadline
        case .client(let client): client.deadline
        case .host(let host): host.deadline
        case .away: nil
        }
    }

    /// Whether nothing outside has a part in what happens next, so that time may be passed over.
    package var isSettled: Bool { if case .device(let device) = self { device.isSettled } else { false } }

    /// Whether it is a client that has done what its user wanted.
    package var isIdle: Bool { if case .client(let client) = self { client.isIdle } else { false } }

    package mutating func handle(_ trigger: Trigger, at now: Timestamp) -> [StationOutput] {
        switch self {
        case .device: handle(EmulatedDevice.Input(trigger), at: now)
        case .client: handle(ConnectedClient.Input(trigger), at: now)
        case .host: handle(Host.Input(trigger), at: now)
        case .away: []
        }
    }

    /// Does something to a device; nothing where it is none.
    package mutating func handle(_ input: EmulatedDevice.Input, at now: Timestamp) -> [StationOutput] {
        guard case .device(var device) = self else { return [] }
        self = .away
        defer { self = .device(device) }
        return device.handle(input, at: now)
    }

    /// Does something to a client; nothing where it is none.
    package mutating func handle(_ input: ConnectedClient.Input, at now: Timestamp) -> [StationOutput] {
        guard case .client(var client) = self else { return [] }
        self = .away
        defer { self = .client(client) }
        return client.handle(input, at: now)
    }

    /// Gives an input to a host without an owner of its own; nothing where it is none.
    package mutating func handle(_ input: Host.Input, at now: Timestamp) -> [StationOutput] {
        guard case .host(var host) = self else { return [] }
        self = .away
        defer { self = .host(host) }
        return host.handle(input, at: now)
    }
}

/// A host that is driven from outside: its events are passed on.
package struct DrivenHost: Sendable, HostOwner {
    package internal(set) var host: Host
    var events = FIFO<Host.Event>()
    var outputs: [StationOutput] = []

    package init(_ host: Host) {
        self.host = host
    }

    var deadline: Timestamp? { host.deadline }

    package mutating func handle(_ input: Host.Input, at now: Timestamp) -> [StationOutput] {
        run(input, at: now)
        return finish(at: now)
    }

    mutating func take(_ event: Host.Event, at now: Timestamp) {
        outputs.append(.report(event))
    }
}

extension Host.Input {
    fileprivate init(_ trigger: Station.Trigger) {
        switch trigger {
        case .start: self = .request(.start)
        case .packet(let packet): self = .packet(packet)
        case .time: self = .time
        }
    }
}

extension EmulatedDevice.Input {
    fileprivate init(_ trigger: Station.Trigger) {
        switch trigger {
        case .start: self = .start
        case .packet(let packet): self = .packet(packet)
        case .time: self = .time
        }
    }
}

extension ConnectedClient.Input {
    fileprivate init(_ trigger: Station.Trigger) {
        switch trigger {
        case .start: self = .start
        case .packet(let packet): self = .packet(packet)
        case .time: self = .time
        }
    }
}
