import Bluetooth
import Bytes
import Host
import PDUTestKit
import PluginKit
import TestKit
import Testing
import Transports
import Workbench

/// `gattbench emulate` on a controller of `gattbench radio`, over TCP, and our host on another one.
@Suite(.serialized) struct EmulateJobTests {
    @Test func aHostOfOursUsesADevice() async throws {
        let plugin = try #require(try PluginLibrary.builtIn()["lifecount"]?.plugin)
        let radio = try RunningRadio()
        // Without the plugin's Swift code.
        let device = try RunningDevice(
            EmulateOptions(plugin: DevicePlugin(plugin.profile), transport: TransportSpec(radio.clients[0])))
        let isReady = device.isReady()
        #expect(isReady)
        var host = try LiveHost(Host(), TransportSpec(radio.clients[1]))
        let isUp = host.start()
        #expect(isUp)
        host.request(.connect(Host.ConnectSettings(DeviceAddress(Address(value: 0x0242_0000_0001), .public))))
        guard case .connected(let handle, _)? = host.wait(for: { if case .connected = $0 { true } else { false } })
        else { throw NoConnection() }
        guard case .success(.table(let table))? = host.client(handle, .discover) else { throw NoConnection() }
        let battery = try #require(table.characteristics.first { $0.type == 0x2A19 })
        let level = host.client(handle, .read(battery.value))
        #expect(level == .success(.value([0x57])))
        let name = try #require(table.characteristics.first { $0.type == 0x2A00 })
        let title = host.client(handle, .read(name.value))
        #expect(title == .success(.value(Array("LifeCount-A5C3".utf8))))
        host.request(.disconnect(handle, .remoteUserTerminatedConnection))
        _ = host.wait { if case .disconnected = $0 { true } else { false } }
        host.close()
        let (failures, lines) = try await device.end()
        try await radio.end()
        #expect(failures == [])
        let kinds = lines.compactMap { $0.firstMatch(of: /"event":"(\w+)"/)?.1 }
        #expect(kinds.first == "advertising" && kinds.contains("connected"))
    }

    /// The plugin's client, on another controller, performs its tasks and ends.
    @Test func theClientOfAPluginUsesADevice() async throws {
        let plugin = try #require(try PluginLibrary.builtIn()["aquavate"]?.plugin)
        let radio = try RunningRadio()
        let device = try RunningDevice(
            EmulateOptions(plugin: plugin, transport: TransportSpec(radio.clients[0])))
        let isReady = device.isReady()
        #expect(isReady)
        var options = EmulateOptions(plugin: plugin, transport: try TransportSpec(radio.clients[1]))
        options.tasks = [Stimulus("sync"), Stimulus("set_goal", 3000)]
        options.duration = nil
        let running = try RunningDevice(options)
        let client = try await running.lines()
        #expect(running.problem == nil)
        let (_, lines) = try await device.end()
        try await radio.end()
        let events = client.compactMap { $0.firstMatch(of: /"event":"(\w+)"/)?.1 }
        #expect(events.contains("sync_done") && events.contains("set_goal_done") && events.last == "disconnected")
        #expect(lines.contains { $0.contains(#""event":"goal","fields":{"ml":3000}"#) })
    }

    /// `connect --plugin` with a device of the profile's second dialect.
    @Test func aConnectionRecognizesTheDialectOfTheDevice() async throws {
        let library = try PluginLibrary.builtIn()
        let plugin = try #require(library["aquavate"]?.plugin)
        let radio = try RunningRadio()
        var deviceOptions = EmulateOptions(plugin: plugin, transport: try TransportSpec(radio.clients[0]))
        deviceOptions.dialect = "prd"
        let device = try RunningDevice(deviceOptions)
        let isReady = device.isReady()
        #expect(isReady)
        var options = ConnectOptions(transport: try TransportSpec(radio.clients[1]))
        options.plugin = plugin
        let session = try ConnectSession(options, library) { false }
        let values = try session.perform(.read("prd_bottle_config"))
        #expect(values.map(\.name) == ["prd_bottle_config"])
        session.close()
        _ = try await device.end()
        try await radio.end()
    }

    /// A device that disconnects during discovery leaves the client's task undone.
    @Test func aClientWhoseDiscoveryFailsReportsIt() async throws {
        let library = try PluginLibrary.builtIn()
        let plugin = try #require(library["aquavate"]?.plugin)
        let folder = try TemporaryFolder()
        let text = "scenario: x\nplugin: aquavate\nsteps:\n  - {after: connected, do: disconnect}\n"
        let path = try folder.file("scenario.yaml", text.utf8)
        let radio = try RunningRadio()
        var deviceOptions = EmulateOptions(plugin: plugin, transport: try TransportSpec(radio.clients[0]))
        deviceOptions.scenario = try ScenarioLibrary(library).scenario(path, of: plugin, dialect: nil)
        deviceOptions.duration = .seconds(60)
        let device = try RunningDevice(deviceOptions)
        let isReady = device.isReady()
        #expect(isReady)
        var options = EmulateOptions(plugin: plugin, transport: try TransportSpec(radio.clients[1]))
        options.tasks = [Stimulus("sync")]
        let client = try RunningDevice(options)
        let lines = try await client.lines()
        _ = try await device.end()
        try await radio.end()
        let events = lines.compactMap { $0.firstMatch(of: /"event":"(\w+)"/)?.1 }
        #expect(events.contains("discovery_failed") && events.last == "disconnected")
        #expect(client.problem == .failed(procedure: "discovery", reason: "the connection was lost"))
    }

    /// An address that a host cannot have, a missing controller, and an unresponsive one.
    @Test func whatIsNotThereIsSaid() async throws {
        let plugin = try #require(try PluginLibrary.builtIn()["lifecount"]?.plugin)
        var options = EmulateOptions(plugin: plugin, transport: try TransportSpec("tcp-server:_:0"))
        options.address = Address(value: 0x0242_0000_0009)
        #expect(throws: TwinFault.self) { try EmulateJob(options, keyboard: nil) }
        options.address = nil
        options.dialect = "shipped"
        #expect(throws: TwinFault.self) { try EmulateJob(options, keyboard: nil) }
        options.dialect = nil
        options.transport = try TransportSpec("unix:/nowhere/at/all")
        #expect(throws: TransportError.self) { try EmulateJob(options, keyboard: nil) }
    }

    private struct NoConnection: Error {}
}
