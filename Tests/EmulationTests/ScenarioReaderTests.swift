import Bluetooth
import Bytes
import Emulation
import PluginKit
import Profile
import Testing

/// Scenario files: valid ones, and the error messages for invalid ones.
@Suite struct ScenarioReaderTests {
    private static let stimuli = [
        StimulusDefinition("refill", "Fills it."),
        StimulusDefinition("sip", "Drinks.", amount: .init("ml", in: 1...830, usual: 50), key: "s"),
        StimulusDefinition("battery", "Sets the charge.", amount: .init("%", in: 0...100)),
    ]

    private func read(_ text: String) throws -> Scenario {
        try ScenarioReader.read(text, file: "day.yaml", known: ["kettle", "puck"]) { id in
            id == "kettle"
                ? ScenarioVocabulary(
                    DevicePlugin(Kettle.profile), stimuli: Self.stimuli, tasks: ExploringClient.tasks) : nil
        }
    }

    private func head(_ steps: String) -> String { "scenario: A day\nplugin: kettle\nsteps:\n\(steps)" }

    @Test func everythingThatCanStandThere() throws {
        let scenario = try read(
            """
            scenario: A day
            doc: With everything.
            plugin: kettle
            start: 2026-03-02T07:00:00Z
            quirks: exact
            steps:
              - {at: 5 s, do: refill}
              - {after: connected, within: 1 min, do: {sip: 40 ml}}
              - do: [sip, {battery: 12 %}, {time_passes: 8 h}, drop_link]
              - do: {fault: {kind: truncate, of: status, count: 3}}
                expect: notify status
                where: level == 60
                within: 90 s
              - {do: {client: explore}, expect: client explored}
              - {never: failed, within: 500 ms}
              - {do: [{distance: 5 m}, {attenuation: 20 dB}]}
            """)
        #expect(scenario.title == "A day")
        #expect(scenario.start == Timestamp(seconds: 1_772_434_800, nanoseconds: 0))
        #expect(scenario.quirks == QuirkSelection(.exact))
        #expect(scenario.needsClient)
        let steps = scenario.steps
        #expect(steps.map(\.time) == [.seconds(5), nil, nil, nil, nil, nil, nil])
        #expect(steps.map(\.limit) == [30, 60, 30, 90, 30, 0.5, 30].map { .seconds($0) })
        #expect(
            steps.map(\.actions) == [
                [.device(Stimulus("refill"))], [.device(Stimulus("sip", 40))],
                [
                    .device(Stimulus("sip", 50)), .device(Stimulus("battery", 12)), .timePasses(.seconds(28_800)),
                    .dropLink,
                ],
                [.fault(ValueFault(.truncate, of: "status", count: 3))], [.client(Stimulus("explore"))], [],
                [.moveApart(5), .attenuate(20)],
            ])
        #expect(scenario.needsVirtualRadio)
        #expect(steps[1].trigger?.kind == .note("connected"))
        #expect(steps[3].expectation?.event.kind == .value(.notify, characteristic: "status"))
        #expect(steps[3].expectation?.event.condition?.text == "level == 60")
        #expect(steps[4].expectation?.event.source == .client)
        #expect(steps[5].expectation?.isForbidden == true)
    }

    @Test(arguments: [
        ("  - {do: spi}", "4:10: there is no \"spi\"; did you mean \"sip\"?"),
        ("  - {do: {sip: 900 ml}}", "4:16: sip: expected 1 to 830 ml, like \"1 ml\", found \"900 ml\""),
        ("  - {do: {sip: 50}}", "4:16: sip: expected 1 to 830 ml, like \"1 ml\", found \"50\""),
        ("  - {do: battery}", "4:10: battery: expected 0 to 100 %, like \"0 %\"; it is missing"),
        ("  - {do: {distance: 0 m}}", "4:21: distance: expected 0.1 to 10000 m, like \"0.1 m\", found \"0 m\""),
        ("  - {do: attenuation}", "4:10: attenuation: expected 0 to 200 dB, like \"0 dB\"; it is missing"),
        ("  - {do: {refill: 5 ml}}", "4:19: refill: expected nothing, found \"5 ml\""),
        ("  - {do: {client: explode}}", "4:19: there is no \"explode\"; did you mean \"explore\"?"),
        (
            "  - {do: time_passes}",
            "4:10: time_passes: expected a duration, like 5 s, 500 ms, 2 min or 8 h; it is missing"
        ),
        (
            "  - {do: {fault: {kind: cut}}}",
            "4:25: kind: expected drop, duplicate, corrupt, truncate, extend, reorder, flood, replace, refuse or delay, "
                + "found \"cut\""
        ),
        ("  - {expect: notify sttus}", "4:14: expect: there is no characteristic \"sttus\"; did you mean \"status\"?"),
        (
            "  - {expect: tell status}",
            "4:14: expect: expected read, write, notify, indicate or any, found \"tell\""
        ),
        ("  - {at: soon}", "4:10: at: expected a duration, like 5 s, 500 ms, 2 min or 8 h, found \"soon\""),
        ("  - {do: refill, within: 5 s}", "4:18: within: no event to wait for"),
        ("  - {expect: a, never: b}", "4:17: never: cannot stand beside \"expect\""),
        ("  - {}", "4:5: steps: expected at least one of at, after, say, do, expect and never; it is missing"),
        (
            "  - {when: 5 s, do: refill}",
            "4:6: unknown key \"when\"; the keys are at, after, say, do, expect, never, where, within"
        ),
    ])
    func whatIsWrongIsSaid(step: String, message: String) throws {
        let error = #expect(throws: ScenarioFaults.self) { try read(head(step)) }
        #expect(error?.faults.faults.map { "\($0.place): \($0.text)" } == [message])
    }

    /// Vol 3, Part F, 3.2.9
    @Test(arguments: [
        "bytes: \(String(repeating: "41", count: 600))", "value: \(String(repeating: "A", count: 600))",
    ])
    func aValueAbove512BytesIsRefused(value: String) throws {
        let error = #expect(throws: ScenarioFaults.self) {
            try ScenarioReader.read(
                head("  - {do: {set: owner, \(value)}}"), file: "day.yaml", known: ["kettle"]
            ) { _ in
                var words = ScenarioVocabulary(DevicePlugin(Kettle.profile), stimuli: [], tasks: [])
                words.profile = Kettle.profile
                return words
            }
        }
        #expect(
            error?.faults.faults.map { "\($0.place): \($0.text)" } == [
                "4:10: owner: expected a value of 512 bytes at most, found 600"
            ])
    }

    @Test func aPluginThatIsNotThereIsNamed() throws {
        let error = #expect(throws: ScenarioFaults.self) { try read("scenario: x\nplugin: kettel\nsteps: []") }
        #expect(
            error?.description
                == "invalid scenario\nday.yaml:2:9: error: plugin: expected kettle or puck, found \"kettel\"; did you mean \"kettle\"?"
        )
    }

    @Test(arguments: [
        ("exact", QuirkSelection(.exact)), ("fixed", QuirkSelection(.fixed)),
        ("Q-02", QuirkSelection(.fixed, except: ["Q-02"])),
        ("exact,Q-02, Q-03", QuirkSelection(.exact, except: ["Q-02", "Q-03"])),
    ])
    func quirksAreSelected(text: String, selection: QuirkSelection) throws {
        #expect(try QuirkSelection(parsing: text, known: ["Q-02", "Q-03"]) == selection)
    }

    @Test(arguments: ["", "some", "exact,Q-04", "Q-2"]) func otherQuirksAreRefused(text: String) {
        #expect(throws: QuirkSelection.Fault.self) { try QuirkSelection(parsing: text, known: ["Q-02"]) }
    }
}
