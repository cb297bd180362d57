import Captures
import Conformance
import Conversation
import PDUTestKit
import PluginKit
import TestKit
import Testing
import Transports
import Workbench

/// Our emulated devices that only advertise, received by Bumble over our radio.
@Suite(.serialized, .enabled(if: Bumble.python != nil, "\(Bumble.isMissing)"))
struct BumbleScanTests {
    /// The tag of docs/writing-a-plugin.md: Bumble receives the data of Ruuvi's test vector, then the next measurement.
    @Test func aTagIsHeardByOthers() async throws {
        let folder = try TemporaryFolder()
        let capture = folder.path("tag.btsnoop")
        let library = try PluginLibrary.load([Repository.path("captures/ruuvi-tag")], environment: [:])
        let plugin = try #require(library.plugins.plugins.first { $0.id == "ruuvi" })
        let radio = try RunningRadio(record: capture)
        var options = EmulateOptions(plugin: plugin, transport: try TransportSpec(radio.clients[0]))
        options.duration = .seconds(120)
        let device = try RunningDevice(options)
        let isReady = device.isReady()
        #expect(isReady)
        let (status, said) = try Bumble.run("bumble_scan.py", [radio.clients[1], "02:42:00:00:00:01", "2"])
        #expect(status == 0, "\(said)")
        _ = try await device.end()
        try await radio.end()
        let heard = said.split(separator: "\n").map(String.init)
        #expect(heard.allSatisfy { $0.hasPrefix("advertised False 0201061bff990405") })
        // Bumble receives the profile's encoding, including the measurement number.
        let numbers = heard.compactMap { Int($0.dropFirst(17 + 2 * 23).prefix(4), radix: 16) }
        #expect(numbers.count == 2 && numbers[1] == numbers[0] + 1)
        let first = "0512fc5394c37c0004fffc040cac364200cdcbb8334c884f"
        let values = heard.map { $0.dropFirst(17 + 2 * 7) }
        #expect(values.allSatisfy { $0.prefix(32) == first.prefix(32) && $0.suffix(12) == first.suffix(12) })

        var job = CheckJob()
        job.plugins = library.plugins
        let report = try await job.run(CaptureReader(path: capture)) { _ in true }.report
        let verdicts = report.results.map { "\(report.rules[$0.rule].id) \($0.verdict.name)" }
        for rule in ["R-01", "R-02", "R-03"] { #expect(verdicts.contains("\(rule) pass"), "\(verdicts)") }
    }
}
