import Bluetooth
import Bytes
import Captures
import Conformance
import Conversation
import PDUTestKit
import TestKit
import Testing

/// Results of rules where the capture leaves a doubt: about unseen handles, ranges and commands.
struct DoubtTests {
    private let stage = Stage()

    private func checked() -> CheckedCapture { CheckedCapture(stage.recording, core: CoreRules.all) }

    /// A Read Request of two bytes fails CORE-ATT-13 only on a connection that an event opened.
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

    // MARK: - Missing packets

    /// Whether a rule was undecided at least once.
    private func isInconclusive(_ rule: String, in checked: CheckedCapture) -> Bool {
        checked.report.results.contains { checked.report.rules[$0.rule].id == rule && $0.tally.undecided > 0 }
    }

    /// Checks the recording with a counted drop before the frame with this number.
    private func checked(dropBefore frame: Int) -> CheckedCapture {
        var batch = stage.recording.batch
        batch.packets[frame - 1].drops = 1
        return CheckedCapture([batch], core: CoreRules.all)
    }

    @Test func aRequestAfterADropMayHaveHadItsResponse() {
        stage.client("0a 0300")
        stage.client("0a 0500")
        #expect(checked().verdicts("CORE-ATT-01") == [.fail])
        let checked = checked(dropBefore: stage.recording.packets.count)
        #expect(checked.report.quality.drops == 1)
        #expect(checked.findings("CORE-ATT-01").isEmpty && isInconclusive("CORE-ATT-01", in: checked))
    }

    @Test func aCommandAfterADropMayBeAllowed() {
        let session = stage.hci
        session.event(HCI.CommandStatus(status: .success, allowedCommands: 0, opcode: .leCreateConnection))
        session.command([0x03, 0x0C, 0x00])
        session.command([0x09, 0x10, 0x00])
        let last = session.recording.packets.count
        #expect(checked().verdicts("CORE-HCI-01").map(\.name) == ["fail"])
        #expect(checked(dropBefore: last).findings("CORE-HCI-01").isEmpty)
    }

    /// The drop precedes a packet of one adapter; the missing packets may belong to another.
    @Test func aCommandAfterADropOfAnyAdapterMayBeAllowed() {
        let sessions = [stage.hci, HCISession(stage.hci.recording, adapter: 1)]
        for session in sessions {
            session.event(HCI.CommandStatus(status: .success, allowedCommands: 0, opcode: .leCreateConnection))
        }
        stage.hci.command([0x09, 0x10, 0x00])
        #expect(checked().verdicts("CORE-HCI-01").map(\.name) == ["fail"])
        #expect(checked(dropBefore: stage.recording.packets.count).findings("CORE-HCI-01").isEmpty)
    }

    /// The first data PDU captured is the peripheral's, and acknowledges one of the central's.
    @Test func aResponseAtTheBeginningMayHaveARequest() {
        let stage = Stage(isOnAir: true)
        let link = stage.connect()
        link.control(LL.FeatureReq(features: LinkLayerFeatures(bits: 1)), .sent)
        link.control(LL.FeatureRsp(features: LinkLayerFeatures(bits: 1)), .received)
        stage.recording.packets.remove(at: 1)
        let checked = CheckedCapture(stage.recording, core: CoreRules.all)
        #expect(checked.broken.isEmpty && isInconclusive("CORE-LL-09", in: checked))
    }

    /// Lost packets may swap the parity of the sides, so the sender of a PDU is no longer certain.
    @Test func anInferredSenderIsInDoubtWhereSomethingIsMissing() {
        let stage = Stage(isOnAir: true)
        let link = stage.connect()
        link.control(hex("0c 0d 0f00 0001"), .sent)
        link.acknowledge(.received)
        link.control(hex("0c 0d 0f00 0001"), .sent)
        link.acknowledge(.received)
        #expect(CheckedCapture(stage.recording, core: CoreRules.all).broken == ["CORE-LL-10"])
        stage.recording.packets.remove(at: 2)
        // Clears the PDU type, which contains the direction.
        for index in stage.recording.packets.indices.dropFirst() {
            stage.recording.packets[index].bytes[9] &= ~0x03
            stage.recording.packets[index].bytes[8] &= ~0x80
        }
        #expect(CheckedCapture(stage.recording, core: CoreRules.all).broken.isEmpty)
    }

