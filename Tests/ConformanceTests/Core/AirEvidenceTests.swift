import Bluetooth
import Bytes
import Captures
import Conformance
import PDUTestKit
import PluginKit
import TestKit
import Testing

/// Missing evidence in a sniffer's capture makes rules inconclusive; it never makes them fail.
struct AirEvidenceTests {
    private let air = AirSession()

    private var checked: CheckedCapture { CheckedCapture(air.recording, core: CoreRules.all) }

    /// Whether a rule has seen a PDU that leaves it undecided.
    private func isUndecided(_ rule: String) -> Bool {
        let report = checked.report
        return report.results.contains { report.rules[$0.rule].id == rule && $0.tally.undecided > 0 }
    }

    /// Changes every packet of a connection: pseudo-header, access address, PDU header.
    private func patchData(_ change: (inout [UInt8]) -> Void) {
        for index in air.recording.packets.indices where air.recording.packets[index].direction != .unknown {
            change(&air.recording.packets[index].bytes)
        }
    }

    @Test func whereDirectionsAreUnknownNoSideIsAccused() {
        let link = air.resume()
        link.carry(hex("01 04 00 05 10 03 03"), on: .smp, .sent)
        link.carry(hex("02 04 00 05 10 03 03"), on: .smp, .received)
        link.carry([3] + [UInt8](repeating: 7, count: 16), on: .smp, .sent)
        link.carry([3] + [UInt8](repeating: 8, count: 16), on: .smp, .received)
        link.carry([4] + [UInt8](repeating: 7, count: 16), on: .smp, .sent)
        // Clears the PDU type, which contains the direction, and NESN and SN, and spaces the packets evenly, so that
        // the direction cannot be inferred.
        patchData {
            $0[9] &= ~0x03
            $0[8] &= ~0x80
            $0[14] &= ~0x0C
        }
        for index in air.recording.packets.indices {
            air.recording.packets[index].time = air.recording.packets[0].time + .milliseconds(index)
        }
        #expect(checked.broken == [])
        #expect(isUndecided("CORE-SMP-03"))
    }

    /// The peer may acknowledge LL_TERMINATE_IND with a data PDU that was queued (Vol 6, Part B, 5.1.6).
    @Test func dataAfterTheEndBeginsNoConnection() {
        let link = air.connect(Stage.phone, to: Stage.puck)
        link.fragmentation = .whole
        link.carry(hex("02 f700"), on: .att, .sent)
        link.carry(hex("03 f700"), on: .att, .received)
        link.control(hex("02 13"), .sent)
        link.carry(hex("1b 0c00" + String(repeating: "aa", count: 60)), on: .att, .received)
        #expect(checked.broken == [])
        #expect(checked.report.devices.map(\.connections) == [1])
    }

    /// A CONNECT_IND that reuses an access address opens another connection.
    @Test func aConnectionMayFollowUnderTheSameAccessAddress() {
        for _ in 0..<2 {
            let link = air.connect(Stage.phone, to: Stage.puck)
            link.carry(hex("0a 0c00"), on: .att, .sent)
            link.carry(hex("0b 64"), on: .att, .received)
            link.disconnect()
        }
        #expect(checked.report.devices.map(\.connections) == [2])
    }

    @Test func constantSequenceNumbersDoNotTellAVersionFromItsRepetition() {
        let link = air.connect(Stage.phone, to: Stage.puck)
        for _ in 0..<2 {
            link.control(hex("0c 0d 0f00 0001"), .sent)
            link.control(hex("0c 0d 0f00 0001"), .received)
            link.acknowledge(.sent)
            link.acknowledge(.received)
        }
        #expect(checked.broken == ["CORE-LL-10"])
        // Clears NESN and SN.
        patchData { $0[14] &= ~0x0C }
        #expect(checked.broken == [])
        #expect(isUndecided("CORE-LL-10"))
    }

    /// Ciphertext is neither link layer control nor L2CAP, wherever the recording begins and whatever it misses.
    @Test func ciphertextIsNotJudged() {
        let link = air.connect(Stage.phone, to: Stage.puck)
        link.notify(0x0008, [98])
        link.encrypt()
        for value in 0..<8 as Range<UInt8> {
            link.notify(0x0008, [value])
            link.control(LL.PingReq(), .sent)
            link.control(LL.PingRsp(), .received)
        }
        let whole = air.recording.packets
        for place in whole.indices {
            air.recording.packets = Array(whole[place...])
            #expect(checked.broken == [], "from packet \(place) on")
            air.recording.packets = whole.enumerated().filter { $0.offset != place }.map(\.element)
            #expect(checked.broken == [], "without packet \(place)")
        }
    }
}
