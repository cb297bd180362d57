import ATT
import BluetoothTypes
import Bytes
import Captures
import Conformance
import HCI
import L2CAP
import TestKit
import Testing

/// What rules say where the capture leaves a doubt: of handles, ranges and commands that were not seen.
struct DoubtTests {
    private let stage = Stage()

    private func checked() -> CheckedCapture { CheckedCapture(stage.recording, core: CoreRules.all) }

    /// A Read Request of two bytes breaks CORE-ATT-13 on a connection that an event opened.
    @Test func aHandleThatNoEventOpenedIsJudgedAsInconclusive() {
        let link = stage.hci.resume(0x0042)
        link.carry(hex("0a 0c"), on: .att, .sent)
        #expect(checked().verdicts("CORE-ATT-13").map(\.name) == ["inconclusive"])
        stage.client("0a 0c")
        #expect(checked().verdicts("CORE-ATT-13").map(\.name) == ["inconclusive", "fail"])
    }

    @Test func vendorDataIsNotJudged() {
        let link = stage.hci.resume(0x0042)
        link.carry(hex("0a 0c00"), on: .att, .sent)
        stage.hci.record(link.packet(hex("0200 0400 1b060062"), boundary: .firstFlushable), .received)
        #expect(checked().report.results.allSatisfy { $0.connection == nil })
    }

    @Test func keysAfterEncryptionChangeV2AreEncrypted() {
        stage.sentSMP("01 04 00 01 10 02 02")
        stage.receivedSMP("02 03 00 01 10 02 02")
        stage.hci.event([0x59, 5, 0, 0x40, 0, 1, 16])
        stage.receivedSMP("08 000102030405060708090a0b0c0d0e0f")
        #expect(checked().verdicts("CORE-SMP-11") == [.pass])
    }

    /// The service's range was never asked for: only a characteristic by its type, and later services.
    @Test func declarationsOfAServiceAreJudgedWhereTheyWereAskedFor() {
        stage.client("10 0100 ffff 0028")
        stage.server("11 06 0100 0700 0018 0800 0b00 0118")
        stage.client("08 0100 ffff 002a")
        stage.server("09 04 0300 4142")
        stage.client("08 0800 0b00 0328")
        stage.server("01 08 0800 0a")
        #expect(checked().findings("CORE-GATT-15").isEmpty)
        stage.client("08 0100 0700 0328")
        stage.server("09 07 0200 02 0300 002a")
        #expect(checked().findings("CORE-GATT-15").isEmpty)
        stage.client("08 0400 0700 0328")
        stage.server("01 08 0400 0a")
        #expect(checked().verdicts("CORE-GATT-15") == [.fail])
    }

    @Test func pseudoOpcodesOfBTstackTakeNoCredit() {
        let session = HCISession()
        session.event(HCI.CommandComplete(opcode: .none, returnParameters: []))
        for _ in 0..<3 { session.command([0x01, 0xF4, 0x00]) }
        session.run(HCI.Reset())
        session.run(HCI.ReadBDADDR(), returning: [0, 1, 2, 3, 4, 5, 6])
        let checked = CheckedCapture(session.recording, core: CoreRules.all)
        #expect(checked.verdicts("CORE-HCI-01") == [.pass])
    }

    /// The phone asks the puck's server, and the puck the phone's: each has results of its own.
    @Test func eachSidesServerIsItsOwn() {
        stage.hci.readAddress(Stage.phone.address)
        stage.client("0a 0300")
        stage.server("0b 41")
        stage.server("0a 0300")
        stage.client("01 0a 0300 0b")
        let checked = checked()
        let devices = checked.report.results.filter { checked.report.rules[$0.rule].id == "CORE-ATT-19" }
            .compactMap { $0.device.map { checked.report.devices[$0].address } }
        #expect(devices == [Stage.phone.address.description])
        let passed = checked.report.results.filter { checked.report.rules[$0.rule].id == "CORE-ATT-02" }
        #expect(passed.count == 2 && passed.allSatisfy { $0.verdict == .pass })
    }

    @Test func bothSidesMayUseTheDebugKey() {
        let x = "e69d350e480103ccdbfdf4ac1191f4efb9a5f9e9a7832c5e2cbe97f2d203b020"
        let key = x + String(repeating: "00", count: 32)
        stage.sentSMP("01 04 00 09 10 00 00")
        stage.receivedSMP("02 03 00 09 10 00 00")
        stage.sentSMP("0c \(key)")
        stage.receivedSMP("0c \(key)")
        #expect(checked().findings("CORE-SMP-10").isEmpty)
    }
}
