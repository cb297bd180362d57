import Bluetooth
import Bytes
import Conformance
import DeviceTesting
import Emulation
import Output
import PluginKit
import Radio
import Testing
import Workbench

/// The times of plan 028's reconnections, in several phases of the system's looks.
@Suite struct ReconnectionTimeTests {
    /// A measured step of a situation, with the plan's bounds in seconds after the step begins.
    private static let bounds: [(situation: String, step: String, bounds: ClosedRange<Double>)] = [
        ("reconnection.foreground", "The app comes to the foreground: connected", 1...5),
        ("reconnection.out_of_range", "The puck is in range again: connected", 0...8),
        ("reconnection.background[firmware=exact,P-028]", "The puck wakes up and somebody drinks: connected", 10...60),
        ("reconnection.background[firmware=exact]", "The puck wakes up and somebody drinks: connected", 10...60),
        ("reconnection.relaunched[firmware=exact,P-028]", "The puck wakes up and somebody drinks: connected", 30...120),
        ("reconnection.relaunched[firmware=exact]", "The puck wakes up and somebody drinks: connected", 30...120),
    ]

    @Test(arguments: Array(1...20) as [UInt64])
    func everyPhaseKeepsToThePlan(_ seed: UInt64) throws {
        var suite = try ClientSuite("aquavate")
        suite.options.selection.tags = ["plan028"]
        suite.options.run.seed = seed
        let (cases, _) = try suite.run()
        for (situation, step, bounds) in Self.bounds {
            let tested = try #require(cases.first { $0.id == situation }, "\(situation)")
            let measurement = try #require(tested.measurements.first { $0.text == step }, "\(situation)")
            let seconds = try #require(measurement.measured, "\(situation)")
            #expect(bounds.contains(seconds), "\(situation): \(seconds) s")
        }
        // A puck without drinks is not connected.
        let idle = try #require(cases.first { $0.id == "reconnection.background_without_drinks" })
        #expect(idle.verdict == .pass, "\(idle.findings.first?.contrast ?? "")")
    }

    /// Without a puck in range, ten minutes in the background, and ended by the system.
    @Test(arguments: [("background", 0.12), ("system_terminate", 0.04)])
    func theClientDoesNotScanAllTheTime(_ task: String, share: Double) throws {
        let plugin = try #require(PluginLibrary.load(["aquavate"], environment: [:])["aquavate"]?.plugin)
        var world = VirtualWorld(seed: 1)
        let app = world.add(
            ConnectedClient(plugin.profile, client: plugin.makeClient(TwinSettings())),
            address: Address(value: 0x0242_0000_0011))
        world.perform(.task(Stimulus(task)), client: app)
        var scanning = Duration.zero
        var start: Timestamp?
        for event in world.advance(to: Timestamp(seconds: 600, nanoseconds: 0)) {
            // LE Set Scan Enable or LE Set Extended Scan Enable: indicator, opcode, length, Enable.
            guard case .packet(let bytes, isSent: true) = event.kind, bytes.count > 4,
                bytes.starts(with: [0x01, 0x0C, 0x20]) || bytes.starts(with: [0x01, 0x42, 0x20])
            else { continue }
            if bytes[4] == 1 {
                start = event.time
            } else if let begin = start {
                scanning += event.time - begin
                start = nil
            }
        }
        #expect(scanning > .zero && scanning < Duration.seconds(600) * share, "\(scanning)")
    }
}