    /// Part of the first connection's discovery is missing: the descriptor appears to belong to another characteristic.
    @Test func aTableOfAnEarlierConnectionWithADropIsInDoubt() {
        stage.client("10 0100 ffff 0028")
        stage.server("11 06 0100 0900 0018")
        stage.client("08 0100 0900 0328")
        stage.server("09 07 0200 02 0300 002a")
        let drop = stage.recording.packets.count + 1
        stage.client("04 0400 0900")
        stage.server("05 01 0900 0229")
        stage.disconnect()
        let again = stage.hci.connect(to: Stage.puck)
        again.carry(hex("12 0900 0100"), on: .att, .sent)
        again.carry(hex("13"), on: .att, .received)
        #expect(checked().verdicts("CORE-GATT-10").map(\.name) == ["fail"])
        let checked = checked(dropBefore: drop)
        #expect(checked.findings("CORE-GATT-10").isEmpty && isInconclusive("CORE-GATT-10", in: checked))
    }

    /// The first connection may have ended right after its request.
    @Test func aConnectionWhoseHandleComesAgainHasAnEndThatWasNotSeen() {
        stage.client("0a 0300")
        stage.wait(seconds: 60)
        stage.hci.connect(to: Stage.puck, handle: 0x0040).disconnect()
        #expect(checked().verdicts("CORE-ATT-05").map(\.name) == ["inconclusive"])
    }

    // MARK: - Other doubts

    /// The client never discovered this service's range, only a characteristic by type, and later services.
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

    /// No event answers Host Number Of Completed Packets (Vol 4, Part E, 7.3.40).
    @Test func completedPacketsTakeNoCredit() {
        let session = HCISession()
        session.reset()
        session.command(hex("350c 05 01 4000 0100"))
        session.run(HCI.ReadBDADDR(), returning: [0, 1, 2, 3, 4, 5, 6])
        let checked = CheckedCapture(session.recording, core: CoreRules.all)
        #expect(checked.verdicts("CORE-HCI-01") == [.pass])
    }

    /// Data status 0x20 means more data to come, 0x40 truncated (Vol 4, Part E, 7.7.65.13): rules see reassembled data,
    /// never fragments.
    @Test(
        arguments: [
            (0x0041, "02 01 06", "03 09 5a c3", true), (0x0021, "02 01 06", "03 09 5a c3", true),
            (0x0021, "02 01 06 04 09 5a", "c3 a9", false), (0x0041, "02 01 06 04 09 5a", "03 09 5a 5a", false),
        ] as [(UInt16, String, String, Bool)])
    func advertisingDataAreCheckedAsAWhole(type: UInt16, first: String, second: String, isBroken: Bool) {
        for (type, data) in [(type, first), (0x0001, second)] {
            stage.hci.event(
                HCI.LEExtendedAdvertisingReport(reports: [
                    .init(
                        eventType: type, addressType: .randomDevice, address: Stage.puck.address, rssi: -60,
                        data: hex(data))
                ]))
        }
        #expect(checked().broken == (isBroken ? ["CORE-ADV-08"] : []))
    }

    /// The sets of an advertiser are reported separately: the first set's data continues after the second set's.
    @Test func aReportBetweenThePartsOfAnotherSetIsWhole() {
        let name = hex("0b 09") + Array("Aquavate-A".utf8)
        let parts: [(type: UInt16, sid: UInt8, data: [UInt8])] = [
            (0x0021, 1, Array(name[..<6])), (0x0001, 2, hex("02 01 06")), (0x0001, 1, Array(name[6...])),
        ]
        for part in parts {
            stage.hci.event(
                HCI.LEExtendedAdvertisingReport(reports: [
                    .init(
                        eventType: part.type, addressType: .randomDevice, address: Stage.puck.address, sid: part.sid,
                        rssi: -60, data: part.data)
                ]))
        }
        #expect(checked().verdicts("CORE-ADV-01") == [.pass])
        #expect(checked().broken == [])
    }

