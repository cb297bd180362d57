import Bluetooth
import Bytes
import Conformance
import PDUTestKit
import PluginKit
import Profile
import TestKit
import Testing

/// Every rule of the specification, with a capture that conforms and one that breaks only this rule.
struct CoreRuleTests {
    /// Rules whose severity is not error fail with a warning.
    private func isWarning(_ rule: String) -> Bool {
        CoreRules.all.first { $0.info.id == rule }?.info.severity == .warning
    }

    @Test func everyRuleHasItsStory() {
        // A rule may have several consecutive stories.
        let rules = CoreStory.all.map(\.rule).reduce(into: [String]()) { if $0.last != $1 { $0.append($1) } }
        #expect(rules == CoreRules.all.map { $0.info.id })
    }

    @Test func rulesAreComplete() {
        let ids = CoreRules.all.map { $0.info.id }
        #expect(Set(ids).count == ids.count)
        for rule in CoreRules.all {
            #expect(rule.info.source?.isEmpty == false, "\(rule.info.id) has no source")
            #expect(rule.info.hint?.isEmpty == false, "\(rule.info.id) has no hint")
            #expect(rule.info.text.hasSuffix("."), "\(rule.info.id) is no sentence")
            #expect(!rule.init().interests.isEmpty, "\(rule.info.id) sees nothing")
        }
    }

    @Test(arguments: CoreStory.all)
    func obeyed(_ story: CoreStory) {
        let checked = CheckedCapture(story.played(story.good).recording, core: CoreRules.all)
        #expect(checked.verdicts(story.rule).contains(.pass))
        #expect(checked.broken == [])
    }

    @Test(arguments: CoreStory.all)
    func broken(_ story: CoreStory) throws {
        let stage = story.played(story.bad)
        let checked = CheckedCapture(stage.recording, core: CoreRules.all)
        let breach = try #require(stage.breach)
        #expect(checked.frames(story.rule).first == breach)
        #expect(checked.broken == (isWarning(story.rule) ? [] : [story.rule]))
        for finding in checked.findings(story.rule) {
            #expect(!finding.expected.isEmpty && !finding.observed.isEmpty)
        }
    }

    @Test(arguments: CoreStory.all)
    func noTimeTraps(_ story: CoreStory) {
        for act in [story.good, story.bad] {
            let recording = story.played(act).recording
            for times in Recording.extremeTimes {
                let checked = CheckedCapture(recording.timed(at: times), core: CoreRules.all)
                #expect(checked.report.frames == recording.packets.count)
            }
        }
    }

    /// One rule checks all requests, the other only those with this opcode.
    @Test func whatOnePDUBreaksIsToldInTheOrderOfReports() {
        let stage = Stage()
        stage.client("0a 0c00")
        stage.breaks { stage.client("02 1600") }
        let news = CheckedCapture(stage.recording, core: CoreRules.all).news
            .filter { $0.finding.moments.last?.frame == stage.breach }
        #expect(news.map(\.rule.id) == ["CORE-ATT-01", "CORE-ATT-09"])
    }

    /// A client that has a cached table may write to a descriptor without reading its type.
    @Test func aDescriptorOfUnknownTypeBehindAValueMayBeItsConfiguration() {
        let stage = Stage()
        let layout = ServerLayout(
            .service(0x180F, .characteristic(0x2A19, [.notify], descriptors: 0x2902)),
            .service(0xFFF0, .characteristic(0xFFF1, [.notify], descriptors: 0x2901, 0x2902)))
        stage.link.discoverServices(layout)
        for service in layout.services {
            stage.link.discoverCharacteristics(layout, service.start...service.end)
        }
        stage.client("12 0900 0100")
        stage.server("13")
        stage.server("1b 0700 64")
        stage.disconnect()
        let checked = CheckedCapture(stage.recording, core: CoreRules.all)
        #expect(checked.verdicts("CORE-GATT-01") == [.pass])
        #expect(checked.broken == [])
    }

    /// A server may accept a value shorter than the attribute as its first octets (Vol 3, Part F, 3.4.5.1), as BlueZ
    /// does.
    @Test func oneOctetMayTurnNotificationsOn() {
        let stage = Stage()
        stage.link.discover(Shop.layout)
        stage.client("12 0d00 01")
        stage.server("13")
        stage.server("1b 0c00 64")
        stage.client("12 0d00 00")
        stage.server("13")
        stage.breaks { stage.server("1b 0c00 64") }
        stage.disconnect()
        let checked = CheckedCapture(stage.recording, core: CoreRules.all)
        #expect(checked.frames("CORE-GATT-01") == [stage.breach])
        #expect(checked.broken == ["CORE-GATT-01", "CORE-GATT-09"])
    }

    /// A server that reports an error for Execute Write may have written part of the queue (Vol 3, Part F, 3.4.6.3).
    @Test func anExecutionThatFailsMayHaveTurnedNotificationsOn() {
        let stage = Stage()
        stage.link.discover(Shop.layout)
        stage.client("16 0d00 0000 0100")
        stage.server("17 0d00 0000 0100")
        stage.client("18 01")
        stage.server("01 18 1000 0d")
        stage.server("1b 0c00 64")
        stage.disconnect()
        #expect(CheckedCapture(stage.recording, core: CoreRules.all).verdicts("CORE-GATT-01") == [.pass])
    }

