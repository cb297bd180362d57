import Bluetooth
import Bytes
import Emulation
import PluginKit
import Profile
import Radio
import Testing

@testable import BatteryTrace

/// `battery monitor` with phones that demand pairing before they show their level.
@Suite struct MonitorPairingTests {
    private struct Outcome {
        var phone: [TwinNote] = []
        var monitor: [TwinNote] = []

        var hasLevel: Bool { monitor.contains { $0.name == "level" } }
        var failures: [TwinNote] { monitor.filter { $0.name == "pairing_failed" } }
    }

    /// The notes of a minute.
    private func outcome(_ quirk: String, _ pairing: ClientPairing?) throws -> Outcome {
        let profile = try BatteryTrace.compiledProfile()
        let settings = TwinSettings(quirks: QuirkSelection(.fixed, except: [quirk]))
        var world = VirtualWorld(seed: 1)
        let phone = world.add(
            try EmulatedDevice(profile, twin: PhoneTwin(settings)), address: Address(value: 0x0242_0000_0001))
        let monitor = try BatteryMonitor(EstimateSettings(capacity: 3274), labels: .init(), interval: 60)
        let client = world.add(
            ConnectedClient(profile, client: monitor, pairing: pairing), address: Address(value: 0x0242_0000_0009))
        world.perform(.task(Stimulus(BatteryMonitor.task)), client: client)
        var outcome = Outcome()
        for event in world.advance(to: Timestamp(seconds: 60, nanoseconds: 0)) {
            guard case .reported(.note(let note)) = event.kind else { continue }
            if event.station == phone { outcome.phone.append(note) } else { outcome.monitor.append(note) }
        }
        return outcome
    }

    @Test func aPhoneThatDemandsPairingIsFollowed() throws {
        let followed = try outcome("encrypted_level", ClientPairing())
        #expect(followed.hasLevel && followed.failures.isEmpty)
        #expect(followed.phone.contains { $0.name == "secured" })
        let refused = try outcome("encrypted_level", nil)
        #expect(!refused.hasLevel && refused.monitor.contains { $0.name == "monitor_failed" })
        #expect(!refused.phone.contains { $0.name == "secured" })
    }

    /// The phone makes up its passkey: with the same seed it is the same in a second run.
    @Test func aPasskeyThatThePhoneShowsIsTyped() throws {
        let wrong = try outcome("passkey_level", ClientPairing(passkey: 0))
        #expect(!wrong.hasLevel && !wrong.failures.isEmpty)
        let passkey = try #require(wrong.phone.compactMap(\.passkey).first)
        let right = try outcome("passkey_level", ClientPairing(passkey: passkey))
        #expect(right.hasLevel && right.failures.isEmpty)
        // The monitor's events do not contain the passkey.
        let digits = String(passkey)
        #expect(right.monitor.allSatisfy { !"\($0)".contains(digits) })
    }

    @Test func aPhoneThatDemandsAPasskeyIsReported() throws {
        let outcome = try outcome("passkey_level", ClientPairing())
        #expect(!outcome.hasLevel)
        let failure = try #require(outcome.failures.first)
        #expect(MonitorLine(failure).map { $0.text(.utc) }?.hasSuffix("needs it in --passkey") == true)
        // Attempts become rarer.
        #expect(outcome.failures.count <= 6)
    }
}
