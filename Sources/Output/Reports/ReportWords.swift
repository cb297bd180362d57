package import Bytes
package import Conformance
import Conversation
package import PluginKit
package import Profile

package struct ReportWords {
    package let report: CheckReport
    package let names: ReportNames
    let causes: FindingCauses

    package init(_ report: CheckReport) {
        self.report = report
        names = ReportNames(report)
        causes = FindingCauses(report)
    }

    /// Defects of the recording, one line each; never empty.
    package var quality: [String] { report.quality.lines }

    /// `2041 frames, 5 h 2 min`.
    package var extent: String {
        let span = report.times.map { ", " + TimeText.span($0.upperBound - $0.lowerBound) } ?? ""
        return report.frames.counted("frame") + span
    }

    /// `failed, 2 rules failed, 40 passed`.
    package func headline(isStrict: Bool) -> String {
        let outcome = report.outcome(isStrict: isStrict)
        let word =
            switch outcome {
            case .obeyed: "passed"
            case .broken: "failed"
            case .undecided: "inconclusive"
            }
        return "\(word), \(Self.text(of: outcome, report))"
    }

    /// Verdict names in column order.
    package static let verdicts = ["fail", "warning", "waived", "pass", "inconclusive", "not_applicable"]

    /// Name of the result's device; nil for a result without a device.
    func device(of result: RuleResult) -> String? { result.device.map { names.devices[$0] } }

    /// `AQ-060 The payload is 14 bytes long (connection 1)`: title of a result, unique within its device.
    package func title(of result: RuleResult) -> String {
        let rule = report.rules[result.rule]
        let visit = names.visit(of: result).map { " (connection \($0))" } ?? ""
        return "\(rule.id) \(rule.text)\(visit)"
    }

    /// `connection 1, frame 44 (see frame 41), Puck → central, at 12.345 s`.
    package func place(of finding: Finding, _ result: RuleResult) -> String {
        finding.place(
            connection: result.connection, of: result.device.map { report.devices[$0] },
            since: report.times?.lowerBound)
    }

    package struct BrokenRule {
        package var rule: Int
        package var results: [RuleResult]
        /// Highest severity of the results.
        package var severity: RuleDefinition.Severity
    }

    /// The broken rules, errors first, without those listed under their cause.
    package func brokenRules(where isWanted: (RuleResult) -> Bool = { _ in true }) -> [BrokenRule] {
        let broken = report.results.filter {
            ($0.verdict == .fail || $0.verdict == .warning) && !isEffect($0) && isWanted($0)
        }
        let rules = Dictionary(grouping: broken, by: \.rule).map { rule, results in
            let isError = results.contains { $0.severity(of: report.rules[rule]) == .error }
            return BrokenRule(rule: rule, results: results, severity: isError ? .error : .warning)
        }
        return rules.sorted { $0.severity == $1.severity ? $0.rule < $1.rule : $0.severity == .error }
    }

    // MARK: - Causes

    /// `AQ-060 in frame 7`: the cause of a finding; nil if it has none.
    func cause(of finding: Int, in result: RuleResult) -> String? {
        causes.cause(of: finding, in: result).map { "\(report.rules[$0.rule].id) in frame \($0.frame)" }
    }

    /// Whether a result is listed under its cause.
    package func isEffect(_ result: RuleResult) -> Bool { causes.isEffect(result) }

    /// `CORE-ATT-05 A response …, frame 44 and 2 more times`: effects of a broken rule, one line each.
    package func effects(of rule: Int) -> [String] {
        causes.effects(of: rule).map { effect in
            let info = report.rules[effect.rule]
            let more = effect.count > 1 ? " and \((effect.count - 1).counted("more time"))" : ""
            return "\(info.id) \(info.text), frame \(effect.frame)\(more)"
        }
    }

    // MARK: - Words

    /// The bytes of a finding in hexadecimal; nil for none. Beyond `limit` bytes, states their number.
    package static func bytes(of finding: Finding, limit: Int = .max) -> String? {
        guard !finding.bytes.isEmpty else { return nil }
        var text = TextWriter(capacity: 64)
        text.writeHexExcerpt(finding.bytes[...], limit: limit)
        return String(decoding: text.bytes, as: UTF8.self)
    }

    /// The known firmware quirk behind a result.
    package func quirk(of result: RuleResult) -> String? {
        guard let finding = result.tally.findings.first else { return nil }
        return finding.quirk ?? report.rules[result.rule].quirk
    }

    /// Reason, author and expiry of a waiver.
    package static func excuse(_ waiver: Waiver) -> String {
        var text = "waived: \(waiver.reason)"
        if let link = waiver.link { text += " (\(link))" }
        if let expires = waiver.expires { text += ", until \(expires)" }
        return text
    }

    /// Description of an unused waiver and the likely mistake.
    package func unused(_ waiver: Waiver) -> String {
        let place = "the waiver of \(waiver.rule) in line \(waiver.place.line)"
        let known = report.ruleIDs
        if known.isEmpty || known.contains(waiver.rule) { return "\(place) is unused" }
        let near = Spelling.suggestion(for: waiver.rule, among: known.sorted())
        return "\(place): unknown rule\(near)"
    }

    /// Note on a result whose waiver has expired; nil for other results.
    package static func expiry(of result: RuleResult) -> String? {
        guard let waiver = result.waiver, result.verdict != .waived else { return nil }
        return
            "the waiver in line \(waiver.place.line) expired on \(waiver.expires.map { "\($0)" } ?? "an earlier day")"
    }

    /// `and 2 more times`: number of unlisted failures of the results; nil for none.
    package static func more(_ results: [RuleResult], than listed: Int) -> String? {
        let more = results.reduce(-listed) { $0 + $1.tally.failures }
        return more > 0 ? "and \(more.counted("more time"))" : nil
    }

    /// `2 rules failed, 40 passed`: outcome of a check, with the number of rules per verdict.
    package static func text(of outcome: CheckReport.Outcome, _ report: CheckReport) -> String {
        let passed = report.ruleCount("pass")
        let warned = report.ruleCount("warning")
        let warnings = warned == 0 ? "" : ", \(warned) with a warning"
        return switch outcome {
        case .obeyed: "\(passed.counted("rule")) passed\(warnings)"
        case .broken: "\(report.ruleCount("fail").counted("rule")) failed\(warnings), \(passed) passed"
        case .undecided where passed == 0: "no rule could be evaluated"
        case .undecided: "\(passed.counted("rule")) passed, others are inconclusive"
        }
    }
}

