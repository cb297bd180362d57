import Bluetooth
import Captures
import Conformance
import PDUTestKit
import PluginKit
import TestKit
import Testing

/// The device that a finding is listed under, and notifications of attributes that are not characteristic values.
struct FindingSideTests {
    /// Only the values of characteristics are notified and indicated (Vol 3, Part G, 4.10 and 4.11).
    @Test(arguments: [
        ("1b 0d00 01", ["CORE-GATT-01", "CORE-GATT-03"]), ("1b 0b00 01", ["CORE-GATT-01", "CORE-GATT-03"]),
        ("1b 0a00 01", ["CORE-GATT-01", "CORE-GATT-03"]), ("1d 1500 01", ["CORE-GATT-02", "CORE-GATT-04"]),
    ])
    func aDescriptorIsNeverNotified(_ pdu: String, _ rules: [String]) {
        let stage = Stage()
        stage.link.discover(Shop.layout)
        stage.breaks { stage.server(pdu) }
        if pdu.hasPrefix("1d") { stage.client("1e") }
        stage.disconnect()
        let checked = CheckedCapture(stage.recording, core: CoreRules.all)
        #expect(checked.broken == Set(rules))
        for rule in rules { #expect(checked.frames(rule) == [stage.breach]) }
    }

    /// Some servers have a second attribute of the value's type behind it.
    @Test func anAttributeOfTheTypeOfTheValueBeforeItIsADescriptor() {
        let stage = Stage()
        stage.link.discover(
            ServerLayout(.service(0xFFF0, .characteristic(0xFFF3, [.write, .notify], descriptors: 0xFFF3))))
        stage.breaks { stage.server("1b 0400 64") }
        stage.disconnect()
        let checked = CheckedCapture(stage.recording, core: CoreRules.all)
        #expect(checked.broken == ["CORE-GATT-01", "CORE-GATT-03"])
        #expect(checked.findings("CORE-GATT-03").map(\.observed) == ["0xfff3 / descriptor 0x0004"])
    }

    /// A value that is too long is listed under its sender.
    @Test func aLongWriteIsItsSenders() {
        let stage = Stage()
        stage.client("16 0a00 f801 " + String(repeating: "aa", count: 18))
        stage.server("17 0a00 f801 " + String(repeating: "aa", count: 18))
        stage.client("0c 0a00 ffff")
        stage.server("0d")
        stage.disconnect()
        let report = CheckedCapture(stage.recording, core: CoreRules.all).report
        #expect(
            report.findings(of: "CORE-ATT-25") == [
                "\(Stage.puck.address): an empty part at offset 65535", "hci0: 18 bytes at offset 504",
            ])
    }

    /// The central has a server too, whether its address is known or not.
    @Test(arguments: [true, false])
    func anIndicationOfTheCentralIsListedUnderIt(_ isAddressKnown: Bool) {
        let stage = Stage(isOnAir: true)
        let link = isAddressKnown ? stage.connect() : stage.air.resume(accessAddress: 0x50C2_1A97)
        link.carry(hex("08 0100 ffff 0328"), on: .att, .received)
        link.carry(hex("09 07 0900 20 0a00 052a"), on: .att, .sent)
        link.carry(hex("04 0b00 0b00"), on: .att, .received)
        link.carry(hex("05 01 0b00 0229"), on: .att, .sent)
        link.carry(hex("12 0b00 0000"), on: .att, .received)
        link.carry(hex("13"), on: .att, .sent)
        link.carry(hex("1d 0a00 0100 ffff"), on: .att, .sent)
        link.carry(hex("1e"), on: .att, .received)
        link.disconnect()
        let report = CheckedCapture(stage.recording, core: CoreRules.all).report
        let phone = isAddressKnown ? "\(Stage.phone.address)" : "central"
        #expect(report.findings(of: "CORE-GATT-02") == ["\(phone): 0x0000 was written there"])
    }

    /// The Bluetooth SIG assigns 0x0020 to 0x003e outside the Core specification (Vol 3, Part A, 2.1).
    @Test(arguments: [0x0020, 0x003A, 0x003E] as [UInt16])
    func anAssignedFixedChannelIsNoFinding(_ channel: UInt16) {
        let stage = Stage()
        stage.link.carry(hex("aabb"), on: L2CAP.ChannelID(channel), .received)
        stage.disconnect()
        let report = CheckedCapture(stage.recording, core: CoreRules.all).report
        #expect(report.results.allSatisfy { $0.tally.failures == 0 })
    }

    @Test func aHandleThatDoesNotExistIsAWarning() {
        let stage = Stage()
        stage.client("0a 3000")
        stage.server("01 0a 3000 01")
        stage.disconnect()
        let checked = CheckedCapture(stage.recording, core: CoreRules.all)
        #expect(checked.verdicts("CORE-GATT-11") == [.warning])
    }
}

extension CheckReport {
    /// The findings of a rule: the device of each, and the observation.
    fileprivate func findings(of rule: String) -> [String] {
        results.filter { rules[$0.rule].id == rule }.flatMap { result in
            result.tally.findings.map { "\(result.device.map { devices[$0].title } ?? "none"): \($0.observed)" }
        }
    }
}
