import Bluetooth
import Bytes
import Emulation
import PluginKit
import Testing
import Transports
import Workbench

/// The display of an emulated device, for a controlling program and on a key.
@Suite struct DisplayedTwinTests {
    private func makeSession(_ plugin: String) throws -> EmulationSession {
        let plugin = try #require(try PluginLibrary.builtIn()[plugin]?.plugin)
        var options = EmulateOptions(plugin: plugin, transport: .radio)
        options.control = .standardStreams
        return try EmulationSession(options)
    }

    /// The replies to a request for the display, after seconds of virtual time.
    private func replies(_ plugin: String, after seconds: Double) throws -> [String] {
        var session = try makeSession(plugin)
        var world = VirtualWorld(seed: 1)
        let index = world.add(try session.makeDevice(), address: Address(value: 0x0242_0000_0001))
        _ = world.advance(to: Timestamp(nanoseconds: 0) + .seconds(seconds))
        let request = Array(#"{"id": 1, "get": "display"}"#.utf8)
        _ = session.control?.take(request, world.device(index), hasClient: true, at: world.now)
        return session.control?.takeReplies() ?? []
    }

    @Test func thePucksDisplayIsLinesOfText() throws {
        let reply = try #require(try replies("aquavate", after: 4).first)
        #expect(reply.hasPrefix(#"{"id":1,"ok":true,"display":["┌"#))
        #expect(reply.contains("Today:   0ml"))
    }

    @Test func aDeviceWithoutADisplayHasNone() throws {
        #expect(try replies("lifecount", after: 4) == [#"{"id":1,"ok":true,"display":null}"#])
    }

    @Test func aScenarioExpectsWhatIsDisplayed() throws {
        let plugin = try #require(try PluginLibrary.builtIn()["aquavate"]?.plugin)
        var options = EmulateOptions(plugin: plugin, transport: .radio)
        options.speed = .virtual
        options.scenario = try ScenarioReader.read(
            """
            scenario: x
            plugin: aquavate
            steps:
              - {do: {sip: 120 ml}, expect: display, where: today == 120 && current == 709}
              - {do: [carry, {time_passes: 4 min}], expect: display, where: screen == "backpack"}
              - {do: {double_tap: 2.5 g}, never: display, within: 5 s}
              - {do: {double_tap: 3 g}, expect: display, where: text == "waking"}
            """, file: "x.yaml", known: ["aquavate"]
        ) { _ in plugin.vocabulary }
        var job = try WorldJob(options, keyboard: nil)
        let isInterrupted = { false }
        let outcome = try job.run(isInterrupted: isInterrupted) { _ in }
        #expect(outcome.failures.map(\.description) == [])
        #expect(outcome.fulfilled == 4)
    }

    @Test(arguments: [("aquavate", true), ("lifecount", false)])
    func aKeyShowsIt(plugin: String, hasDisplay: Bool) throws {
        let session = try makeSession(plugin)
        var isShown = false
        if case .display = session.stimulus(forKey: "v") { isShown = true }
        #expect(isShown == hasDisplay)
        #expect(session.keys.contains("v  Shows the display.") == hasDisplay)
    }
}
