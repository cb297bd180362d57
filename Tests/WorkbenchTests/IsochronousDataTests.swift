import Bytes
import Captures
import Output
import TestKit
import Testing
import Workbench

/// Isochronous data of a host: SDUs of a CIS, complete, with a time stamp, and in two fragments. The controller reports
/// one as lost and one as possibly invalid; two sequence numbers are missing.
struct IsochronousDataTests {
    private static let packets: [(Capture.Direction, String)] = [
        (.received, "043e1d19 00 6000 102700 102700 102700 102700 02 02 03 01 01 01 01 2800 2800 0800"),
        (.received, "05 6060 0c00 10270000 0000 0400 11121314"), (.received, "05 6020 0400 0100 0080"),
        (.received, "05 6000 0800 0400 0800 21222324"), (.received, "05 6030 0400 25262728"),
        (.received, "05 6020 0800 0500 0440 31323334"),
    ]

    @Test func headlinesHaveTheHandleAndTheSDU() async throws {
        let lines = try await Capture(Self.packets).decode(DecodeOptions())
        let handle = "Bluetooth HCI ISO Packet  Connection Handle 0x0060"
        let wanted = [
            "  Packet Sequence Number 0  ISO SDU Length 4 bytes  Packet Status Flag Valid Data",
            "  Packet Sequence Number 1  ISO SDU Length 0 bytes  Packet Status Flag Lost Data  [lost]",
            "  Packet Sequence Number 4  ISO SDU Length 8 bytes  Packet Status Flag Valid Data", "",
            "  Packet Sequence Number 5  ISO SDU Length 4 bytes  Packet Status Flag Possibly Invalid Data",
        ]
        let shown = lines.filter { $0.contains("ISO Packet") }
        try #require(shown.count == wanted.count, "\(lines)")
        for (line, end) in zip(shown, wanted) { #expect(line.hasSuffix(handle + end), "\(line)") }
    }

    @Test func statisticsCountWhatIsMissing() async throws {
        let capture = try Capture(Self.packets)
        let reader = try CaptureReader(path: capture.path)
        var report = StatisticsReport(try await StatisticsJob().run(reader) { _ in true }, of: reader)
        let stream = try #require(report.text().split(separator: "\n").first { $0.contains("0x0060") })
        for part in ["CIS", "every 10.0 ms", "5 packets", "2 SDUs missed", "1 SDU lost"] {
            #expect(stream.contains(part), "\(stream)")
        }
    }
}
