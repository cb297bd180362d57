import Bluetooth
package import Bytes
package import Emulation
package import PluginKit
package import Transports

/// The environment of a client test: the emulated device, the client's user, and time.
package protocol ClientBed: AnyObject {
    var now: Timestamp { get }
    /// Whether time is virtual and passes without waiting.
    var isVirtual: Bool { get }
    /// Replaces the device with one that has just been switched on. Packets are counted from here.
    func begin(_ device: EmulatedDevice) throws
    /// Performs an action on the device or by the client's user; throws `TestStop.notApplicable` where it is not
    /// possible.
    func perform(_ action: Scenario.Action) throws
    /// Advances time until an event occurs or `limit` is reached; empty at the limit.
    func events(until limit: Timestamp) throws -> [ClientBedEvent]
    /// Packets between the device's host and its controller since the start of the situation.
    var packets: [RecordedPacket] { get }
}

/// An event of the device, or of the plugin's client.
package struct ClientBedEvent: Sendable {
    package var source: Scenario.Event.Source
    package var event: EmulationEvent
    package var time: Timestamp
}

/// A device and the plugin's client on the virtual radio of this process, in virtual time.
package final class VirtualClientBed: ClientBed {
    private var world: VirtualWorld
    private var device = 0
    private let client: Int
    private var pending: [ClientBedEvent] = []
    package private(set) var packets: [RecordedPacket] = []
    private let isInterrupted: () -> Bool

    /// - Parameter start: start of the situation.
    package init(
        client: ConnectedClient, seed: UInt64, start: Timestamp, isInterrupted: @escaping () -> Bool = { false }
    ) {
        world = VirtualWorld(seed: seed, start: start)
        self.client = world.add(client, address: Self.address)
        self.isInterrupted = isInterrupted
    }

    /// Public address of the client's controller; no manufacturer assigns it.
    private static let address = Address(value: 0x0242_0000_0011)

    package var now: Timestamp { world.now }
    package var isVirtual: Bool { true }

    package func begin(_ device: EmulatedDevice) {
        packets = []
        self.device = world.add(device, address: device.address ?? VirtualBed.address)
    }

    package func perform(_ action: Scenario.Action) throws {
        switch action {
        case .client(let task): world.perform(.task(task), client: client)
        case .ask(let text): throw TestStop.notApplicable("nobody sees the client: \(text)")
        default:
            if let attenuation = action.attenuation {
                world.setAttenuation(attenuation, between: device, and: client)
            }
            if let input = EmulatedDevice.Input(action) { world.perform(input, device: device) }
        }
    }

    package func events(until limit: Timestamp) throws -> [ClientBedEvent] {
        while pending.isEmpty, let events = world.step(notAfter: limit) {
            if isInterrupted() { throw TestStop.interrupted }
            for event in events { take(event) }
        }
        defer { pending = [] }
        return pending
    }

    private func take(_ event: VirtualWorld.Event) {
        let isDevice = event.station == device
        switch event.kind {
        case .packet(let bytes, let isSent) where isDevice:
            packets.append(RecordedPacket(bytes: bytes, isSent: isSent, host: 0, time: event.time))
        case .reported(let reported):
            pending.append(ClientBedEvent(source: isDevice ? .device : .client, event: reported, time: event.time))
        case .packet, .host: break
        }
    }
}

/// A device on a controller behind a transport, in real time; its client is another program or a phone.
package final class TransportClientBed: ClientBed {
    private let link: SimulatedNodeLink
    private let hands: any UpperTester
    private let tasks: [StimulusDefinition]
    private var pending: [ClientBedEvent] = []

    /// Opens the transport. Throws `TransportError`.
    ///
    /// - Parameter tasks: tasks that the client's user can perform.
    package init(
        _ spec: TransportSpec, hands: any UpperTester, tasks: [StimulusDefinition],
        isInterrupted: @escaping () -> Bool
    ) throws {
        link = try SimulatedNodeLink(spec, keyboard: hands.keyboard, isInterrupted: isInterrupted)
        link.press = { hands.press($0) }
        self.hands = hands
        self.tasks = tasks
    }

    package var now: Timestamp { link.now }
    package var isVirtual: Bool { false }
    package var packets: [RecordedPacket] { link.packets }
    package func close() { link.close() }

    package func begin(_ device: EmulatedDevice) throws {
        pending = []
        try link.attach(.device(device))
    }

    package func perform(_ action: Scenario.Action) throws {
        switch action {
        case .client(let task):
            guard let definition = tasks.first(where: { $0.name == task.name }) else { return }
            let amount = task.amount.flatMap { definition.amount?.text($0) }.map { " \($0)" } ?? ""
            try perform(HandAction(task, text: "With the client: \(task.name)\(amount): \(definition.title)"))
        case .ask(let text): try perform(HandAction(asking: text))
        case .attenuate, .moveApart:
            throw TestStop.notApplicable("only the virtual radio has attenuation and distance")
        default: if let input = EmulatedDevice.Input(action) { link.handle { $0.handle(input, at: $1) } }
        }
    }

    private func perform(_ action: HandAction) throws {
        try hands.perform(action, now: { link.now }, wait: { limit in pending += try wait(until: limit) })
    }

    package func events(until limit: Timestamp) throws -> [ClientBedEvent] {
        defer { pending = [] }
        return pending.isEmpty ? try wait(until: limit) : pending
    }

    private func wait(until limit: Timestamp) throws -> [ClientBedEvent] {
        try link.outputs(until: limit).compactMap { output in
            guard case .event(let event, _) = output else { return nil }
            return ClientBedEvent(source: .device, event: event, time: link.now)
        }
    }
}
