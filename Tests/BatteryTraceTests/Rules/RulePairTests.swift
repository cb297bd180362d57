import BatteryTrace
import Bluetooth
import Captures
import PDUTestKit
import PluginKit
import TestKit
import Testing

/// Every rule that traffic can decide, against a session that conforms and one that breaks it.
struct RulePairTests {
    static let batteryTrace: [DevicePlugin] = {
        guard let profile = try? ProfileUnderTest(plugin: "BatteryTrace").compiled else { return [] }
        return [DevicePlugin(profile, behaviour: BatteryTrace.behaviour)]
    }()

    @Test(arguments: RulePair.battery)
    func aSessionThatObeysTheRulePassesIt(_ pair: RulePair) {
        #expect(pair.faultOfObedience(Self.batteryTrace) == nil)
    }

    @Test(arguments: RulePair.battery)
    func aSessionThatBreaksTheRuleFailsItAlone(_ pair: RulePair) {
        #expect(pair.faultOfOffence(Self.batteryTrace) == nil)
    }

    @Test(arguments: RulePair.battery)
    func aPartOfASessionThatObeysBreaksNoRule(_ pair: RulePair) {
        for imperfection in Imperfection.some { #expect(pair.accusations(for: imperfection, Self.batteryTrace) == nil) }
    }

    @Test(arguments: RulePair.battery)
    func noTimeTraps(_ pair: RulePair) {
        #expect(pair.framesLostAtExtremeTimes(Self.batteryTrace) == 0)
    }

    @Test func everyRuleHasAPair() throws {
        let judged = try ProfileUnderTest(plugin: "BatteryTrace").profile.judgedRules
        #expect(judged == Set(RulePair.battery.map(\.rule)))
    }
}

extension RulePair {
    static let battery: [RulePair] = [
        levels("BT-001") { [83, $0 ? 101 : 84] },
        levels("BT-002") { [83, $0 ? 83 : 84] },
        levels("BT-003") { [83, $0 ? 77 : 78] },
        levels("BT-004", configuration: nil) { _ in [83] },
        levels("BT-004", configuration: [0, 0]) { _ in [83] },
        levels("BT-004", configuration: [2, 0]) { _ in [83] },
    ]

    /// Levels notified one second apart; the last one breaks the rule. Alternatively, `configuration` breaks it, with a
    /// CCCD value other than a subscription, or nil for no write.
    private static func levels(
        _ rule: String, configuration: [UInt8]? = [1, 0], _ levels: @escaping @Sendable (Bool) -> [UInt8]
    ) -> RulePair {
        RulePair(rule) { isBroken in
            let layout = ServerLayout(
                .service(0x180F, .characteristic(0x2A19, [.read, .notify], descriptors: 0x2902)))
            let session = HCISession()
            let phone = session.connect(to: DeviceAddress(Address(value: 0xC0_FFEE_000001), .random))
            phone.discover(layout)
            if let value = isBroken ? configuration : [1, 0] { phone.write(layout[0x2A19, 0x2902], value) }
            for level in levels(isBroken) {
                session.recording.wait(milliseconds: 1000)
                phone.notify(layout[0x2A19], [level])
            }
            let fault = session.recording.packets.count
            phone.disconnect()
            return (session.recording, fault)
        }
    }
}
