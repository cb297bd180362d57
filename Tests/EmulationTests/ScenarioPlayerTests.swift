import Bluetooth
import Bytes
import Emulation
import PluginKit
import Testing

/// Playing scenarios: the times of steps, and the failures of unmet expectations.
@Suite struct ScenarioPlayerTests {
    private func player(_ steps: String) throws -> ScenarioPlayer {
        let scenario = try ScenarioReader.read(
            "scenario: x\nplugin: kettle\nsteps:\n\(steps)", file: "x.yaml", known: ["kettle"]
        ) { _ in
            ScenarioVocabulary(
                DevicePlugin(Kettle.profile), stimuli: [StimulusDefinition("refill", "Fills it.")],
                tasks: ExploringClient.tasks)
        }
        return ScenarioPlayer(scenario, Kettle.profile)
    }

    private func time(_ seconds: Double) -> Timestamp { Timestamp(nanoseconds: 0) + .seconds(seconds) }
    private let refill = Scenario.Action.device(Stimulus("refill"))
    private func note(_ name: String, _ facts: KeyValuePairs<String, TwinNote.Amount> = [:]) -> EmulationEvent {
        .note(TwinNote(name, facts))
    }

    @Test func thingsAreDoneWhenTheirTimeHasCome() throws {
        var player = try player("  - {at: 5 s, do: refill}\n  - {do: [{time_passes: 8 h}, refill]}")
        #expect(player.begin(at: time(100)) == [] && player.deadline == time(105) && player.onlyTimeIsMissing)
        #expect(player.expire(at: time(104)) == [])
        #expect(player.expire(at: time(105)) == [refill])
        #expect(player.deadline == time(105 + 28_800))
        #expect(player.expire(at: time(105 + 28_800)) == [refill])
        #expect(player.isFinished && player.failures.isEmpty)
    }

    @Test func anEventIsWaitedFor() throws {
        var player = try player("  - {after: connected, do: refill, expect: stored, where: amount > 40}")
        #expect(player.begin(at: time(0)) == [] && player.deadline == time(30) && !player.onlyTimeIsMissing)
        #expect(player.take(note("advertising"), from: .device, at: time(1)) == [])
        #expect(player.take(note("connected"), from: .client, at: time(1)) == [])
        #expect(player.take(note("connected"), from: .device, at: time(2)) == [refill])
        #expect(player.deadline == time(32))
        #expect(player.take(note("stored", ["amount": .number(30)]), from: .device, at: time(3)) == [])
        #expect(!player.isFinished)
        #expect(player.take(note("stored", ["amount": .number(50)]), from: .device, at: time(4)) == [])
        #expect(player.isFinished && player.failures.isEmpty && player.fulfilled == 1)
    }

    @Test func conditionsSeeTheFieldsOfValues() throws {
        var player = try player("  - {expect: notify status, where: temperature >= 99.5}")
        _ = player.begin(at: time(0))
        _ = player.take(.value(.notify, "status", [0xD7, 0, 60]), from: .device, at: time(1))
        #expect(!player.isFinished)
        _ = player.take(.value(.notify, "status", [0xE3, 3, 60]), from: .device, at: time(1))
        #expect(player.isFinished)
    }

    @Test func valuesAreToldApartByOperationAndCharacteristic() throws {
        var player = try player("  - {expect: notify status}")
        _ = player.begin(at: time(0))
        _ = player.take(.value(.notify, "alarm", [0xD7, 0, 60]), from: .device, at: time(1))
        _ = player.take(.value(.indicate, "status", [0xD7, 0, 60]), from: .device, at: time(1))
        _ = player.take(.value(.notify, "status", [0xD7, 0, 60]), from: .client, at: time(1))
        #expect(!player.isFinished)
        _ = player.take(.value(.notify, "status", [0xD7, 0, 60]), from: .device, at: time(1))
        #expect(player.isFinished)
    }

    @Test func whatHasComeSinceTheLastDeedCounts() throws {
        var player = try player("  - {do: refill, expect: b}\n  - {expect: a}\n  - {expect: a, within: 2 s}")
        _ = player.begin(at: time(0))
        _ = player.take(note("a"), from: .device, at: time(1))
        _ = player.take(note("b"), from: .device, at: time(1))
        #expect(player.deadline == time(3), "one a answers one expectation")
    }

    @Test func whatDoesNotComeIsAFailure() throws {
        var player = try player("  - {do: refill, expect: b, within: 2 s}\n  - {do: refill}")
        _ = player.begin(at: time(0))
        _ = player.take(note("a"), from: .device, at: time(1))
        #expect(player.expire(at: time(2)) == [refill])
        #expect(player.failures.map(\.description) == ["x.yaml:4:5: \"b\" did not occur within 2 s; last was a"])
    }

    @Test func whatMustNotComeIsAFailureAtOnce() throws {
        var player = try player("  - {never: a, within: 5 s}\n  - {never: b, within: 5 s}")
        _ = player.begin(at: time(0))
        _ = player.take(note("a"), from: .device, at: time(1))
        #expect(player.failures.map(\.expected) == ["no \"a\""])
        #expect(player.deadline == time(6))
        _ = player.expire(at: time(6))
        #expect(player.isFinished && player.failures.count == 1 && player.fulfilled == 1)
    }
}
