import Bytes
package import PluginKit

/// What reports say in the same words.
package struct ReportWords {
    package let report: CheckReport
    let names: ReportNames
    /// Which findings follow from which.
    let causes: FindingCauses

    package init(_ report: CheckReport) {
        self.report = report
        names = ReportNames(report)
        causes = FindingCauses(report)
    }

    /// What the recording lacks, a line each; never empty.
    var quality: [String] { report.quality.lines }

    /// `2041 frames, 5 h 2 min`.
    var extent: String {
        let span = report.times.map { ", " + ReportTime.span($0.upperBound &- $0.lowerBound) } ?? ""
        return "\(report.frames) frame\(report.frames == 1 ? "" : "s")\(span)"
    }

    /// The name of the device that a result is about; of a result that is about none, nil.
    func device(of result: RuleResult) -> String? { result.device.map { names.devices[$0] } }

    /// `AQ-060 The payload is 14 bytes long (connection 1)`: names a result among those of its device.
    func title(of result: RuleResult) -> String {
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

    /// The severity of a rule in a report: the highest of its broken results.
    package func severity(of rule: Int, in results: [RuleResult]) -> RuleDefinition.Severity {
        results.contains { $0.rule == rule && $0.severity(of: report.rules[rule]) == .error } ? .error : .warning
    }

    // MARK: - Causes

    /// `AQ-060 in frame 7`: what a finding follows from; nil for nothing.
    func cause(of finding: Int, in result: RuleResult) -> String? {
        causes.cause(of: finding, in: result).map { "\(report.rules[$0.rule].id) in frame \($0.frame)" }
    }

    /// Whether a result is listed under what it follows from.
    package func isEffect(_ result: RuleResult) -> Bool { causes.isEffect(result) }

    /// `CORE-ATT-05 A response …, frame 44 and 2 more times`: what follows from a broken rule, a line each.
    package func effects(of rule: Int) -> [String] {
        causes.effects(of: rule).map { effect in
            let info = report.rules[effect.rule]
            let more = effect.count > 1 ? " and \(effect.count - 1) more time\(effect.count == 2 ? "" : "s")" : ""
            return "\(info.id) \(info.text), frame \(effect.frame)\(more)"
        }
    }

    // MARK: - Words

    /// The bytes of a finding in hexadecimal; nil for none. Beyond `limit` bytes, how many there are.
    static func bytes(of finding: Finding, limit: Int = .max) -> String? {
        guard !finding.bytes.isEmpty else { return nil }
        var text = TextWriter(capacity: 64)
        text.writeHex(finding.bytes.prefix(limit))
        if finding.bytes.count > limit { text.write("… (\(finding.bytes.count) bytes)") }
        return String(decoding: text.bytes, as: UTF8.self)
    }

    /// The misbehaviour of real firmware that a result is known for.
    func quirk(of result: RuleResult) -> String? {
        guard let finding = result.tally.findings.first else { return nil }
        return finding.quirk ?? report.rules[result.rule].quirk
    }

    /// Why a result was excused, by whom and until when.
    static func excuse(_ waiver: Waiver) -> String {
        var text = "waived: \(waiver.reason)"
        if let link = waiver.link { text += " (\(link))" }
        if let expires = waiver.expires { text += ", until \(expires)" }
        return text
    }

    /// A waiver that excuses nothing, as people find it.
    package func unused(_ waiver: Waiver) -> String {
        let place = "the waiver of \(waiver.rule) in line \(waiver.place.line)"
        let known = report.ruleIDs
        if known.isEmpty || known.contains(waiver.rule) { return "\(place) is unused" }
        let near = Spelling.nearest(to: waiver.rule, among: known.sorted()).first.map { "; did you mean \($0)?" } ?? ""
        return "\(place): unknown rule\(near)"
    }

    /// What is to be said of a result that a waiver excused until it expired.
    static func expiry(of result: RuleResult) -> String? {
        guard let waiver = result.waiver, result.verdict != .waived else { return nil }
        return
            "the waiver in line \(waiver.place.line) expired on \(waiver.expires.map { "\($0)" } ?? "an earlier day")"
    }

    /// How many failures of a result are not listed, in words; nil for none.
    static func rest(of result: RuleResult, after listed: Int) -> String? {
        let more = result.tally.failures - listed
        return more > 0 ? "and \(more) more time\(more == 1 ? "" : "s")" : nil
    }
}

extension Finding {
    /// `expected a level of 830; observed 829`.
    package var contrast: String { "expected \(expected); observed \(observed)" }

    /// `connection 1, frame 44 (see frame 41), Puck → central, at 12.345 s`: the frame that breaks the rule, those that it
    /// refers to, sender and receiver. The capture began at `start`, in nanoseconds since 1970.
    package func place(connection: Int?, of device: CheckedDevice?, since start: Int64?) -> String {
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
            parts.append("at \(ReportTime.span(last.time &- start))")
        }
        return parts.isEmpty ? "the whole capture" : parts.joined(separator: ", ")
    }

    /// `Puck → central`.
    private func route(of sender: Moment.Sender, _ device: CheckedDevice) -> String? {
        let central = device.isCentral ? device.title : "central"
        let peripheral = device.isCentral ? "peripheral" : device.title
        switch sender {
        case .unknown: return nil
        case .central: return "\(central) → \(peripheral)"
        case .peripheral: return "\(peripheral) → \(central)"
        }
    }

    /// Numbers of its frames, each once; none for what is about no frame.
    var frames: [Int] {
        var seen: Set<Int> = []
        return moments.map(\.frame).filter { $0 > 0 && seen.insert($0).inserted }
    }
}

/// Times as reports write them.
package enum ReportTime {
    /// `2026-03-01T11:59:58.500000Z`.
    static func iso8601(_ nanoseconds: Int64, decimals: Int = 6) -> String {
        var text = TextWriter(capacity: 32)
        text.writeISO8601(Timestamp(nanoseconds: nanoseconds), decimals: decimals)
        return String(decoding: text.bytes, as: UTF8.self)
    }

    /// `12.345 s`, `3 min 12.345 s`, `5 h 2 min 12.345 s`.
    package static func span(_ nanoseconds: Int64) -> String {
        let milliseconds = max(0, nanoseconds / 1_000_000)
        let minutes = milliseconds / 60_000
        let seconds = "\(milliseconds / 1000 % 60).\(String(milliseconds % 1000 + 1000).dropFirst()) s"
        if minutes == 0 { return seconds }
        if minutes < 60 { return "\(minutes) min \(seconds)" }
        return "\(minutes / 60) h \(minutes % 60) min \(seconds)"
    }
}