    /// With a supervision timeout of 32 s, a lost link may have been dead before an answer was due.
    @Test(arguments: [(HCI.ErrorCode.connectionTimeout, false), (.remoteUserTerminatedConnection, true)])
    func aLostLinkAnswersNothing(_ reason: HCI.ErrorCode, _ isBroken: Bool) {
        let stage = Stage()
        let link = stage.link
        stage.hci.event(
            HCI.LEConnectionUpdateComplete(handle: 0x0040, interval: 24, latency: 0, supervisionTimeout: 3200))
        stage.client("0a 0c00")
        let request = stage.recording.packets.count
        stage.server("1d 1400 01")
        stage.wait(seconds: 31)
        (link as? HCILink)?.disconnect(reason: reason)
        let checked = CheckedCapture(stage.recording, core: CoreRules.all)
        #expect(checked.frames("CORE-ATT-05") == (isBroken ? [request] : []))
        #expect(checked.frames("CORE-ATT-06") == (isBroken ? [request + 1] : []))
    }

    /// A bearer times out even if its client sends another request instead of waiting for the response.
    @Test func aRequestThatOverlapsHidesNoTimeOut() {
        let stage = Stage()
        stage.client("0a 0c00")
        stage.wait(seconds: 20)
        stage.client("0a 1400")
        stage.wait(seconds: 15)
        stage.breaks { stage.client("52 1200 01") }
        stage.disconnect()
        let checked = CheckedCapture(stage.recording, core: CoreRules.all)
        #expect(checked.frames("CORE-ATT-07") == [stage.breach])
        #expect(checked.broken == ["CORE-ATT-01", "CORE-ATT-07"])
    }

    /// The side that starts overlapping procedures is at fault, not the side that answers.
    @Test(arguments: ["09 ff00000000000000", "07 08", "11 08 1a"])
    func proceduresThatOverlapAreEachAnswered(_ answer: String) {
        let stage = Stage(isOnAir: true)
        stage.centralLL("08 ff00000000000000")
        stage.centralLL("12")
        stage.peripheralLL("13")
        stage.peripheralLL(answer)
        stage.disconnect()
        let checked = CheckedCapture(stage.recording, core: CoreRules.all)
        #expect(checked.broken == ["CORE-LL-08"])
        #expect(checked.verdicts("CORE-LL-09") == [.pass])
    }

    /// A rejection answers the request that it names.
    @Test func aRejectionEndsOneProcedureOfTwo() {
        let stage = Stage(isOnAir: true)
        stage.centralLL("08 ff00000000000000")
        stage.centralLL("12")
        stage.peripheralLL("07 12")
        stage.peripheralLL("09 ff00000000000000")
        stage.breaks { stage.peripheralLL("13") }
        stage.disconnect()
        let checked = CheckedCapture(stage.recording, core: CoreRules.all)
        #expect(checked.frames("CORE-LL-09") == [stage.breach])
    }

    /// A TX power level may be present for each path (CSS, Part A, 1), and flags may be empty (CSS, Part A, 1.3).
    @Test(arguments: ["02 01 06 02 0a 04 02 0a 00", "01 01 02 09 41"])
    func advertisingDataIsLegal(_ data: String) {
        let stage = Stage()
        stage.report(data)
        #expect(CheckedCapture(stage.recording, core: CoreRules.all).broken == [])
    }

    /// A renamed device has two pairs of names.
    @Test func aNameIsComparedWithThatOfItsTime() {
        let stage = Stage()
        for (short, long) in [("03 08 4142", "04 09 414243"), ("03 08 5859", "04 09 58595a")] {
            stage.report(short)
            stage.report(long, type: 4)
        }
        #expect(CheckedCapture(stage.recording, core: CoreRules.all).broken == [])
    }

    /// A capture that begins late or ends early makes no rule fail.
    @Test(arguments: CoreStory.all)
    func partsAreNotAccused(_ story: CoreStory) {
        let whole = story.played(story.good).recording
        for count in stride(from: 1, to: whole.packets.count, by: max(1, whole.packets.count / 12)) {
            for packets in [Array(whole.packets.dropFirst(count)), Array(whole.packets.prefix(count))] {
                let part = Recording(whole.kind)
                part.packets = packets
                let broken = CheckedCapture(part, core: CoreRules.all).broken
                #expect(broken == [], "\(count) of \(whole.packets.count) packets")
            }
        }
    }

    /// For arbitrary bytes, the check terminates, and each finding names a frame, an expectation and an observation.
    @Test(arguments: CoreStory.all)
    func anyBytesAreJudged(_ story: CoreStory) {
        var random = SplitMix64(seed: 4)
        for act in [story.good, story.bad] {
            let whole = story.played(act).recording
            for _ in 0..<8 {
                let damaged = Recording(whole.kind)
                damaged.packets = whole.packets.map { packet in
                    var packet = packet
                    guard UInt8.random(in: 0..<4, using: &random) == 0 else { return packet }
                    let place = Int.random(in: 1..<packet.bytes.count, using: &random)
                    packet.bytes[place] = UInt8.random(in: 0...255, using: &random)
                    return packet
                }
                let checked = CheckedCapture(damaged, core: CoreRules.all)
                for result in checked.report.results {
                    for finding in result.tally.findings {
                        #expect((finding.moments.last?.frame ?? 0) > 0, "\(checked.report.rules[result.rule].id)")
                        #expect(!finding.expected.isEmpty && !finding.observed.isEmpty)
                    }
                }
            }
        }
    }
}