    /// Events and data have separate USB endpoints (Vol 4, Part B, 2.1): a key may precede the event that reports the
    /// encryption.
    @Test(arguments: [true, false])
    func aKeyMayComeBeforeTheEventOfTheEncryption(isEncrypted: Bool) {
        let value = String(repeating: "5a", count: 16)
        stage.sentSMP("01 03 00 01 10 00 01")
        stage.receivedSMP("02 03 00 01 10 00 01")
        for opcode in ["03", "04"] {
            stage.sentSMP(opcode + value)
            stage.receivedSMP(opcode + value)
        }
        stage.receivedSMP("06" + value)
        if isEncrypted { stage.hci.event(HCI.EncryptionChange(handle: 0x0040, enabled: 1)) }
        stage.receivedSMP("07 1234 0102030405060708")
        stage.wait(seconds: 40)
        stage.disconnect()
        #expect(checked().broken == (isEncrypted ? [] : ["CORE-SMP-11"]))
        if isEncrypted { #expect(checked().verdicts("CORE-SMP-14") == [.pass]) }
    }

    /// So may a notification that the client configured in an earlier connection of the bond.
    @Test(arguments: [true, false])
    func aNotificationMayComeBeforeTheEventOfTheEncryption(isEncrypted: Bool) {
        stage.link.discover(Shop.layout)
        (stage.link as? HCILink)?.startEncryption()
        if !isEncrypted {
            stage.hci.event(HCI.EncryptionChange(status: .pinOrKeyMissing, handle: 0x0040, enabled: 0))
        }
        stage.server("1b 0c00 64")
        if isEncrypted { stage.hci.event(HCI.EncryptionChange(handle: 0x0040, enabled: 1)) }
        #expect(checked().verdicts("CORE-GATT-01").map(\.name) == [isEncrypted ? "inconclusive" : "fail"])
    }

    /// SMP of BR/EDR has its own channel, 0x0007, and its own rules (Vol 3, Part A, 2.1).
    @Test func theSecurityManagerOfBREDRIsNotJudgedAsThatOfLE() {
        stage.link.carry(hex("03" + String(repeating: "5a", count: 16)), on: .bredrSMP, .received)
        stage.link.carry(hex("08" + String(repeating: "5a", count: 16)), on: .bredrSMP, .received)
        stage.disconnect()
        #expect(checked().broken == ["CORE-L2CAP-12"])
    }

    /// A server may report either of two reasons to refuse a request.
    @Test(arguments: ["10 0000 ffff 0028|06", "10 0000 ffff 0029|10", "08 0900 0100 002a|12"])
    func aBadRangeMayBeRefusedForAnotherReason(_ exchange: String) {
        let parts = exchange.split(separator: "|").map(String.init)
        let opcode = parts[0].prefix(2)
        stage.client(parts[0])
        stage.server("01 \(opcode) \(parts[0].dropFirst(3).prefix(4)) \(parts[1])")
        #expect(checked().verdicts("CORE-ATT-16") == [.pass])
    }

    /// A client writes the CCCD over an enhanced ATT bearer, SPSM 0x0027, and the server notifies over the unenhanced
    /// one (Vol 3, Part G, 5.3). A channel whose opening was not captured is not known to be a bearer.
    @Test(arguments: [(true, true, "pass"), (true, false, "fail"), (false, true, "inconclusive")])
    func aDescriptorMayBeWrittenOverAnEnhancedBearer(isOpened: Bool, isUsed: Bool, verdict: String) {
        stage.link.discover(Shop.layout)
        if isOpened { stage.link.openBearers(1) }
        if isUsed {
            stage.link.carry(hex("12 0d00 0100"), onBearer: 0, .sent)
            stage.link.carry(hex("13"), onBearer: 0, .received)
        }
        stage.server("1b 0c00 64")
        #expect(checked().verdicts("CORE-GATT-01").map(\.name) == [verdict])
    }

    /// A rule stores at most 256 descriptors for each connection.
    @Test func aDescriptorBeyondTheLimitIsNotChecked() {
        stage.link.discover(Shop.layout)
        for handle in 0x0100..<0x0200 as Range<UInt16> { stage.link.write(Handle(handle), [1, 0]) }
        stage.client("12 0d00 0100")
        stage.server("13")
        stage.server("1b 0c00 64")
        #expect(checked().findings("CORE-GATT-01").isEmpty)
    }

    /// The phone reads from the puck's server, and the puck from the phone's: each has separate results.
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

    /// Both sides discover each other's server: the contents of one table do not affect the rules for the other.
    @Test(arguments: [true, false])
    func eachSidesTableIsItsOwn(hasAppearance: Bool) {
        stage.hci.readAddress(Stage.phone.address)
        stage.client("10 0100 ffff 0028")
        stage.server("11 06 0100 0500 0018 0600 0900 0f18")
        stage.client("10 0a00 ffff 0028")
        stage.server("01 10 0a00 0a")
        stage.client("08 0100 0500 0328")
        stage.server("09 07 0200 02 0300 002a 0400 02 0500 012a")
        stage.client("08 0600 0900 0328")
        stage.server("09 07 0700 12 0800 192a")
        stage.server("10 0100 ffff 0028")
        stage.client("11 06 0800 0c00 0018")
        stage.server("10 0d00 ffff 0028")
        stage.client("01 10 0d00 0a")
        stage.server("08 0800 0c00 0328")
        stage.client("09 07 0900 02 0a00 002a" + (hasAppearance ? "0b00 02 0c00 012a" : ""))
        if !hasAppearance {
            stage.server("08 0b00 0c00 0328")
            stage.client("01 08 0b00 0a")
        }
        stage.client("08 0900 0900 0328")
        stage.server("01 08 0900 0a")
        stage.client("04 0900 0900")
        stage.server("05 01 0900 0229")
        let checked = checked()
        #expect(checked.broken == (hasAppearance ? [] : ["CORE-GATT-15"]))
        #expect(Set(checked.verdicts("CORE-GATT-15")) == (hasAppearance ? [.pass] : [.pass, .fail]))
        for (rule, count) in [("CORE-GATT-14", 1), ("CORE-GATT-15", 2), ("CORE-GATT-16", 2)] {
            #expect(checked.verdicts(rule).count == count, "\(rule)")
        }
    }

    /// Transactions in the two directions are independent (Vol 3, Part F, 3.3.2).
    @Test(arguments: ["03 0502", "01 02 0000 06"])
    func exchangesOfTheMTUMayCross(_ answer: String) {
        let value = String(repeating: "aa", count: 60)
        stage.client("02 0502")
        stage.server("02 f700")
        stage.server("03 f700")
        stage.server("1b 0c00" + value)
        stage.client(answer)
        stage.client("12 1000" + value)
        stage.server("13")
        let checked = checked()
        #expect(checked.verdicts("CORE-ATT-12").contains(.pass))
        #expect(checked.broken == [])
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

    /// Losing two consecutive connection events leaves the sequence numbers unchanged; only the time shows the gap.
    @Test(arguments: [(25, true), (90, false)] as [(Int64, Bool)])
    func anErrorAfterSilentConnectionEventsMayAnswerALaterRequest(milliseconds: Int64, isBroken: Bool) {
        let air = AirSession()
        let link = air.connect(Stage.phone, to: Stage.puck)
        link.carry(hex("08 1c00 1e00 0328"), on: .att, .sent)
        air.recording.wait(milliseconds: milliseconds)
        link.carry(hex("01 08 1e00 0a"), on: .att, .received)
        #expect(CheckedCapture(air.recording, core: CoreRules.all).broken == (isBroken ? ["CORE-ATT-20"] : []))
    }

    /// The recorder wrote each packet several times.
    @Test(arguments: [2, 3])
    func recordsThatWereWrittenSeveralTimesCountOnce(times: Int) {
        stage.hci.reset()
        stage.link.discover(Shop.layout)
        stage.client("0a 0300")
        stage.server("0b 41")
        stage.client("12 0d00 0100")
        stage.server("13")
        for _ in 0..<2 { stage.server("1b 0c00 64") }
        stage.disconnect()
        let once = checked()
        let packets = stage.recording.packets
        stage.recording.packets = packets.flatMap { Array(repeating: $0, count: times) }
        let checked = checked()
        #expect(checked.broken == once.broken)
        #expect(checked.report.results.map(\.tally.passes) == once.report.results.map(\.tally.passes))
        #expect(checked.report.quality.duplicates == (times - 1) * packets.count)
        #expect(checked.report.quality.lostExchanges == 0)
    }

    /// The client always has two open requests, each of which is answered: only the client is at fault.
    @Test func aServerAnswersAllRequestsThatOverlap() {
        stage.client("0a 0300")
        for _ in 0..<6 {
            stage.client("0a 0300")
            stage.server("0b 41")
        }
        stage.server("0b 41")
        #expect(checked().broken == ["CORE-ATT-01"])
        #expect(checked().verdicts("CORE-ATT-02") == [.pass])
    }

    @Test func aResponseToOverlappingRequestsMayAnswerEither() {
        stage.client("08 1c00 1e00 0328")
        stage.client("08 2000 2000 0328")
        stage.server("01 08 2000 0a")
        #expect(checked().findings("CORE-ATT-20").isEmpty)
        #expect(checked().broken.contains("CORE-ATT-01"))
    }
}
