import Bluetooth
import Captures
import Emulation
import Foundation
import PDUTestKit
import PluginKit
import TestKit
import Testing
import Transports
import Workbench

/// Devices and clients on this process's radio, as in `gattbench emulate --transport radio:`.
@Suite struct WorldJobTests {
    /// A device from the profile alone, and the exploring client.
    private func options(_ steps: String) throws -> EmulateOptions {
        let library = try PluginLibrary.builtIn()
        let plugin = try #require(library["lifecount"]?.plugin)
        var options = EmulateOptions(plugin: DevicePlugin(plugin.profile), transport: .radio)
        options.scenario = try ScenarioReader.read(
            "scenario: x\nplugin: lifecount\nsteps:\n\(steps)", file: "x.yaml", known: ["lifecount"]
        ) { _ in
            ScenarioVocabulary(
                options.plugin, stimuli: [],
                tasks: [StimulusDefinition("explore", "Looks."), StimulusDefinition("leave", "Goes.")])
        }
        options.speed = .virtual
        return options
    }

    @Test func aDeviceThatKeepsNothingHasNoState() throws {
        var options = try options("  - {do: {client: explore}}")
        options.state = try TemporaryFolder().path("none.json")
        let fault = #expect(throws: TwinFault.self) { try WorldJob(options, keyboard: nil) }
        #expect(fault?.description == "lifecount has no non-volatile memory: omit --state")
    }

    private func run(_ options: EmulateOptions) throws -> (failures: [String], lines: [String]) {
        var job = try WorldJob(options, keyboard: nil)
        var lines: [String] = []
        let isInterrupted = { false }
        let outcome = try job.run(isInterrupted: isInterrupted) { output in
            switch output {
            case .ready(let name, let address, _): lines.append("ready \(name ?? "") \(address.address)")
            case .happened(let entry): lines.append(entry.json)
            case .said(let text, _): lines.append(text)
            default: break
            }
        }
        return (outcome.failures.map(\.description), lines)
    }

    @Test func aScenarioIsATest() throws {
        let (failures, lines) = try run(
            options(
                """
                  - {say: Looking, do: {client: explore}, expect: client explored}
                  - {expect: client read battery_level, where: u8(0) == 87}
                  - {expect: client read battery_level, where: u8(0) == 88, within: 3 s}
                  - {do: {client: leave}, expect: disconnected}
                """))
        #expect(lines.prefix(3).map { $0.prefix(5) } == ["ready", "Looki", "{\"tim"])
        #expect(failures.count == 1)
        #expect(
            failures.first?.hasPrefix("x.yaml:6:5: \"client read battery_level\" where u8(0) == 88 did not occur")
                == true)
    }

    /// A connection at 5 m and 10 m, and one that a wall ends.
    @Test func aConnectionHoldsAtADistanceAndIsLostOutOfRange() throws {
        let (failures, lines) = try run(
            options(
                """
                  - {do: {client: explore}, expect: client explored}
                  - {do: {distance: 5 m}, never: client disconnected, within: 2 min}
                  - {do: {distance: 10 m}, never: client disconnected, within: 2 min}
                  - {do: {attenuation: 100 dB}, expect: client disconnected, within: 1 min}
                  - {do: [{distance: 5 m}, {client: explore}], expect: client explored}
                """))
        #expect(failures == [])
        let losses = lines.filter { $0.contains(#""event":"disconnected""#) }
        #expect(losses.count == 2 && losses.allSatisfy { $0.contains("Connection Timeout") }, "\(losses)")
    }

    @Test func theSameOptionsGiveTheSameCapture() throws {
        func capture(_ seed: UInt64) throws -> [UInt8] {
            let folder = try TemporaryFolder()
            var options = try options("  - {do: [{client: explore}, {time_passes: 5 min}]}")
            options.record = folder.path("world.btsnoop")
            options.seed = seed
            _ = try run(options)
            return try folder.bytes("world.btsnoop")
        }
        let first = try capture(7)
        #expect(first.count > 10_000)
        #expect(try capture(7) == first)
        #expect(try capture(8) != first)
    }

    @Test func aDurationEndsIt() throws {
        var options = try options("  - {do: {client: explore}}")
        options.duration = .seconds(65)
        let lines = try run(options).lines
        // The profile's counter notifies its status every half minute.
        #expect(
            lines.count { $0.contains(#""source":"client","event":"notify","characteristic":"counter_status""#) } == 2)
    }

    @Test func scenariosAreFoundByName() throws {
        let library = try PluginLibrary.builtIn()
        let plugin = try #require(library["lifecount"]?.plugin)
        let scenarios = try ScenarioLibrary(library)
        #expect(throws: UnknownScenario.self) { try scenarios.scenario("no-such-day", of: plugin) }
        for entry in scenarios.entries {
            let plugin = try #require(library[entry.plugin]?.plugin)
            let scenario = try scenarios.scenario(entry.name, of: plugin)
            #expect(scenario.file == entry.file && scenario.steps.contains { $0.expectation != nil })
        }
    }
}

/// The built-in scenarios and the demonstration.
@Suite struct BuiltInScenarioTests {
    /// Plugin and name.
    private static let names: [[String]] = {
        let entries = (try? ScenarioLibrary(.builtIn()).entries) ?? []
        return entries.map { [$0.plugin, $0.name] }
    }()

    @Test(arguments: names)
    func whatIsExpectedComes(scenario: [String]) throws {
        let library = try PluginLibrary.builtIn()
        let plugin = try #require(library[scenario[0]]?.plugin)
        var options = EmulateOptions(plugin: plugin, transport: .radio)
        options.scenario = try ScenarioLibrary(library).scenario(scenario[1], of: plugin)
        options.speed = .virtual
        var job = try WorldJob(options, keyboard: nil)
        let isInterrupted = { false }
        let outcome = try job.run(isInterrupted: isInterrupted) { _ in }
        #expect(outcome.failures.map(\.description) == [] && outcome.fulfilled > 0)
    }

    /// With a dialect, a scenario's name selects the variant for that dialect, or the common one.
    @Test(arguments: [
        "normal-day", "first-pairing", "offline-week", "flaky-link", "low-battery", "demo", "calibration",
    ])
    func aPuckOfTheRequirementsPlaysThemToo(scenario: String) throws {
        let library = try PluginLibrary.builtIn()
        let plugin = try #require(library["aquavate"]?.plugin)
        var options = EmulateOptions(plugin: plugin, transport: .radio)
        options.dialect = "prd"
        options.scenario = try ScenarioLibrary(library).scenario(scenario, of: plugin, dialect: "prd")
        options.speed = .virtual
        var job = try WorldJob(options, keyboard: nil)
        let isInterrupted = { false }
        let outcome = try job.run(isInterrupted: isInterrupted) { _ in }
        #expect(outcome.failures.map(\.description) == [] && outcome.fulfilled > 0)
    }

    @Test func theDemonstrationFindsItsFault() async throws {
        let folder = try TemporaryFolder()
        var text = ""
        let isInterrupted = { false }
        let outcome = try await DemoJob(folder: folder.path).run(isInterrupted: isInterrupted) { text += $0 }
        #expect(outcome.failures == [])
        #expect(text.contains("FAIL AQ-060") && text.contains("FAIL  1 rule failed"))
        #expect(text.contains("Drink Data: Chunk Index 0") && !text.contains("\u{1B}"))
        #expect(try folder.names == ["check.xml", "morning.btsnoop", "report.md"])
    }
}
