import Bluetooth
import Bytes
import Captures
import Conformance
import Foundation
import Output
import PDUTestKit
import TestKit
import Testing
import Workbench

/// `check` on files: batches, reading a capture twice, and outcomes.
struct CheckJobTests {
    private func check(_ path: String, chunkSize: Int = 256 << 10) async throws -> CheckReport {
        var job = CheckJob()
        job.plugins = try PluginLibrary.builtIn().plugins
        let reader = try CaptureReader(path: path)
        reader.chunkSize = chunkSize
        return try await job.run(reader) { _ in true }.report
    }

    private func json(_ report: CheckReport) throws -> String { try JSONReport(report).text() }

    @Test(arguments: ["aquavate-sync", "aquavate-prd", "lifecount-session"])
    func goodSessionsBreakNothing(_ name: String) async throws {
        let report = try await check(Repository.path("captures/\(name)/capture.btsnoop"))
        #expect(report.results.allSatisfy { $0.verdict != .fail })
        #expect(report.results.contains { $0.verdict == .pass })
        #expect(report.outcome(isStrict: false) == .obeyed)
    }

    @Test(arguments: [4096, 5000])
    func batchesMakeNoDifference(_ chunkSize: Int) async throws {
        let path = Repository.path("captures/aquavate-sync/capture.btsnoop")
        #expect(try await json(check(path, chunkSize: chunkSize)) == json(check(path)))
    }

    @Test func whatCameBeforeItsDiscoveryIsJudged() async throws {
        func bottle(_ number: UInt8) -> Bluetooth.UUID {
            Bluetooth.UUID(value: 0x6F75_616B_7661_7465_2D00_000000000000 + UInt128(number))
        }
        let layout = ServerLayout(
            .service(bottle(0), .characteristic(bottle(1), [.read, .notify], descriptors: 0x2902)))
        let session = HCISession()
        let link = session.connect(to: DeviceAddress(Address("c0:00:00:00:00:01")!, .random))
        let value = hex("45407F69 9C01 9C01 E204 53 07 0300")
        for _ in 0..<200 { link.notify(layout[bottle(1)], value) }
        link.discover(layout)
        let folder = try TemporaryFolder()
        let path = try folder.file("late.btsnoop", session.recording.btsnoop())
        for chunkSize in [4096, 256 << 10] {
            let report = try await check(path, chunkSize: chunkSize)
            let result = report.results.first { report.rules[$0.rule].id == "AQ-031" }
            #expect(result?.tally.passes == 200)
        }
    }

    @Test func aCaptureWithNothingInItIsUndecided() async throws {
        let folder = try TemporaryFolder()
        let report = try await check(folder.file("empty.btsnoop", HCISession().recording.btsnoop()))
        #expect(report.outcome(isStrict: true) == .undecided)
    }

    // MARK: - No silent pass

    /// A server with the service of the PRD puck, which many tutorials use, and the first of its characteristics.
    private func tutorial(characteristics count: UInt8) throws -> [UInt8] {
        func uuid(_ last: UInt8) -> Bluetooth.UUID {
            Bluetooth.UUID(value: 0x12345678_1234_5678_1234_56789ABCDE00 + UInt128(last))
        }
        let session = HCISession()
        session.report(
            DeviceAddress(Address("c0:00:00:00:00:02")!, .random), [.serviceUUIDs128([uuid(0xF0)])])
        let link = session.connect(to: DeviceAddress(Address("c0:00:00:00:00:02")!, .random))
        let characteristics = (1...count).map { number in
            ServerLayout.Characteristic.characteristic(uuid(0xF0 + number), [.read])
        }
        let layout = ServerLayout(.service(uuid(0xF0), characteristics))
        link.discover(layout)
        link.read(layout[uuid(0xF1)], hex("AB02"))
        return try session.recording.btsnoop()
    }

    private func judge(
        _ path: String, naming names: [String] = [], requiring required: [String] = []
    ) async throws -> CheckReport {
        var job = CheckJob()
        job.plugins = try PluginLibrary.load(names, environment: [:]).plugins
        try job.require(required)
        return try await job.run(CaptureReader(path: path)) { _ in true }.report
    }

    @Test func theCharacteristicsOfThePuckTellItWithoutItsName() async throws {
        let folder = try TemporaryFolder()
        let report = try await judge(folder.file("unnamed.btsnoop", tutorial(characteristics: 5)))
        #expect(report.devices.map(\.plugin) == ["aquavate"])
        #expect(report.devices.map(\.dialect) == ["prd"])
        #expect(report.results.contains { report.rules[$0.rule].plugin == "aquavate" && $0.verdict == .pass })
        #expect(report.omissions.isEmpty)
    }

    @Test(arguments: [1, 2, 3] as [UInt8])
    func aServiceOfTutorialsIsNoNearMatch(characteristics: UInt8) async throws {
        let folder = try TemporaryFolder()
        let report = try await judge(folder.file("tutorial.btsnoop", tutorial(characteristics: characteristics)))
        #expect(report.devices.allSatisfy { $0.plugin == nil })
        // Connections of devices without a plugin are counted too.
        #expect(report.devices.map(\.connections) == [1])
        #expect(report.omissions.isEmpty)
    }

