import Bytes
package import Conformance
import Conversation
import PluginKit
import Profile

/// One-screen summary of a check for people: checked devices, broken rules, and the frames to inspect. Other reports
/// contain the full results.
package struct CheckSummary {
    /// The report, reduced to broken rules.
    private let report: CheckReport
    private let words: ReportWords
    private let outcome: CheckReport.Outcome
    private let outcomeText: String
    /// Verdict counts of each device, and of results without a device.
    private let counts: [VerdictCounts]
    private let paint: Paint

    /// Maximum number of devices, broken rules, and places per rule shown; omissions are counted.
    private static let deviceRows = 10
    private static let ruleRows = 20
    private static let placeRows = 3

    package init(_ report: CheckReport, isStrict: Bool = false, paint: Paint = .none) {
        outcome = report.outcome(isStrict: isStrict)
        outcomeText = ReportWords.text(of: outcome, report)
        counts = report.countsByDevice
        let broken = report.legible { $0.verdict == .fail || $0.verdict == .warning }
        self.report = broken
        words = ReportWords(broken)
        self.paint = paint
    }

    package func text() -> String {
        var output = TextWriter(capacity: 16 * 1024)
        writeCapture(to: &output)
        writeDevices(to: &output)
        writeBroken(to: &output)
        writeWaivers(to: &output)
        writeOmissions(to: &output)
        writeVerdict(to: &output)
        return String(decoding: output.bytes, as: UTF8.self)
    }
}

// MARK: - Checked devices

extension CheckSummary {
    private func writeCapture(to output: inout TextWriter) {
        paint.write(report.file, in: \.name, to: &output)
        output.write("  \(report.frames.counted("frame"))")
        if let times = report.times {
            output.write(", \(TimeText.span(times.upperBound - times.lowerBound))")
        }
        output.write("\n")
        let color: KeyPath<Paint, [UInt8]> = report.quality.isFlawless ? \.plain : \.warning
        for line in report.quality.lines { paint.write("  \(line)\n", in: color, to: &output) }
    }

    private func writeDevices(to output: inout TextWriter) {
        let judged = report.devices.indices.filter { report.devices[$0].plugin != nil }
        if judged.isEmpty {
            output.write("  no device that a plugin describes\n")
        }
        for index in judged.prefix(Self.deviceRows) {
            let device = report.devices[index]
            output.write("\n")
            paint.write(device.title, in: \.peer, to: &output)
            var metadata = [device.address == device.title ? nil : device.address].compactMap { $0 }
            metadata.append((device.plugin ?? "") + (device.dialect.map { " (\($0))" } ?? ""))
            if let firmware = device.firmware { metadata.append("firmware \(firmware)") }
            metadata.append(device.connections.counted("connection"))
            output.write("  \(metadata.joined(separator: ", "))\n")
            output.write("  \(Self.words(counts[index]))\n")
        }
        if judged.count > Self.deviceRows {
            output.write("\nand \(judged.count - Self.deviceRows) more devices\n")
        }
        let elsewhere = report.devices.indices.filter { report.devices[$0].plugin == nil }
            .reduce(into: counts[report.devices.count]) { $0.add(counts[$1]) }
        if !elsewhere.isEmpty { output.write("\nElsewhere\n  \(Self.words(elsewhere))\n") }
    }

    /// `2 fail, 98 pass, 1 inconclusive, 40 not applicable`.
    static func words(_ counts: VerdictCounts) -> String {
        let parts = ReportWords.verdicts.filter { counts[$0] > 0 }
            .map { "\(counts[$0]) \($0.asWords)" }
        return parts.isEmpty ? "no results" : parts.joined(separator: ", ")
    }
}

// MARK: - Broken rules

extension CheckSummary {
    /// Writes each broken rule once, with its first places; errors first.
    private func writeBroken(to output: inout TextWriter) {
        let rules = words.brokenRules()
        for rule in rules.prefix(Self.ruleRows) { write(rule, to: &output) }
        if rules.count > Self.ruleRows {
            output.write("\nand \(rules.count - Self.ruleRows) more rules failed\n")
        }
    }

    private func write(_ broken: ReportWords.BrokenRule, to output: inout TextWriter) {
        let rule = report.rules[broken.rule]
        let results = broken.results
        output.write("\n")
        paint.write(broken: rule, broken.severity, to: &output)
        output.write("  \(rule.text)\n")
        if let source = rule.source { output.write("     source: \(source)\n") }
        let places = results.flatMap { result in result.tally.findings.map { (result, $0) } }
        for (result, finding) in places.prefix(Self.placeRows) {
            output.write("     \(words.place(of: finding, result)): \(finding.contrast)\n")
        }
        if let more = ReportWords.more(results, than: min(places.count, Self.placeRows)) {
            output.write("     \(more)\n")
        }
        for effect in words.effects(of: broken.rule) { output.write("     follows from it: \(effect)\n") }
        if let quirk = places.first?.1.quirk ?? rule.quirk { output.write("     known quirk \(quirk)\n") }
        if let hint = rule.hint { output.write("     hint: \(hint)\n") }
        if let expired = results.compactMap({ $0.waiver }).first {
            output.write("     the waiver in line \(expired.place.line) has expired\n")
        }
    }

    private func writeWaivers(to output: inout TextWriter) {
        if !report.unusedWaivers.isEmpty { output.write("\n") }
        for waiver in report.unusedWaivers {
            paint.write("\(words.unused(waiver))\n", in: \.warning, to: &output)
        }
    }

    private func writeOmissions(to output: inout TextWriter) {
        if !report.omissions.isEmpty { output.write("\n") }
        for omission in report.omissions { paint.write("\(omission.text)\n", in: \.warning, to: &output) }
    }

    private func writeVerdict(to output: inout TextWriter) {
        output.write("\n")
        switch outcome {
        case .obeyed: paint.write("PASS", in: \.name, to: &output)
        case .broken: paint.write("FAIL", in: \.error, to: &output)
        case .undecided: paint.write("INCONCLUSIVE", in: \.warning, to: &output)
        }
        output.write("  \(outcomeText)\n")
    }
}
