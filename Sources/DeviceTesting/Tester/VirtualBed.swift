package import Bluetooth
package import Bytes
package import Emulation
package import Host
package import PluginKit

/// A twin and the lower tester's hosts on the virtual radio of this process, in virtual time.
package final class VirtualBed: TestBed {
    private var world: VirtualWorld
    private let device: Int
    private var hosts: [Int] = []
    /// Stations of the hosts, by their numbers in the world.
    private var indices: [Int: Int] = [:]
    private var reports: [HostReport] = []
    package private(set) var packets: [RecordedPacket] = []
    /// The passkey that the device shows.
    private var passkey: UInt32?
    /// What happens to the device meanwhile. What a scenario expects is not judged, and its client is not there.
    private var scenario: ScenarioPlayer?
    private let isInterrupted: () -> Bool

    /// Public addresses of the tester's controllers; no manufacturer gives them.
    private static let addresses = [Address(value: 0x0242_0000_0011), Address(value: 0x0242_0000_0012)]

    /// A bed that begins at a time, with a device that has its power from then on.
    package init(
        _ device: EmulatedDevice, address: Address, start: Timestamp, seed: UInt64,
        pairing: PairingSettings = PairingSettings(),
        isInterrupted: @escaping () -> Bool = { false }
    ) {
        world = VirtualWorld(seed: seed, start: start)
        self.device = world.add(device, address: address)
        self.isInterrupted = isInterrupted
        for (index, address) in Self.addresses.enumerated() {
            let station = world.add(
                .lowerTester(seed: seed &+ UInt64(index) &+ 1, pairing: pairing), address: address)
            hosts.append(station)
            indices[station] = index
        }
    }

    /// A bed with a plugin's twin, with its own address where it has one.
    package convenience init(
        _ plugin: DevicePlugin, dialect: String?, quirks: QuirkSelection = QuirkSelection(), seed: UInt64 = 1,
        start: Timestamp = morning, scenario: Scenario? = nil, pairing: PairingSettings = PairingSettings(),
        isInterrupted: @escaping () -> Bool
    ) throws {
        let dialect = try plugin.dialect(dialect)
        var settings = EmulatedDevice.Settings()
        settings.dialect = dialect
        settings.seed = seed
        let twin = try plugin.makeTwin(TwinSettings(dialect: dialect, seed: seed, quirks: quirks))
        let device = try EmulatedDevice(plugin.profile, twin: twin, settings)
        self.init(
            device, address: device.address ?? Self.address, start: start, seed: seed, pairing: pairing,
            isInterrupted: isInterrupted)
        self.scenario = scenario.map { ScenarioPlayer($0, plugin.profile) }
    }

    /// Where virtual time begins: 2026-03-02T07:00:00Z, a Monday morning.
    package static let morning = Timestamp(seconds: 1_772_434_800, nanoseconds: 0)
    /// Public address of a twin that has none of its own.
    static let address = Address(value: 0x0242_0000_0001)

    package var now: Timestamp { world.now }
    package var hostCount: Int { hosts.count }
    package var isVirtual: Bool { true }

    package func host(_ index: Int) -> Host { world.host(hosts[index]) ?? .lowerTester(seed: 1) }

    package func perform(_ request: Host.Request, host index: Int) { world.perform(request, host: hosts[index]) }

    package func begin() { perform(scenario?.begin(at: now)) }

    /// Types the passkey that the twin shows. A twin does not type, and agrees to every number.
    package func answer(_ prompt: Pairing.Prompt, within limit: Duration) -> Pairing.Answer? {
        switch prompt {
        case .enterPasskey: passkey.map { .passkey($0) }
        case .compare: .same
        case .display: nil
        }
    }

    /// Lets the device lose its bonds.
    package func forgetBonds() { world.perform(.forgetBonds, device: device) }

    package func perform(_ action: HandAction) { world.perform(.stimulus(action.stimulus), device: device) }

    package func events(until limit: Timestamp) throws -> [HostReport] {
        while reports.isEmpty {
            let due = min(scenario?.deadline ?? limit, limit)
            if let events = world.step(notAfter: due) {
                if isInterrupted() { throw TestStop.interrupted }
                for event in events { take(event) }
            } else if due == scenario?.deadline {
                perform(scenario?.expire(at: now))
            } else {
                break
            }
        }
        defer { reports = [] }
        return reports
    }

    /// Does what the scenario says to the device.
    private func perform(_ actions: [Scenario.Action]?) {
        for input in (actions ?? []).compactMap(EmulatedDevice.Input.init) { world.perform(input, device: device) }
    }

    private func take(_ event: VirtualWorld.Event) {
        if event.station == device, case .told(let told) = event.kind {
            if case .note(let note) = told { passkey = note.passkey ?? passkey }
            perform(scenario?.take(told, from: .device, at: event.time))
        }
        guard let host = indices[event.station] else { return }
        switch event.kind {
        case .packet(let bytes, let isSent):
            packets.append(RecordedPacket(bytes: bytes, isSent: isSent, host: host, time: event.time))
        case .host(let report): reports.append(HostReport(host: host, event: report))
        case .told: break
        }
    }
}

extension Host {
    /// A host that does nothing by itself: a case decides when MTUs are exchanged, and with what.
    package static func lowerTester(seed: UInt64, pairing: PairingSettings = PairingSettings()) -> Host {
        var configuration = Configuration()
        configuration.clientMTU = nil
        configuration.confirmationDelay = .milliseconds(100)
        configuration.addressing = .public
        configuration.serverLimits.mtu = 517
        configuration.pairing = pairing
        return Host(configuration, random: .seeded(seed))
    }
}
