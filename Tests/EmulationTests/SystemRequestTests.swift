import Bluetooth
import Bytes
import Emulation
import PluginKit
import Radio
import Testing

/// Connection requests that a client leaves with the phone's system.
@Suite struct SystemRequestTests {
    private static let device = Address(value: 0x0242_0000_0001)
    private static let phone = Address(value: 0x0242_0000_0009)

    /// A client that leaves a connection request with the system, and cancels it.
    private struct Requester: DeviceClient {
        let search: SystemSearch
        var deadline: Timestamp? { nil }

        mutating func handle(_ input: ClientInput, at now: Timestamp) -> [ClientAction] {
            switch input {
            case .task(let task): [task.name == "cancel" ? .disconnect : .requestConnection(search)]
            default: []
            }
        }
    }

    private static let search = SystemSearch(
        period: .seconds(10), window: .milliseconds(1100), looks: 3, delay: .seconds(4))

    private static func time(_ seconds: Int64) -> Timestamp { Timestamp(seconds: seconds, nanoseconds: 0) }

    /// A world with the client, which is station 0.
    private func world() -> VirtualWorld {
        var world = VirtualWorld(seed: 1, pace: .air, path: Path())
        _ = world.add(
            ConnectedClient(Kettle.profile, client: Requester(search: Self.search)), address: Self.phone)
        world.perform(.task(Stimulus("request")), client: 0)
        return world
    }

    /// When the client's host switched its scanning on and off.
    private func switches(_ events: [VirtualWorld.Event]) -> [(time: Timestamp, isOn: Bool)] {
        events.compactMap { event in
            // LE Set Scan Enable or LE Set Extended Scan Enable: indicator, opcode, length, Enable.
            guard event.station == 0, case .packet(let bytes, isSent: true) = event.kind, bytes.count > 4,
                bytes.starts(with: [0x01, 0x0C, 0x20]) || bytes.starts(with: [0x01, 0x42, 0x20])
            else { return nil }
            return (event.time, bytes[4] == 1)
        }
    }

    private func connections(_ events: [VirtualWorld.Event]) -> [Timestamp] {
        events.compactMap { event in
            guard event.station == 0, case .reported(.note(let note)) = event.kind, note.name == "connected" else {
                return nil
            }
            return event.time
        }
    }

    /// The host scans for 1.1 s of each 10 s, as long as the request lasts.
    @Test func theSystemDoesNotScanAllTheTime() throws {
        var world = world()
        let events = world.advance(to: Self.time(103))
        let switches = switches(events)
        let on = switches.filter(\.isOn).map(\.time)
        let off = switches.filter { !$0.isOn }.map(\.time)
        #expect(on.count == 10)
        #expect(off.count == 10)
        let scanning = zip(on, off).reduce(Duration.zero) { $0 + ($1.1 - $1.0) }
        #expect(scanning >= .seconds(10) && scanning < .seconds(12), "\(scanning)")
        world.perform(.task(Stimulus("cancel")), client: 0)
        let later = world.advance(to: Self.time(150))
        #expect(self.switches(later).isEmpty)
        #expect(connections(events + later).isEmpty)
    }

    /// The looks begin at 4, 14 and 24 s.
    @Test func aDeviceIsNoticedInSeveralLooks() throws {
        var world = world()
        _ = world.add(try EmulatedDevice(Kettle.profile, twin: Kettle.twin()), address: Self.device)
        let times = connections(world.advance(to: Self.time(60)))
        #expect(times.count == 1)
        let first = try #require(times.first)
        #expect(first >= Self.time(24) && first < Self.time(27), "\(first)")
    }
}