extension CheckedDevice {
    /// Names of the central and the peripheral: the device by its title, its peer by role.
    package var ends: (central: String, peripheral: String) {
        isCentral ? (title, "peripheral") : ("central", title)
    }
}

extension Finding {
    /// `expected a level of 830; observed 829`.
    package var contrast: String { "expected \(expected); observed \(observed)" }

    /// `connection 1, frame 44 (see frame 41), Puck → central, at 12.345 s`: the failing frame, the frames it refers
    /// to, sender and receiver. `start` is the start of the capture.
    package func place(connection: Int?, of device: CheckedDevice?, since start: Timestamp?) -> String {
        var parts: [String] = []
        if let connection { parts.append("connection \(connection)") }
        if let last = moments.last(where: { $0.frame > 0 }) {
            let others = frames.filter { $0 != last.frame }
            let list = others.map(String.init).joined(separator: ", ")
            parts.append(
                "frame \(last.frame)" + (others.isEmpty ? "" : " (see frame\(others.count == 1 ? "" : "s") \(list))"))
            if let route = device.flatMap({ route(of: last.sender, $0) }) { parts.append(route) }
        }
        if let start, let last = moments.last(where: { $0.frame > 0 }) {
            parts.append("at \(TimeText.span(last.time - start))")
        }
        return parts.isEmpty ? "the whole capture" : parts.joined(separator: ", ")
    }

    /// `Puck → central`.
    private func route(of sender: FrameReference.Sender, _ device: CheckedDevice) -> String? {
        let (central, peripheral) = device.ends
        return switch sender {
        case .unknown: nil
        case .central: "\(central) → \(peripheral)"
        case .peripheral: "\(peripheral) → \(central)"
        }
    }

    /// Distinct numbers of the finding's frames; empty for a finding without a frame.
    package var frames: [Int] {
        var seen: Set<Int> = []
        return moments.map(\.frame).filter { $0 > 0 && seen.insert($0).inserted }
    }
}
