import Bluetooth
import Bytes
import Conformance
import PDUTestKit
import PluginKit
import Profile
import TestKit
import Testing

/// A session that breaks one rule, and the frames that the finding must list.
struct Breach: Sendable, CustomTestStringConvertible {
    var rule: String
    /// Other rules of severity error that necessarily fail too.
    var others: Set<String> = []
    var isWarning = false
    var act: @Sendable (KettleVisit) -> [Int]

    var testDescription: String { rule }
}

struct DeclaredRuleTests {
    /// A session that conforms to all rules.
    private func goodVisit() -> KettleVisit {
        let visit = KettleVisit()
        visit.link.read(Kettle.status, [0, 20, 0])
        visit.command(1)
        visit.answer(1, after: 1)
        visit.status(1, 20)
        visit.status(2, 95, 1)
        visit.status(3, 90, 2)
        visit.status(4, 30, 0)
        visit.command(9)
        return visit
    }

    @Test(arguments: [
        "K-LENGTH", "K-CHECK", "K-RISES", "K-STEPS", "K-SEQUENCE", "K-REPLY", "K-PERIOD", "K-ORDER", "K-NEVER",
    ])
    func obeyed(_ rule: String) throws {
        let checked = try goodVisit().checked()
        #expect(checked.verdicts(rule) == [.pass])
    }

    /// Rules apply to values on enhanced ATT bearers too (Vol 3, Part G, 5.3).
    @Test func valuesOnEnhancedBearersAreJudged() throws {
        let visit = KettleVisit()
        let link = visit.link
        link.openBearers(2)
        link.request(ATT.WriteRequest(handle: Kettle.command, value: [1]), onBearer: 0)
        link.request(ATT.ReadRequest(handle: Kettle.status), onBearer: 1)
        link.respond(ATT.WriteResponse(), onBearer: 0)
        link.respond(ATT.ReadResponse(value: [0, 20, 0]), onBearer: 1)
        link.respond(ATT.HandleValueIndication(handle: Kettle.answer, value: [0x80, 1]), onBearer: 1)
        link.request(ATT.HandleValueConfirmation(), onBearer: 1)
        link.respond(ATT.HandleValueNotification(handle: Kettle.status, value: [1, 101, 1]), onBearer: 1)
        let breach = visit.frame
        let checked = try visit.checked()
        #expect(checked.verdicts("K-REPLY") == [.pass])
        #expect(checked.verdicts("K-ORDER") == [.pass])
        #expect(checked.frames("K-CHECK") == [breach])
        #expect(checked.broken == ["K-CHECK"])
    }

    static let breaches: [Breach] = [
        Breach(rule: "K-LENGTH") { visit in
            visit.link.notify(Kettle.status, [1, 20])
            return [visit.frame]
        },
        Breach(rule: "K-CHECK") { visit in
            visit.status(1, 20)
            return [visit.status(2, 101, 1)]
        },
        Breach(rule: "K-RISES") { visit in
            visit.status(5)
            return [visit.status(4)]
        },
        Breach(rule: "K-STEPS", isWarning: true) { visit in
            visit.status(5)
            return [visit.status(7)]
        },
        Breach(rule: "K-SEQUENCE") { visit in
            visit.status(1)
            return [visit.status(2, 20, 2)]
        },
        Breach(rule: "K-REPLY") { visit in
            _ = visit.command(1)
            return [visit.answer(1, after: 3)]
        },
        Breach(rule: "K-REPLY") { visit in
            _ = visit.command(1)
            let answer = visit.answer(2, after: 1)
            visit.status(1)
            return [answer]
        },
        Breach(rule: "K-PERIOD", isWarning: true) { visit in
            visit.status(1)
            return [visit.status(2, after: 12)]
        },
        Breach(rule: "K-NEVER") { visit in
            visit.status(1)
            visit.command(9)
            return [visit.status(2)]
        },
    ]

    @Test(arguments: breaches)
    func broken(_ breach: Breach) throws {
        let visit = KettleVisit()
        let frames = breach.act(visit)
        let checked = try visit.checked()
        #expect(checked.verdicts(breach.rule) == [breach.isWarning ? .warning : .fail])
        #expect(checked.frames(breach.rule) == frames)
        #expect(checked.broken == (breach.isWarning ? [] : [breach.rule]))
        let announced = checked.news.filter { $0.rule.id == breach.rule }.map(\.severity)
        #expect(announced == [breach.isWarning ? .warning : .error])
    }

    @Test func orderNeedsWhatCameBefore() throws {
        let visit = KettleVisit(subscribes: false)
        let frame = visit.command(1)
        let checked = try visit.checked()
        #expect(checked.verdicts("K-ORDER") == [.fail])
        #expect(checked.frames("K-ORDER") == [frame])
        // No client is subscribed to the answer, so none is pending.
        #expect(checked.verdicts("K-REPLY").map(\.name) == ["not_applicable"])
    }

