import Captures
import Output
import TestKit
import Testing
import Workbench

/// A capture has no differences from itself.
struct DifferencesTests {
    private func outline(_ example: CaptureCase) async throws -> CaptureOutline {
        var job = OutlineJob()
        job.plugins = try example.library(.decoding).plugins
        job.importedTables = try DecodeOptions(example).tables
        return try await job.run(CaptureReader(path: example.path)) { _ in true }
    }

    @Test(arguments: CaptureCase.all)
    func aCaptureHasNoDifferencesFromItself(_ example: CaptureCase) async throws {
        let comparison = try CaptureComparison(try await outline(example), try await outline(example))
        #expect(!comparison.differs, "\(DifferenceReport(comparison).text())")
        #expect(comparison.onlyA.isEmpty && comparison.onlyB.isEmpty)
        #expect(comparison.connections.allSatisfy { $0.common == $0.a.procedures.count })
    }

    private func comparison(with format: String) async throws -> CaptureComparison {
        let reference = try #require(CaptureCase.named("format-pcapng-201"))
        let other = try #require(CaptureCase.named(format))
        return try CaptureComparison(try await outline(reference), try await outline(other))
    }

    @Test(arguments: ["format-pcap-201", "format-btsnoop-1002"])
    func oneSessionHasNoDifferencesInOtherFormats(_ format: String) async throws {
        let comparison = try await comparison(with: format)
        #expect(!comparison.differs, "\(DifferenceReport(comparison).text())")
    }

    /// The same session on the air, where the central ends it, not the peripheral.
    @Test(arguments: ["format-pcap-256", "format-pcap-251", "format-pcap-272"])
    func aSnifferHearsTheSameProcedures(_ format: String) async throws {
        let comparison = try await comparison(with: format)
        #expect(comparison.connections.flatMap(\.differences).map(\.kind) == [.end])
        #expect(comparison.onlyA.isEmpty && comparison.onlyB.isEmpty)
    }
}
