import Conformance
import TestKit
import Testing

/// After Service Changed, earlier answers about the affected range make no rule fail, nor do omissions there.
struct TableChangeTests {
    private let stage = Stage()

    /// Generic Attribute with Service Changed at 0x0003, which the client configures, and another service from 0x0005
    /// on.
    private func begin(_ service: String) {
        stage.client("10 0100 ffff 0028")
        stage.server("11 06 0100 0400 0118 \(service)")
        stage.client("08 0100 0400 0328")
        stage.server("09 07 0200 20 0300 052a")
        stage.client("04 0400 0400")
        stage.server("05 01 0400 0229")
        stage.client("12 0400 0200")
        stage.server("13")
    }

    private func change(_ range: String) {
        stage.server("1d 0300 \(range)")
        stage.client("1e")
    }

    private func checked() -> CheckedCapture {
        stage.disconnect()
        return CheckedCapture(stage.recording, core: CoreRules.all)
    }

    /// The client had not read the descriptors of the value at 0x0007, where a service now begins.
    @Test func aCharacteristicThatHasMovedNeedsNoDescriptorWhereItWas() {
        begin("0500 ffff 0f18")
        stage.client("08 0500 ffff 0328")
        stage.server("09 07 0600 12 0700 192a")
        change("0500 ffff")
        stage.client("08 0700 ffff 0328")
        stage.server("09 07 0800 12 0900 192a")
        #expect(checked().broken == [])
    }

    /// The last service ends at 0xffff until another one is added behind it (Vol 3, Part G, 3.1).
    @Test func theLastServiceEndsWhereTheNextOneBegins() {
        begin("0500 ffff 0f18")
        change("2000 3000")
        stage.client("10 0100 ffff 0028")
        stage.server("11 06 0100 0400 0118 0500 1f00 0f18 2000 3000 0918")
        #expect(checked().broken == [])
    }

    /// A table may skip handles (Vol 3, Part F, 3.2.2): the client searches for the descriptor at one handle after the
    /// other.
    @Test(arguments: [(end: "0800", isBroken: false), (end: "0900", isBroken: true)])
    func aDescriptorMayFollowAfterAHandleThatIsLeftOut(_ end: String, _ isBroken: Bool) {
        begin("0500 0900 0f18")
        stage.client("08 0500 0900 0328")
        stage.server("09 07 0600 12 0700 192a")
        stage.client("04 0800 \(end)")
        stage.server("01 04 0800 0a")
        #expect(checked().broken == (isBroken ? ["CORE-GATT-14"] : []))
    }

    @Test func genericAccessMayMove() {
        begin("0500 0900 0018")
        change("0500 ffff")
        stage.client("10 0100 ffff 0028")
        stage.server("11 06 0100 0400 0118 0500 0600 0f18 0700 0b00 0018")
        #expect(checked().broken == [])
    }
}