    /// After the client unsubscribes, indications are not configured; a refusal is not the client's fault.
    @Test func orderNeedsAConfigurationThatHolds() throws {
        let configuration = Kettle.layout[Kettle.characteristic(3), 0x2902]
        let turnedOff = KettleVisit()
        turnedOff.command(1)
        turnedOff.answer(1)
        turnedOff.link.write(configuration, [0, 0])
        let frame = turnedOff.command(2)
        let checked = try turnedOff.checked()
        #expect(checked.frames("K-ORDER") == [frame])
        #expect(checked.findings("K-ORDER").map(\.observed) == ["another value was written last"])
        #expect(checked.broken == ["K-ORDER"])
        let refused = KettleVisit(subscribes: false)
        refused.link.request(ATT.WriteRequest(handle: configuration, value: [2, 0]))
        refused.link.refuse(.writeRequest, configuration, .writeNotPermitted)
        refused.command(2)
        #expect(try refused.checked().verdicts("K-ORDER").map(\.name) == ["inconclusive"])
    }

    /// In a bonded connection, a write may precede the encryption event that makes the CCCD's value apply.
    @Test func aBondMayBeEncryptedBeforeItsEvent() throws {
        let visit = KettleVisit(subscribes: false)
        visit.link.startEncryption()
        visit.command(2)
        visit.link.encrypt()
        #expect(try visit.checked().verdicts("K-ORDER").map(\.name) == ["inconclusive"])
    }

    /// A refused write leaves the CCCD unchanged.
    @Test func aRefusedWriteTurnsNothingOff() throws {
        let visit = KettleVisit()
        let configuration = Kettle.layout[Kettle.characteristic(3), 0x2902]
        visit.link.request(ATT.WriteRequest(handle: configuration, value: [0, 0]))
        visit.link.refuse(.writeRequest, configuration, .writeNotPermitted)
        visit.command(1)
        visit.answer(1)
        #expect(try visit.checked().verdicts("K-ORDER") == [.pass])
    }

    @Test func findingsSayWhatWasExpectedAndSeen() throws {
        let visit = KettleVisit()
        visit.status(1, 101, 1)
        let finding = try #require(try visit.checked().findings("K-CHECK").first)
        #expect(finding.expected == "temperature <= 100 && u8(0) != 255")
        #expect(finding.observed == "temperature = 101, u8(0) = 0x01")
        #expect(finding.bytes == [1, 101, 1])
    }

    /// A read may return an old state, so any state may follow it.
    @Test func aReadLeavesTheStateUnknown() throws {
        let visit = KettleVisit()
        visit.status(1)
        visit.link.read(Kettle.status, [1, 20, 1])
        visit.status(2, 20, 2)
        let frame = visit.status(3, 20, 1)
        #expect(try visit.checked().frames("K-SEQUENCE") == [frame])
    }

    /// Neither the next number nor the difference of two numbers need fit into 64 bits.
    @Test func countersMayHaveAllNumbersOfTheirType() throws {
        let profile = """
            profile: {id: meter, title: Meter, version: "1", format: 1}
            match: [{service: 4B455454-4C45-0000-8000-000000000000, weight: 80}]
            types: {reading: {fields: [{name: total, type: i64}]}}
            gatt:
              - service: 4B455454-4C45-0000-8000-000000000000
                name: meter
                characteristics:
                  - {uuid: 4B455454-4C45-0000-8000-000000000001, name: total, properties: [read, notify], value: reading}
            advertising: [{manufacturer_data: 0xFFFF, value: reading}]
            rules:
              - {id: M-TOLD, text: by one, role: peripheral, severity: error,
                 increases: {on: notify total, field: total, by: 1}}
              - {id: M-HEARD, text: by one, role: peripheral, severity: error,
                 increases: {on: advertise reading, field: total, by: 1}}
            """
        let largest = hex("ffffffffffffff7f")
        let smallest = hex("0000000000000080")
        let visit = KettleVisit()
        visit.link.notify(Kettle.status, largest)
        visit.link.notify(Kettle.status, smallest)
        let frame = visit.frame
        visit.link.disconnect()
        let device = DeviceAddress(Address("c0:00:00:00:00:07")!, .random)
        for value in [smallest, largest] {
            let structures: [GAP.AdvertisingStructure] = [
                .serviceUUIDs128([Kettle.characteristic(0)]), .manufacturerData(company: 0xFFFF, value),
            ]
            visit.session.report(device, structures, type: 3)
        }
        let plugin = DevicePlugin(try CompiledProfile(ProfileReader.read(profile, file: "meter.yaml")))
        let checked = CheckedCapture(visit.session.recording, plugins: [plugin])
        #expect(checked.frames("M-TOLD") == [frame])
        #expect(checked.findings("M-TOLD").map(\.expected) == ["total 9223372036854775808"])
        #expect(checked.verdicts("M-HEARD").map(\.name) == ["inconclusive"])
    }

    @Test func countersWrap() throws {
        let visit = KettleVisit()
        visit.status(255)
        visit.status(0)
        let checked = try visit.checked()
        #expect(checked.verdicts("K-RISES") == [.pass])
        #expect(checked.verdicts("K-STEPS") == [.pass])
    }
}
