package import Bytes
package import Host

/// A device, a client or a host on a controller.
package enum SimulatedNode: Sendable {
    case device(EmulatedDevice)
    case client(ConnectedClient)
    case host(DrivenHost)
    /// In use: the value is moved out while it handles an input, to avoid a copy.
    case inUse

    /// An input that every station handles.
    package enum Trigger: Sendable {
        /// A controller is available.
        case start
        /// A packet from the controller, its packet indicator first.
        case packet([UInt8])
        case time
    }

    /// Nil for a device or a host.
    package var client: ConnectedClient? { if case .client(let client) = self { client } else { nil } }

    package var deadline: Timestamp? {
        switch self {
        case .device(let device): device.deadline
        case .client(let client): client.deadline
        case .host(let host): host.deadline
        case .inUse: nil
        }
    }

    /// Whether the station waits for no external input, so that virtual time may advance.
    package var isSettled: Bool { if case .device(let device) = self { device.isSettled } else { false } }

    /// Whether the station is a client that has finished its tasks.
    package var isIdle: Bool { if case .client(let client) = self { client.isIdle } else { false } }

    package mutating func handle(_ trigger: Trigger, at now: Timestamp) -> [StationOutput] {
        switch self {
        case .device: handle(EmulatedDevice.Input(trigger), at: now)
        case .client: handle(ConnectedClient.Input(trigger), at: now)
        case .host: handle(Host.Input(trigger), at: now)
        case .inUse: []
        }
    }

    /// Passes an input to a device; does nothing for other stations.
    package mutating func handle(_ input: EmulatedDevice.Input, at now: Timestamp) -> [StationOutput] {
        guard case .device(var device) = self else { return [] }
        self = .inUse
        defer { self = .device(device) }
        return device.handle(input, at: now)
    }

    /// Passes an input to a client; does nothing for other stations.
    package mutating func handle(_ input: ConnectedClient.Input, at now: Timestamp) -> [StationOutput] {
        guard case .client(var client) = self else { return [] }
        self = .inUse
        defer { self = .client(client) }
        return client.handle(input, at: now)
    }

    /// Passes an input to a driven host; does nothing for other stations.
    package mutating func handle(_ input: Host.Input, at now: Timestamp) -> [StationOutput] {
        guard case .host(var host) = self else { return [] }
        self = .inUse
        defer { self = .host(host) }
        return host.handle(input, at: now)
    }
}

/// A host driven by the caller, which receives its events.
package struct DrivenHost: Sendable, HostDriver {
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
    fileprivate init(_ trigger: SimulatedNode.Trigger) {
        switch trigger {
        case .start: self = .request(.start)
        case .packet(let packet): self = .packet(packet)
        case .time: self = .time
        }
    }
}

extension EmulatedDevice.Input {
    fileprivate init(_ trigger: SimulatedNode.Trigger) {
        switch trigger {
        case .start: self = .start
        case .packet(let packet): self = .packet(packet)
        case .time: self = .time
        }
    }
}

extension ConnectedClient.Input {
    fileprivate init(_ trigger: SimulatedNode.Trigger) {
        switch trigger {
        case .start: self = .start
        case .packet(let packet): self = .packet(packet)
        case .time: self = .time
        }
    }
}
