import Captures
import Conformance
import Foundation
import Testing
import Workbench

extension CaptureCase {
    /// The rules of severity error that `gattbench check` reports for a capture, and the reason: the capture is about
    /// the failure, or it shows its subject in as few packets as possible.
    static let brokenRules: [String: [(rules: [String], why: String)]] = [
        "aquavate-calibration": [(["AQ-231"], "the client reads on without the rest that the puck needs")],
        "aquavate-first-firmware": [
            (["AQ-212"], "the client asks for chunks of 20 records, which were shorter then")
        ],
        "aquavate-truncated-chunk": [
            (
                ["AQ-060", "AQ-212"],
                "what the capture is about: the client asks for more than fits, the puck cuts it off"
            )
        ],
        "att-over-bredr": [nobodySubscribes, shortTable],
        "auxiliary-data-overrun": [(["CORE-ADV-01"], "what the capture is about")],
        "discovery-after-traffic": [nobodySubscribes],
        "identity-address": [nobodySubscribes],
        "imported-tables": [nobodySubscribes],
        "jbd-battery": [(["JBD-CHECKSUM"], "the last answer has a wrong bit")],
        "lifecount-integrity": [(["LC-007", "LC-008"], "what the capture is about")],
        "malformed-pdus": [
            (
                ["CORE-ADV-01", "CORE-ATT-02", "CORE-ATT-13", "CORE-ATT-14", "CORE-L2CAP-01", "CORE-L2CAP-13"],
                "what the capture is about"
            )
        ],
        "retransmitted-pdu": [
            (["CORE-ATT-11"], "a PDU of two fragments is needed, and nobody exchanges the MTU first")
        ],
        "reused-connection-handle": [(["CORE-GATT-01"], "nobody subscribes before values are notified"), shortTable],
        "ruuvi-tag": [
            (["R-01", "R-03"], "a measurement is cut short, and the numbers go back")
        ],
        "service-changed": [
            (["CORE-GATT-01", "CORE-GATT-02", "BT-004"], "nobody subscribes before values are told"),
            (["CORE-GATT-03"], "a temperature is notified that can only be indicated"),
        ],
        "several-values": [(["BT-004"], "nobody subscribes before values are notified")],
        "soil-sensor": [(["MEADOW-SAMPLE-VALUE"], "a sample is cut short")],
        "table-changed-without-notice": [nobodySubscribes, shortTable],
        "tutorial-service": [(["CORE-GATT-01"], "nobody subscribes before values are notified")],
        "two-peers-equal-handles": [nobodySubscribes, shortTable],
        "unknown-opcodes-hci": [(["CORE-L2CAP-12"], "what the capture is about: a channel that nobody opened")],
        "wrong-sdu-length": [
            (["CORE-L2CAP-06", "CORE-L2CAP-08", "CORE-L2CAP-09"], "what the capture is about")
        ],
    ]

    private static let nobodySubscribes = (
        rules: ["CORE-GATT-01", "BT-004"], why: "nobody subscribes before values are notified"
    )
    private static let shortTable = (rules: ["CORE-GATT-15"], why: "the tables have no more than the capture needs")

    /// The part of `README.md` about these rules.
    var remarks: String {
        guard let broken = Self.brokenRules[name] else { return "- `gattbench check` reports no failures." }
        let lines = broken.map { one in "  - \(one.rules.map { "`\($0)`" }.joined(separator: ", ")): \(one.why)" }
        return (["- `gattbench check` reports failures:"] + lines).joined(separator: "\n")
    }
}

struct BrokenRulesTests {
    /// Checked with those of the case's options that `check` has.
    @Test(arguments: CaptureCase.all)
    func theReadmeNamesTheRulesThatACaptureBreaks(_ example: CaptureCase) async throws {
        let library = try example.library(.whole)
        var job = CheckJob()
        job.plugins = library.plugins
        job.importedTables = try DecodeOptions(example).tables
        let report = try await job.run(CaptureReader(path: example.path)) { _ in true }.report
        let broken = Set(report.results.filter { $0.verdict == .fail }.map { report.rules[$0.rule].id })
        #expect(broken.sorted() == (CaptureCase.brokenRules[example.name] ?? []).flatMap(\.rules).sorted())
    }
}
