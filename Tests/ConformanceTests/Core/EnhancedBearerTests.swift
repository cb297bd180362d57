import Bluetooth
import Captures
import Conformance
import PDUTestKit
import PluginKit
import TestKit
import Testing

/// Procedures limited to one at a time apply to each bearer; all other state belongs to the connection (Vol 3, Part F,
/// 3.3.2 and 3.3.3; Vol 3, Part G, 5.3).
struct EnhancedBearerTests {
    private let stage = Stage()

    private func checked() -> CheckedCapture {
        stage.disconnect()
        return CheckedCapture(stage.recording, core: CoreRules.all)
    }

    private func client(_ pdu: String, _ bearer: Int) { stage.link.carry(hex(pdu), onBearer: bearer, .sent) }
    private func server(_ pdu: String, _ bearer: Int) { stage.link.carry(hex(pdu), onBearer: bearer, .received) }

    @Test func bearersHaveTransactionsOfTheirOwn() {
        stage.link.discover(Shop.layout)
        stage.link.openBearers(2)
        client("12 1500 0200", 0)
        server("13", 0)
        client("0a 0300", 0)
        client("0a 0500", 1)
        stage.client("0a 0c00")
        server("0b 0000", 1)
        server("0b 4142", 0)
        stage.server("0b 64")
        server("1d 1400 01", 0)
        server("1d 1400 02", 1)
        client("1e", 1)
        client("1e", 0)
        let checked = checked()
        #expect(checked.broken == [])
        for rule in 1...6 {
            #expect(checked.verdicts("CORE-ATT-0\(rule)") == [.pass], "CORE-ATT-0\(rule)")
        }
        #expect(checked.verdicts("CORE-GATT-02") == [.pass])
        #expect(checked.verdicts("CORE-L2CAP-12") == [.pass])
    }

    @Test func aBearerHasOneRequestAtATime() {
        stage.link.openBearers(2)
        client("0a 0300", 0)
        client("0a 0500", 1)
        stage.breaks { client("0a 0500", 0) }
        let checked = checked()
        #expect(checked.frames("CORE-ATT-01") == [stage.breach])
        #expect(checked.broken == ["CORE-ATT-01"])
    }

    @Test func aResponseOnAnotherBearerAnswersNothing() {
        stage.link.openBearers(2)
        client("0a 0300", 0)
        stage.breaks { server("0b 4142", 1) }
        #expect(checked().frames("CORE-ATT-02") == [stage.breach])
    }

    @Test func indicationsOnOneBearerWaitForConfirmations() {
        stage.link.openBearers(2)
        server("1d 1400 01", 0)
        server("1d 1400 02", 1)
        stage.breaks { server("1d 1400 03", 0) }
        #expect(checked().frames("CORE-ATT-03") == [stage.breach])
    }

    /// A timed-out bearer must not be used again; the other bearers may.
    @Test func aTimeOutIsOneBearers() {
        stage.link.openBearers(2)
        client("0a 0300", 0)
        let request = stage.recording.packets.count
        stage.wait(seconds: 31)
        client("52 1200 01", 1)
        stage.client("52 1200 01")
        stage.breaks { client("52 1200 01", 0) }
        let checked = checked()
        #expect(checked.frames("CORE-ATT-07") == [stage.breach])
        #expect(checked.frames("CORE-ATT-05") == [request])
        #expect(checked.broken == ["CORE-ATT-07"])
    }

    /// The client disconnects the channel before or after the transaction times out; the connection continues.
    @Test(arguments: [5, 31] as [Int64])
    func aClosedBearerWaitsForNothing(seconds: Int64) {
        stage.link.openBearers(1)
        client("0a 0300", 0)
        let request = stage.recording.packets.count
        stage.wait(seconds: seconds)
        stage.link.closeBearer(0)
        stage.wait(seconds: 60)
        stage.link.openBearers(1)
        client("0a 0300", 0)
        server("0b 4142", 0)
        let checked = checked()
        #expect(checked.frames("CORE-ATT-05") == (seconds > 30 ? [request] : []))
        #expect(checked.broken == [])
        #expect(checked.verdicts("CORE-ATT-01") == [.pass])
    }

    /// The fixed channel keeps the default MTU.
    @Test func eachBearerHasItsOwnMTU() {
        stage.link.openBearers(2, mtu: 100, serverMTU: 80)
        func notify(_ count: Int, _ bearer: Int) -> Int {
            let value = [UInt8](repeating: 1, count: count)
            stage.link.respond(ATT.HandleValueNotification(handle: 0x000C, value: value), onBearer: bearer)
            return stage.recording.packets.count
        }
        _ = notify(77, 0)
        stage.link.reconfigureBearer(0, mtu: 90, of: .received)
        _ = notify(87, 0)
        let breach = notify(78, 1)
        stage.link.notify(0x000C, [UInt8](repeating: 1, count: 21))
        let checked = checked()
        #expect(checked.frames("CORE-ATT-12") == [breach, breach + 1])
        #expect(
            checked.findings("CORE-ATT-12").map(\.expected) == [
                "80 bytes at most", "23 bytes at most, as no MTU was agreed",
            ])
    }

    /// Writes on two bearers await their responses; only one of them is refused.
    @Test func aRefusedConfigurationIsThatOfItsBearer() {
        stage.link.discover(Shop.layout)
        stage.link.openBearers(2)
        client("12 0d00 0100", 0)
        client("12 1500 0100", 1)
        server("01 12 1500 05", 1)
        server("13", 0)
        server("1b 0c00 64", 1)
        stage.breaks { server("1b 1400 01", 0) }
        let checked = checked()
        #expect(checked.frames("CORE-GATT-01") == [stage.breach])
    }

    /// The client confirms another indication first, so it may not know of the change yet.
    @Test func serviceChangedIsConfirmedOnItsBearer() {
        stage.link.discover(Shop.layout)
        stage.link.openBearers(2)
        server("1d 0800 0a00 0d00", 0)
        server("1d 1400 01", 1)
        client("1e", 1)
        stage.client("0a 0c00")
        stage.server("0b 64")
        client("1e", 0)
        stage.breaks { stage.client("0a 0c00") }
        #expect(checked().frames("CORE-GATT-18") == [stage.breach])
    }

    /// Parts of one queue may be sent on two bearers, and their responses may cross.
    @Test func preparedWritesAreEchoedOnTheirBearers() {
        stage.link.openBearers(2)
        client("16 1400 0000 01", 0)
        client("16 1400 0100 02", 1)
        server("17 1400 0100 02", 1)
        server("17 1400 0000 01", 0)
        let checked = checked()
        #expect(checked.verdicts("CORE-ATT-23") == [.pass])
        #expect(checked.broken == [])
    }

    /// The K-frame has more bytes than it announces: the channel discards its PDU, whose content stays unknown.
    @Test func anSDUThatIsDiscardedIsAGap() {
        stage.link.discover(Shop.layout)
        stage.link.openBearers(1)
        stage.link.carry(hex("0400 12 0d00 0100"), on: stage.link.bearerEnd(0, of: .received), .sent)
        stage.server("1b 0c00 64")
        #expect(checked().verdicts("CORE-GATT-01").map(\.name) == ["inconclusive"])
    }
}
