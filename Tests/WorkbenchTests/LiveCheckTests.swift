import Bytes
import PDUTestKit
import TestKit
import Testing

/// Checking live traffic during the capture.
@Suite(.enabled(if: DocumentedPage.program != nil, "the program is not built"))
struct LiveCheckTests {
    /// A session with a chunk of 20 records that does not fit into its notification.
    private static let session = "captures/aquavate-truncated-chunk"
    private let capture: [UInt8]

    init() throws {
        capture = try Repository.bytes("\(Self.session)/capture.btsnoop")
    }

    private func sniff(_ arguments: [String]) throws -> RunningProgram {
        try RunningProgram(
            ["sniff", "-", "--check", "--gatt", Repository.path("\(Self.session)/gatt.json")] + arguments)
    }

    @Test func aFindingIsToldWhileTheStreamGoesOn() throws {
        let sniff = try sniff(["-q"])
        sniff.write(capture)
        // The stream is still open, so there is no summary yet.
        var lines: [String] = []
        while let line = sniff.readLine() {
            lines.append(line)
            if line.hasPrefix("FAIL AQ-060 ") { break }
        }
        let place = "24:0a:c4:12:a3:f4, connection 1, frame 7, 24:0a:c4:12:a3:f4 → central, at 0.045 s: expected "
        #expect(lines.last?.hasPrefix("FAIL AQ-060  \(place)") == true)
        #expect(lines.allSatisfy { $0.hasPrefix("FAIL ") || $0.hasPrefix("WARN ") })
        sniff.closeInput()
        let rest = sniff.readAll()
        #expect(rest.contains("\nFAIL AQ-060  a chunk has 6 bytes and 14 for each of its records\n"))
        #expect(rest.hasSuffix("\nFAIL  2 rules failed, 2 with a warning, 50 passed\n"))
        #expect(sniff.finish() == 1)
    }

    @Test func aFindingStandsBehindItsFrame() throws {
        let sniff = try sniff([])
        sniff.write(capture)
        sniff.closeInput()
        let lines = sniff.readAll().split(separator: "\n")
        let frame = try #require(lines.firstIndex { $0.hasPrefix("7 ") })
        let finding = try #require(lines.firstIndex { $0.hasPrefix("FAIL AQ-060") })
        #expect(frame < finding)
        #expect(sniff.finish() == 1)
    }

    @Test func columnsStayColumns() throws {
        let folder = try TemporaryFolder()
        let sniff = try sniff(["-T", "fields", "-e", "frame.number", "--strict", "--junit", folder.path("check.xml")])
        sniff.write(capture)
        sniff.closeInput()
        #expect(sniff.readAll() == (1...14).map { "\($0)\n" }.joined())
        #expect(sniff.finish() == 1)
        #expect(sniff.messages.contains("FAIL AQ-060  24:0a:c4:12:a3:f4, connection 1, frame 7"))
        #expect(try folder.text("check.xml").contains("AQ-213"))
    }

    @Test func aReportTakesTheWholeOutput() throws {
        let sniff = try sniff(["-q", "--json", "--waivers", Repository.path("\(Self.session)/waivers.yaml")])
        sniff.write(capture)
        sniff.closeInput()
        let report = try JSONValue(reading: Array(sniff.readAll().utf8))
        #expect(report["summary"]?["waived"] == .integer(2))
        #expect(sniff.finish() == 0)
        #expect(!sniff.messages.contains("FAIL"))
    }
}
