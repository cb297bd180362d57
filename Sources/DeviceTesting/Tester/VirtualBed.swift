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
    /// Indices of the hosts, by station number in the world.
    private var indices: [Int: Int] = [:]
    private var reports: [HostReport] = []
    package private(set) var packets: [RecordedPacket] = []
    /// The passkey shown by the device.
    private var passkey: UInt32?
    /// The scenario that acts on the device. Its expectations are not checked, and its client is absent.
    private var scenario: ScenarioPlayer?
    private let isInterrupted: () -> Bool

    /// Public addresses of the tester's controllers; no manufacturer assigns them.
    private static let addresses = [Address(value: 0x0242_0000_0011), Address(value: 0x0242_0000_0012)]

    /// A bed that starts at a time, at which the device is switched on.
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

    /// A bed with a plugin's twin, which uses its own address if it has one.
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

    /// Start of virtual time: 2026-03-02T07:00:00Z, a Monday morning.
    package static let morning = Timestamp(seconds: 1_772_434_800, nanoseconds: 0)
    /// Public address of a twin without its own.
    static let address = Address(value: 0x0242_0000_0001)

    package var now: Timestamp { world.now }
    package var hostCount: Int { hosts.count }
    package var isVirtual: Bool { true }

    package func host(_ index: Int) -> Host { world.host(hosts[index]) ?? .lowerTester(seed: 1) }

    package func perform(_ request: Host.Request, host index: Int) { world.perform(request, host: hosts[index]) }

    package func begin() { perform(scenario?.begin(at: now)) }

    /// Answers with the passkey that the twin shows. A twin cannot type, and accepts every number.
    package func answer(_ prompt: Pairing.Prompt, within limit: Duration) -> Pairing.Answer? {
        switch prompt {
        case .enterPasskey: passkey.map { .passkey($0) }
        case .compare: .same
        case .display: nil
        }
    }

    /// Deletes the device's bonds.
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

    /// Performs the scenario's actions on the device.
    private func perform(_ actions: [Scenario.Action]?) {
        for action in actions ?? [] {
            if let input = EmulatedDevice.Input(action) { world.perform(input, device: device) }
            guard let attenuation = action.attenuation else { continue }
            for host in hosts { world.setAttenuation(attenuation, between: device, and: host) }
        }
    }

    private func take(_ event: VirtualWorld.Event) {
        if event.station == device, case .reported(let reported) = event.kind {
            if case .note(let note) = reported { passkey = note.passkey ?? passkey }
            perform(scenario?.take(reported, from: .device, at: event.time))
        }
        guard let host = indices[event.station] else { return }
        switch event.kind {
        case .packet(let bytes, let isSent):
            packets.append(RecordedPacket(bytes: bytes, isSent: isSent, host: host, time: event.time))
        case .host(let report): reports.append(HostReport(host: host, event: report))
        case .reported: break
        }
    }
}

extension Host {
    /// A passive host: the case decides when MTUs are exchanged, and with which values.
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
