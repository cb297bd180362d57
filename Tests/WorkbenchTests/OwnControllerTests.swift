import Bluetooth
import Bytes
import Captures
import Conformance
import Emulation
import PDUTestKit
import PluginKit
import TestKit
import Testing
import Workbench

/// A device recorded at its own controller, as by `emulate --record`, is checked like one recorded at its peer.
@Test func aDeviceIsJudgedByWhatPassesAtItsOwnController() async throws {
    let library = try PluginLibrary.builtIn()
    let plugin = try #require(library["aquavate"]?.plugin)
    var settings = EmulatedDevice.Settings()
    settings.dialect = "shipped"
    var world = VirtualWorld(seed: 1)
    let puck = world.add(
        try EmulatedDevice(plugin.profile, twin: try plugin.makeTwin(TwinSettings()), settings),
        address: Address(value: 0x0242_0000_0001))
    let app = world.add(
        ConnectedClient(plugin.profile, client: plugin.makeClient(TwinSettings())),
        address: Address(value: 0x0242_0000_0002))
    world.perform(EmulatedDevice.Input.stimulus(Stimulus("history", 40)), device: puck)
    world.perform(ConnectedClient.Input.task(Stimulus("sync")), client: app)

    let folder = try TemporaryFolder()
    let path = folder.path("own-controller.btsnoop")
    let target = CaptureTarget(.btsnoop, holding: .h4)
    let writer = try CaptureWriter(path: path, target: target)
    for event in world.advance(to: world.now + .seconds(60)) where event.station == puck {
        guard case .packet(let packet, let isSent) = event.kind else { continue }
        try writer.write(h4: packet, direction: isSent ? .sent : .received, time: event.time)
    }
    try writer.flush()

    var job = CheckJob()
    job.plugins = library.plugins
    let report = try await job.run(CaptureReader(path: path)) { _ in true }.report
    let device = try #require(report.devices.first { $0.plugin == "aquavate" })
    #expect(device.dialect == "shipped")
    #expect(!report.results.contains { $0.verdict == .fail })
    let passed = report.results.filter { $0.verdict == .pass }.map { report.rules[$0.rule].id }
    #expect(passed.contains("AQ-060"), "a chunk's length is judged")
}
