import Conformance
import PDUTestKit
import TestKit
import Testing

/// Rules see the same commands in every firmware generation (section 16).
struct GenerationTests {
    @Test func commandsOfInterimFirmwareAreSeen() {
        let puck = PuckSession(layout: PuckLayout.interim)
        puck.begin(subscribes: [1, 4, 7, 0x2A19])
        puck.state(unsynced: 3)
        puck.transfer()
        puck.command(hex("21000000")) { puck.notify(7, hex("02 00 00 01 00000000 0000 0000")) }
        puck.command(hex("22000000")) {
            let events = (0..<2).flatMap { little(1_769_940_000 + $0 as UInt32) + hex("3C00 00 00") }
            puck.notify(7, hex("00 01 02 00") + events)
        }
        puck.state(level: 300)
        puck.write(5, hex("03000000"), after: 0) {
            puck.push(unsynced: 0)
            puck.state(after: 0.4, level: 300, flags: 0x0F)
            puck.wait(4.8)
            puck.push(unsynced: 0)
        }
        puck.state(after: 0.5, level: 1, weight: -12345, flags: 0x17)
        puck.state(after: 1, level: 1, weight: -12345, flags: 0x13)
        puck.wait(10)
        puck.end()
        let checked = CheckedCapture(puck.recording, plugins: aquavate)
        // It lacks Calibration State.
        #expect(checked.accused == ["AQ-017"], "\(checked.text(of: checked.accused))")
        for rule in ["AQ-040", "AQ-083", "AQ-088", "AQ-101", "AQ-204", "AQ-207", "AQ-209"] {
            #expect(checked.verdicts(rule) == [.pass], "\(rule)")
        }
    }

    /// 0x02 first began a calibration and later was a ping; neither requires a response.
    @Test func commandsOfTheFirstFirmwareAreSeen() {
        let puck = PuckSession(layout: PuckLayout.first)
        puck.begin(subscribes: [1, 4, 0x2A19])
        puck.state(unsynced: 3)
        puck.transfer()
        for command in ["02000000", "03000000", "03010000", "04000000"] { puck.command(hex(command)) }
        puck.end()
        let checked = CheckedCapture(puck.recording, plugins: aquavate)
        #expect(checked.accused == ["AQ-017"], "\(checked.text(of: checked.accused))")
        for rule in ["AQ-206", "AQ-207", "AQ-209"] { #expect(checked.verdicts(rule) == [.pass], "\(rule)") }
    }

    @Test func aMissingCommandOfInterimFirmwareIsFound() {
        let puck = PuckSession(layout: PuckLayout.interim)
        puck.begin(subscribes: [1, 4, 7, 0x2A19], setsTime: false)
        puck.state(unsynced: 3)
        puck.transfer()
        puck.command(hex("23000000 00"))
        puck.end()
        let checked = CheckedCapture(puck.recording, plugins: aquavate)
        #expect(checked.accused == ["AQ-017", "AQ-206", "AQ-209"], "\(checked.text(of: checked.accused))")
    }
}
