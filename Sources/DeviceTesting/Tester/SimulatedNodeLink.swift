package import Bytes
package import Emulation
package import Host
package import Transports

/// Connects a device, a client or a host to a controller behind a transport, in real time.
package final class SimulatedNodeLink {
    private var loop = TransportLoop()
    private var station: SimulatedNode?
    private var hasController = false
    private var outputs: [StationOutput] = []
    package private(set) var packets: [RecordedPacket] = []
    /// Receives the keys of the terminal.
    package var press: (UInt8) -> Void = { _ in }
    /// Why the transport is closed; nil while it is open.
    private var closing: String?
    private let isInterrupted: () -> Bool

    /// Opens the transport. Throws `TransportError`.
    package init(_ spec: TransportSpec, keyboard: Keyboard?, isInterrupted: @escaping () -> Bool) throws {
        self.isInterrupted = isInterrupted
        loop.add(try TransportOpener().open(spec))
        if let keyboard { loop.add(keyboard) }
    }

    package var now: Timestamp { loop.now }
    /// The transport's name; a server's includes the bound port.
    package var name: String { loop.transports[0].name }

    /// The attached host; nil for a device or a client.
    package var host: Host? { if case .host(let driven)? = station { driven.host } else { nil } }

    /// Discards the packets and outputs so far.
    package func begin() throws {
        packets = []
        outputs = []
        try checkLink()
    }

    /// Attaches a device, a client or a host to the controller, replacing the previous one.
    package func attach(_ station: SimulatedNode) throws {
        try begin()
        self.station = station
        if hasController { handle { $0.handle(SimulatedNode.Trigger.start, at: $1) } }
    }

    /// Passes an input to the station. Its results are among the next outputs.
    package func handle(_ body: (inout SimulatedNode, Timestamp) -> [StationOutput]) {
        guard var station else { return }
        self.station = nil
        let made = body(&station, loop.now)
        self.station = station
        for output in made {
            guard case .send(let packet) = output else {
                outputs.append(output)
                continue
            }
            packets.append(RecordedPacket(bytes: packet, isSent: true, host: 0, time: now))
            for event in loop.transports[0].send(packet, at: loop.now) { take(event, of: 0) }
        }
    }

    /// Waits until the station reports an output or `limit` is reached; empty at the limit.
    package func outputs(until limit: Timestamp) throws -> [StationOutput] {
        while outputs.isEmpty {
            if isInterrupted() { throw TestStop.interrupted }
            try checkLink()
            if let deadline = station?.deadline, deadline <= loop.now {
                handle { $0.handle(SimulatedNode.Trigger.time, at: $1) }
            }
            if !outputs.isEmpty || loop.now >= limit { break }
            let due = [station?.deadline, limit].compactMap(\.self).min()
            for (link, event) in loop.wait(until: due) { take(event, of: link) }
        }
        defer { outputs = [] }
        return outputs
    }

    /// Resets the controller and closes the transport.
    package func close() {
        if hasController { _ = loop.transports[0].send([0x01, 0x03, 0x0C, 0x00], at: loop.now) }
        loop.close()
    }

    private func checkLink() throws {
        if let closing { throw TransportError(name, closing, advice: "check the log of the controller") }
    }

    private func take(_ event: TransportEvent, of link: Int) {
        if link > 0 {
            if case .packet(let key, _) = event { press(key[0]) }
            return
        }
        switch event {
        case .connected:
            hasController = true
            handle { $0.handle(SimulatedNode.Trigger.start, at: $1) }
        case .packet(let packet, _):
            packets.append(RecordedPacket(bytes: packet, isSent: false, host: 0, time: now))
            handle { $0.handle(SimulatedNode.Trigger.packet(packet), at: $1) }
        case .note: break
        case .disconnected(let text), .closed(let text): closing = text
        }
    }
}
