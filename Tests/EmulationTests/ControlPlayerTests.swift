import Bluetooth
import Bytes
import Emulation
import PluginKit
import Profile
import Testing

/// Requests of a program that controls a device: parsing, execution and outcomes.
@Suite struct ControlPlayerTests {
    private static let words: ScenarioVocabulary = {
        var words = ScenarioVocabulary(
            DevicePlugin(Kettle.profile),
            stimuli: [StimulusDefinition("sip", "Drinks.", amount: .init("ml", in: 1...830, usual: 50))],
            tasks: ExploringClient.tasks)
        words.profile = Kettle.profile
        return words
    }()

    private func request(_ line: String) throws -> ControlLine {
        try ControlLine(reading: line, words: Self.words)
    }

    private func step(_ line: String) throws -> Scenario.Step {
        guard case .step(let step) = try request(line).content else { throw NoStep() }
        return step
    }

    private struct NoStep: Error {}

    private func time(_ seconds: Double) -> Timestamp { Timestamp(nanoseconds: 0) + .seconds(seconds) }
    private func note(_ name: String, _ facts: KeyValuePairs<String, TwinNote.Amount> = [:]) -> EmulationEvent {
        .note(TwinNote(name, facts))
    }

    @Test(arguments: [
        (#"{"id": 1, "do": {"sip": {"ml": 40}}}"#, Scenario.Action.device(Stimulus("sip", 40))),
        (#"{"do": "sip"}"#, .device(Stimulus("sip", 50))),
        (#"{"fault": {"kind": "truncate", "on": "status"}}"#, .fault(ValueFault(.truncate, of: "status"))),
        (#"{"advance": "8h"}"#, .timePasses(.seconds(28_800))),
        (#"{"do": "disconnect"}"#, .disconnect),
        (
            #"{"do": {"set": "owner", "value": "Ann"}}"#,
            .act(.set(characteristic: "owner", .value(.text("Ann"), type: "label")))
        ),
        (
            #"{"do": {"notify": "status.level", "value": 61}}"#,
            .act(
                .notify(
                    characteristic: "status", .generated(.init(field: "level", form: .cycle([.integer(61)])))))
        ),
    ])
    func aLineIsAStep(line: String, action: Scenario.Action) throws {
        #expect(try step(line).actions == [action])
    }

    @Test func anExpectationIsThatOfAScenario() throws {
        let step = try step(#"{"id":"a","expect":"notify status","where":"level == 60","within":5}"#)
        #expect(step.expectation?.event.kind == .value(.notify, characteristic: "status"))
        #expect(step.expectation?.event.condition?.text == "level == 60" && step.limit == .seconds(5))
        #expect(try request(#"{"id":"a","get":"state"}"#).id == #""a""#)
    }

    @Test(arguments: [
        (#"{"id":7,"do":"spi"}"#, "7", #"column 14: there is no "spi"; did you mean "sip"?"#),
        (#"{"id":7,"do":{"sip":"900 ml"}}"#, "7", #"expected 1 to 830 ml, like "1 ml""#),
        (#"{"id":7,"expct":"a"}"#, "7", #"unknown key the text "expct"; did you mean "expect"?"#),
        (#"{"id":7}"#, "7", "at, after, say, do, expect, never, fault, advance, get or stop"),
        (#"{"id":7,"do":{"set":"stats","value":1}}"#, "7", #"no characteristic "stats"; did you mean "status"?"#),
        (#"{"id":7,"do":{"set":"status.lvl","value":1}}"#, "7", #"status has no field "lvl""#),
        ("nonsense", "null", "a request"), ("{\"id\": 7, ", "null", "flow node"), ("[]", "null", "a request"),
    ])
    func whatIsWrongIsSaid(line: String, id: String, text: String) throws {
        let fault = #expect(throws: ControlLine.Fault.self) { try request(line) }
        #expect(fault?.id == id && fault?.text.contains(text) == true, "\(fault?.text ?? "")")
    }

    @Test func requestsDoNotWaitForEachOther() throws {
        var player = ControlPlayer(Kettle.profile)
        _ = player.begin(at: time(0))
        let drunk = #"{"expect":"drunk","where":"amount == 50","within":5}"#
        #expect(try player.add(step(drunk), id: "1", at: time(1)) == [])
        #expect(player.deadline == time(6) && !player.isIdle)
        #expect(
            try player.add(step(#"{"do":"sip"}"#), id: "2", at: time(2)) == [.device(Stimulus("sip", 50))])
        #expect(player.takeOutcomes().map(\.id) == ["2"])
        _ = player.take(note("drunk", ["amount": .number(40)]), from: .device, at: time(3))
        #expect(player.takeOutcomes().isEmpty)
        _ = player.take(note("drunk", ["amount": .number(50)]), from: .device, at: time(3))
        let outcomes = player.takeOutcomes()
        #expect(outcomes.map(\.id) == ["1"] && outcomes.first?.failures == [] && outcomes.first?.event?.time == time(3))
        #expect(player.isIdle && player.deadline == nil)
    }

    @Test func whatHasComeSinceTheLastActionCounts() throws {
        var player = ControlPlayer(Kettle.profile)
        _ = player.begin(at: time(0))
        _ = player.take(note("old"), from: .device, at: time(1))
        _ = try player.add(step(#"{"do":"sip"}"#), id: "1", at: time(2))
        _ = player.take(note("new"), from: .device, at: time(3))
        _ = try player.add(step(#"{"expect":"new","within":1}"#), id: "2", at: time(4))
        _ = try player.add(step(#"{"expect":"old","within":1}"#), id: "3", at: time(4))
        _ = player.expire(at: time(5))
        let outcomes = player.takeOutcomes()
        #expect(outcomes.map(\.id) == ["1", "2", "3"] && outcomes.map(\.failures.isEmpty) == [true, true, false])
        #expect(outcomes.last?.failures.first?.text == #""old" did not occur within 1 s; nothing came"#)
    }

    @Test func whatMustNotComeIsForbiddenFromThenOn() throws {
        var player = ControlPlayer(Kettle.profile)
        _ = player.begin(at: time(0))
        _ = player.take(note("failed"), from: .device, at: time(1))
        _ = try player.add(step(#"{"never":"failed","within":2}"#), id: "1", at: time(2))
        _ = player.expire(at: time(4))
        #expect(player.takeOutcomes().first?.failures == [])
    }

    @Test func whatWasExpectedMayBeForbiddenAtTheSameTime() throws {
        var player = ControlPlayer(Kettle.profile)
        _ = player.begin(at: time(0))
        _ = try player.add(step(#"{"expect":"failed","within":2}"#), id: "1", at: time(1))
        _ = try player.add(step(#"{"never":"failed","within":2}"#), id: "2", at: time(1))
        _ = player.take(note("failed"), from: .device, at: time(2))
        let outcomes = player.takeOutcomes()
        #expect(outcomes.map(\.id) == ["1", "2"] && outcomes.map(\.failures.isEmpty) == [true, false])
        // A failure fulfils no other expectation.
        _ = try player.add(step(#"{"expect":"failed","within":1}"#), id: "3", at: time(3))
        _ = player.expire(at: time(4))
        #expect(player.takeOutcomes().first?.failures.count == 1)
    }

    @Test func requestsBeforeTheDeviceIsReadyWait() throws {
        var player = ControlPlayer(Kettle.profile)
        #expect(try player.add(step(#"{"do":"sip"}"#), id: "1", at: time(0)) == [])
        #expect(!player.isIdle && player.takeOutcomes().isEmpty)
        #expect(player.begin(at: time(1)) == [.device(Stimulus("sip", 50))] && player.isIdle)
    }
}
