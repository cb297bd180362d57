import Bluetooth
import Bytes
import Captures
import Conversation
import Foundation
import Output
import PDUTestKit
import PluginKit
import Profile
import TestKit
import Testing
import Workbench

/// The output of `stats` about devices.
struct StatisticsTests {
    private func report(_ name: String, _ plugins: PluginSet) async throws -> StatisticsReport {
        let reader = try CaptureReader(path: Repository.path("captures/\(name)/capture.btsnoop"))
        var job = StatisticsJob()
        job.plugins = plugins
        return StatisticsReport(try await job.run(reader) { _ in true }, of: reader)
    }

    /// The report of a btsnoop file.
    private func report(ofFile bytes: [UInt8]) async throws -> StatisticsReport {
        let folder = try TemporaryFolder()
        let reader = try CaptureReader(path: try folder.file("capture", bytes))
        return StatisticsReport(try await StatisticsJob().run(reader) { _ in true }, of: reader)
    }

    private func json(_ name: String, _ plugins: PluginSet) async throws -> JSONValue {
        var report = try await report(name, plugins)
        return try JSONValue(reading: Array(report.json().utf8))
    }

    /// The JSON members of the first device.
    private func firstDevice(_ name: String, _ plugins: PluginSet) async throws -> [String: JSONValue] {
        try await json(name, plugins)["devices"]?.elements.first?.members ?? [:]
    }

    @Test(arguments: [("aquavate-sync", "shipped"), ("aquavate-prd", "prd")])
    func aDevicesPluginAndDialectAreShown(capture: String, dialect: String) async throws {
        let plugins = try PluginLibrary.builtIn().plugins
        var page = try await report(capture, plugins)
        #expect(page.text().contains(", plugin aquavate (\(dialect))\n"))
        let first = try await firstDevice(capture, plugins)
        #expect(first["plugin"] == .string("aquavate"))
        #expect(first["dialect"] == .string(dialect))
        #expect(first["rivals"] == nil)
    }

    @Test(arguments: [("aquavate-sync", true), ("beacons", false)])
    func responseTimesAreThoseOfResponses(capture: String, hasResponses: Bool) async throws {
        let times = try await json(capture, .none)["response_time"]?.members ?? [:]
        #expect(times.keys.sorted() == (hasResponses ? ["longest", "mean"] : []))
    }

    @Test(arguments: [
        ("cut-records", "cut", 4), ("cut-records", "broken_pdus", 1), ("mid-connection", "late_connections", 1),
    ])
    func whatIsMissingOrBrokenIsCounted(capture: String, name: String, count: Int) async throws {
        #expect(try await json(capture, .none)["quality"]?[name] == .integer(count))
    }

    @Test func placesWhereTheRecorderDroppedPacketsAreCounted() async throws {
        let records = [(0, CaptureBuilder.reset), (2, CaptureBuilder.resetComplete), (2, CaptureBuilder.reset)]
            .map { CaptureBuilder.btsnoopRecord($0.1, drops: UInt32($0.0)) }
        var report = try await report(ofFile: CaptureBuilder.btsnoop(1002, records))
        #expect(try JSONValue(reading: Array(report.json().utf8))["quality"]?["drops"] == .integer(1))
        #expect(report.text().contains("  1 places where the recorder dropped packets\n"))
    }

    /// Three responses that took 285 years each: their sum exceeds 64 bits of nanoseconds.
    @Test func responsesAfterCenturiesAreAveraged() async throws {
        let session = HCISession()
        let links = [Cast.phone, Cast.puck, Cast.counter].map { session.connect(to: $0) }
        session.recording.pace = 0
        session.recording.time = Timestamp(nanoseconds: 0)
        for link in links { link.carry([0x0A, 0x03, 0x00], on: .att, .sent) }
        session.recording.time = Timestamp(seconds: 9_000_000_000, nanoseconds: 0)
        for link in links { link.carry([0x0B, 98], on: .att, .received) }
        var report = try await report(ofFile: session.recording.btsnoop())
        let times = try JSONValue(reading: Array(report.json().utf8))["response_time"]
        #expect(times?["longest"] != nil)
        #expect(times?["mean"] == times?["longest"])
        #expect(report.text().contains("ATT response time"))
    }

    @Test func whatSeveralPluginsClaimIsShown() async throws {
        let profiles = try ["one", "two"].map { id in
            let text = """
                profile: {id: \(id), title: \(id), version: 1.0.0, format: 1, licence: Apache-2.0}
                match: [{name: '^Aquavate', weight: 60}]
                """
            return DevicePlugin(try CompiledProfile(ProfileReader.read(text, file: "\(id).yaml")))
        }
        let plugins = PluginSet(profiles)
        var page = try await report("aquavate-sync", plugins)
        #expect(page.text().contains(", no plugin: one and two match equally\n"))
        let first = try await firstDevice("aquavate-sync", plugins)
        #expect(first["plugin"] == nil)
        #expect(first["rivals"] == .array([.string("one"), .string("two")]))
    }

    /// The two peers have different attributes at the same handles; usage is counted by attribute type.
    @Test func equalHandlesOfTwoPeersAreCountedApart() async throws {
        let attributes = try await json("two-peers-equal-handles", .none)["attributes"]?.elements ?? []
        let notified = attributes.filter { $0["notified"] == .integer(1) }
        #expect(
            notified.map { $0["characteristic"] } == [.string("Battery Level"), .string("Heart Rate Measurement")])
    }

    @Test func jsonSaysWhatThePageSays() async throws {
        var report = try await report("aquavate-sync", .none)
        let page = report.text()
        let root = try JSONValue(reading: Array(report.json().utf8))
        #expect(root["frames"] == .integer(85))
        #expect(page.contains(", 85 frames, "))
        let counters = root["traffic"]?.elements ?? []
        #expect(counters.first == .members(["name": .string("HCI events"), "count": .integer(4)]))
        for case let name? in counters.map({ $0["name"]?.string }) { #expect(page.contains("  \(name) ")) }
    }
}

// MARK: - Connection parameters

extension StatisticsTests {
    @Test func changesOfAConnectionsParametersAreListed() async throws {
        var page = try await report("connection-parameters", .none)
        let text = page.text()
        let changes = text.split(separator: "\n").filter { $0.contains("  at ") }.map {
            String($0.drop { $0 == " " }.split(separator: "  ", maxSplits: 1)[1])
        }
        #expect(
            changes == [
                "interval 30 ms, latency 0, timeout 420 ms", "interval 7.5 ms, latency 0, timeout 5000 ms",
                "interval 30 ms, latency 0, timeout 5000 ms", "interval 180 ms, latency 4, timeout 5000 ms",
                "data length 251 bytes sent, 27 received", "LE 2M sent, LE 2M received",
                "remote features 0x0000000000000021",
                "subrate factor 4, continuation number 1, latency 2, timeout 6000 ms",
                "transmit power 4 dBm remote",
            ])
        #expect(text.contains("MTU 23, interval 180 ms, "))
        let connections = try await json("connection-parameters", .none)["connections"]?.elements ?? []
        #expect(connections.map { $0["interval"] } == [.integer(180), .integer(30)])
        #expect(connections.map { $0["timeout"] } == [.integer(6000), .integer(420)])
        let first = connections.first?["changes"]?.elements ?? []
        #expect(first.compactMap { $0["interval"] } == [.integer(30), .number(7.5), .integer(30), .integer(180)])
        #expect(first.compactMap { $0["frame"] }.prefix(4) == [.integer(1), .integer(5), .integer(8), .integer(11)])
    }
}