    @Test func aNearMatchIsNotPassedOver() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.file("near.btsnoop", tutorial(characteristics: 4))
        let report = try await judge(path)
        #expect(report.devices.allSatisfy { $0.plugin == nil })
        let omission = try #require(report.omissions.first)
        #expect(report.omissions.count == 1)
        #expect(omission.kind == .nearMatch)
        #expect(omission.device == "c0:00:00:00:00:02")
        #expect(omission.weight == 46)
        #expect(omission.text.contains("weight 46 of 50"))
        #expect(omission.text.contains("name ^Aquavate-[0-9A-F]{4}$ (60)"))
        #expect(omission.text.contains("--plugin aquavate"))
        #expect(report.outcome(isStrict: false) == .undecided)
        let text = CheckSummary(report).text()
        #expect(text.contains("INCONCLUSIVE") && text.contains(omission.text))
    }

    @Test(arguments: [4, 1] as [UInt8])
    func aNamedPluginIsForcedOnWeakSigns(characteristics: UInt8) async throws {
        let folder = try TemporaryFolder()
        let path = try folder.file("near.btsnoop", tutorial(characteristics: characteristics))
        for names in [["aquavate"], ["aquavate", "lifecount"]] {
            let report = try await judge(path, naming: names)
            #expect(report.devices.map(\.plugin) == ["aquavate"])
            #expect(report.results.contains { report.rules[$0.rule].plugin == "aquavate" && $0.verdict == .pass })
            #expect(report.omissions.map(\.plugin) == names.filter { $0 != "aquavate" })
        }
    }

    @Test func aNamedPluginThatJudgedNothingDoesNotPass() async throws {
        let report = try await judge(
            Repository.path("captures/aquavate-sync/capture.btsnoop"), naming: ["lifecount"])
        #expect(report.omissions.map(\.kind) == [.unused])
        #expect(
            report.omissions.map(\.text) == [
                "--plugin lifecount checked nothing: no device in the capture matches it"
            ])
        #expect(report.outcome(isStrict: false) == .undecided)
    }

    @Test func aRequiredPluginMustJudgeAConnection() async throws {
        let path = Repository.path("captures/aquavate-sync/capture.btsnoop")
        #expect(try await judge(path, requiring: ["aquavate"]).outcome(isStrict: false) == .obeyed)
        let report = try await judge(path, requiring: ["aquavate", "lifecount"])
        #expect(report.omissions.map(\.kind) == [.required])
        #expect(report.omissions.map(\.plugin) == ["lifecount"])
        #expect(report.outcome(isStrict: false) == .undecided)
        await #expect(throws: UnknownPlugin.self) { try await judge(path, requiring: ["lifecout"]) }
    }

    @Test func aCaptureThatWasNotReadToItsEndDoesNotPass() async throws {
        let folder = try TemporaryFolder()
        let whole = try ByteSource(path: Repository.path("captures/aquavate-sync/capture.btsnoop")).next()
        let packed = CaptureBuilder.gzip(whole)
        for (bytes, outcome) in [
            (packed, .obeyed), (packed + [0], .obeyed), (packed.dropLast(20), .undecided),
            (whole.dropLast(), .obeyed),
        ] as [([UInt8], CheckReport.Outcome)] {
            let report = try await judge(try folder.file("capture", bytes), requiring: [])
            #expect(report.outcome(isStrict: false) == outcome)
            #expect(report.omissions.map(\.kind) == (outcome == .obeyed ? [] : [.notRead]))
        }
    }

    @Test func aFailedRuleOutweighsAPartThatWasNotRead() async throws {
        let path = Repository.path("captures/aquavate-truncated-chunk/capture.btsnoop")
        let whole = try ByteSource(path: path).next()
        var job = CheckJob()
        job.plugins = try PluginLibrary.builtIn().plugins
        job.importedTables = try GATTFiles.read(Repository.path("captures/aquavate-truncated-chunk/gatt.json"))
        let truncated = CaptureBuilder.gzip(whole).dropLast(20)
        let reader = try CaptureReader(source: ByteSource(bytes: Array(truncated), name: "test"))
        let report = try await job.run(reader) { _ in true }.report
        #expect(report.omissions.map(\.kind) == [.notRead])
        #expect(report.outcome(isStrict: false) == .broken)
    }

    @Test func theSummaryNamesRulesAndFrames() async throws {
        let path = Repository.path("captures/aquavate-truncated-chunk/capture.btsnoop")
        var job = CheckJob()
        job.plugins = try PluginLibrary.builtIn().plugins
        job.importedTables = try GATTFiles.read(Repository.path("captures/aquavate-truncated-chunk/gatt.json"))
        let report = try await job.run(CaptureReader(path: path)) { _ in true }.report
        let text = CheckSummary(report).text()
        #expect(text.contains("FAIL AQ-060  a chunk has 6 bytes and 14 for each of its records"))
        #expect(text.contains("connection 1, frame 7"))
        #expect(text.contains("known quirk Q-01"))
        #expect(text.contains("\n  \(report.results.count { $0.verdict == .fail }) fail, "))
        #expect(!text.contains("\u{1B}"))
    }
}
