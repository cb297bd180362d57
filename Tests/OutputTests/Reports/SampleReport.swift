import Bytes
import Conformance
import Conversation
import PluginKit
import Profile
import TestKit

/// A report with a result of every verdict, created without a capture.
struct SampleReport {
    var report = CheckReport()

    /// 2026-03-01T12:00:00Z.
    private static let start = Timestamp(seconds: 1_772_366_400, nanoseconds: 0)

    /// Hostile device names and observed texts.
    static let strangeNames = [
        "Puck", "", "   ", "a\nb\r\n::error title=x::owned", "<b a=\"1\">&amp;]]></b>",
        "\u{0}\u{1}\u{7}\u{1B}[31mred\u{7F}",
        "# SKIP \\ # TODO", "100 % sure, a:b", "| x | `y` ``z`` | *w* _v_ [u](http://t) ~s~ $r$", "\"quoted\" 'and' \\",
        String(decoding: [0xFFFE, 0xFFFF, 0xFDD0, 0xE000] as [UInt16], as: UTF16.self),
        "\u{202E}drawkcab\u{2066}\u{2028}\u{2029}", "\u{85}\u{9F}",
        "Bücher 👩‍👩‍👧 日本", String(repeating: "x", count: 100_000), String(repeating: "\u{1}", count: 3000),
        "</system-out>]]>", "  ---\n  ...\nok 1\n", "%0A%3A", "${{ secrets.TOKEN }}", "\t",
    ]

    init(name: String = "Puck", observed: String = "temperature = 101", isLate: Bool = false) {
        report.file = "captures/kettle.btsnoop"
        report.frames = 44
        report.times = Self.start...(Self.start + TimeSpan(milliseconds: 12_345))
        report.quality.cutPackets = isLate ? 3 : 0
        add(device: name)
        add(rule: "K-PASS", .pass, passes: 3)
        add(rule: "K-FAIL", .fail, [finding(observed: observed)])
        add(rule: "K-WARN", severity: .warning, .warning, [finding(observed: observed), finding(observed: "again")])
        add(rule: "K-WAIVED", .waived, [finding(observed: observed)])
        report.results[3].waiver = waiver("K-WAIVED", reason: "mended in \(name)")
        add(rule: "K-UNKNOWN", .inconclusive("the beginning was not captured"))
        add(rule: "K-NOTHING", .notApplicable("no matching traffic"))
        report.unusedWaivers = [waiver("K-OTHER", reason: "nobody")]
        add(rule: "C-WHOLE", .pass, device: nil, connection: nil, passes: 1)
    }

    private func waiver(_ rule: String, reason: String) -> Waiver {
        let profile = "waivers: [{rule: \(rule), reason: why, expires: 2026-06-30}]"
        var waiver = (try? WaiverReader.read(profile, file: "waivers.yaml"))?.first
        waiver?.reason = reason
        guard let waiver else { preconditionFailure("no waiver") }
        return waiver
    }

    mutating func add(device title: String, address: String? = "c0:ff:ee:00:00:01", plugin: String? = "kettle") {
        var device = CheckedDevice()
        device.title = title
        device.address = address
        device.plugin = plugin
        device.firmware = title
        device.connections = 1
        report.devices.append(device)
    }

    mutating func add(
        rule: String, severity: RuleDefinition.Severity = .error, _ verdict: Verdict, _ findings: [Finding] = [],
        device: Int? = 0, connection: Int? = 1, passes: Int = 0
    ) {
        let number = report.rules.firstIndex { $0.id == rule } ?? report.rules.count
        if number == report.rules.count {
            var info = RuleInfo(
                rule, "the rule \(rule)\nholds", role: .peripheral, severity: severity, source: "kettle.md, 4",
                hint: "look <here>")
            info.plugin = device == nil ? nil : "kettle"
            report.rules.append(info)
        }
        var tally = Tally()
        tally.passes = passes
        tally.failures = findings.isEmpty ? 0 : findings.count + 1
        tally.findings = findings
        report.results.append(
            RuleResult(rule: number, device: device, connection: connection, verdict: verdict, tally: tally))
    }

    func finding(observed: String, frames: [Int] = [41, 44]) -> Finding {
        let moments = frames.map {
            FrameReference(frame: $0, time: Self.start + TimeSpan(milliseconds: Int64($0)), connection: 1)
        }
        return Finding(
            moments: moments, bytes: [UInt8](repeating: 0xAB, count: 40), expected: "temperature <= 100",
            observed: observed, quirk: "Q-7")
    }
}
