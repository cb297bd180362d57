import Bytes
import Captures
package import Conformance
import Conversation
package import PluginKit
package import Profile

/// The results of a run: those of its cases, and of all rules over their traffic.
package struct RunResults {
    private let plugin: DevicePlugin
    private let dialect: String?
    /// The side under test.
    private let role: RuleDefinition.Role
    package private(set) var cases: [CaseResult] = []
    /// Number of frames in all cases so far.
    private var frames = 0
    private var start: Timestamp?
    private var end = Timestamp.epoch
    /// One result per rule, over all cases.
    private var report = CheckReport()
    private var places: [String: Int] = [:]

    package init(_ plugin: DevicePlugin, _ dialect: String?, role: RuleDefinition.Role) {
        self.plugin = plugin
        self.dialect = dialect
        self.role = role
    }

    /// Adds the rule results for a case's traffic, and completes the case's result: its frames in the recording of the
    /// run, and the rules that it breaks. `rules` selects the rules to include, empty for all.
    package mutating func add(
        _ report: CheckReport, _ packets: [RecordedPacket], rules: Set<String>, to result: inout CaseResult
    ) {
        let isWanted = { (rule: String) in rules.isEmpty || rules.contains(rule) }
        result.findings = result.findings.map { $0.shifted(by: frames) }
        result.ruleFindings = result.ruleFindings?.map { $0.shifted(by: frames) }
        result.brokenRules = report.brokenRules.filter(isWanted).distinct
        result.frames = (frames + 1)...max(frames + 1, frames + packets.count)
        add(report, isWanted)
        if let first = packets.first { start = min(start ?? .latest, first.time) }
        if let last = packets.last { end = max(end, last.time) }
        frames += packets.count
    }

    package mutating func append(_ result: CaseResult) { cases.append(result) }

    /// All results as one report.
    package func report(named file: String) -> CheckReport {
        var report = report
        report.file = file
        report.frames = frames
        report.times = start.map { $0...max($0, end) }
        var device = report.devices.first ?? CheckedDevice()
        device.plugin = plugin.id
        device.dialect = dialect
        if device.title == "?" { device.title = plugin.profile.profile.header.title }
        report.devices = [device]
        for one in cases { add(one, to: &report) }
        report.cases = cases
        return report
    }

    /// Adds a case as a separate rule, and its findings to the rule that it decides.
    private func add(_ one: CaseResult, to report: inout CheckReport) {
        var info = RuleInfo(
            one.id, one.title, role: role, severity: one.severity, source: one.source,
            hint: one.verdict == .fail ? one.reproduction : nil)
        info.plugin = plugin.id
        info.quirk = one.quirk
        var tally = Tally()
        for finding in one.findings { tally.add(.fail(finding)) }
        if !one.brokenRules.isEmpty {
            tally.add(
                .fail(
                    Finding(
                        moments: [FrameReference(frame: one.frames.upperBound, time: end)],
                        expected: Self.unbrokenRules,
                        observed: one.brokenRules.joined(separator: ", "))))
        }
        if one.verdict == .pass { tally.add(.pass) }
        report.rules.append(info)
        report.results.append(
            RuleResult(rule: report.rules.count - 1, device: 0, connection: nil, verdict: one.verdict, tally: tally))
        report.ruleIDs.insert(one.id)
        guard let rule = one.rule, isDecidedByCases(rule), let findings = one.ruleFindings,
            let place = report.rules.firstIndex(where: { $0.id == rule }),
            let result = report.results.firstIndex(where: { $0.rule == place })
        else { return }
        for finding in findings { report.results[result].tally.add(.fail(finding)) }
        if findings.isEmpty { report.results[result].tally.add(.pass) }
        report.results[result].verdict = report.results[result].tally.verdict(report.rules[place].severity)
    }

    /// Whether traffic alone cannot decide a rule of the profile. All other rules keep the verdict of the traffic.
    private func isDecidedByCases(_ rule: String) -> Bool {
        guard let definition = plugin.profile.profile.rules.first(where: { $0.id == rule }) else { return false }
        return if case .twin = definition.kind { true } else { false }
    }

    /// The expectation of a case whose traffic breaks rules.
    package static let unbrokenRules = "traffic that breaks no rule"

    private mutating func add(_ other: CheckReport, _ isWanted: (String) -> Bool) {
        if report.devices.isEmpty || report.devices[0].address == nil,
            let device = other.devices.first(where: { !$0.isCentral && $0.plugin != nil })
        {
            report.devices = [device]
        }
        report.ruleIDs.formUnion(other.ruleIDs)
        for result in other.results {
            let info = other.rules[result.rule]
            var tally = result.tally
            if !isWanted(info.id) { continue }
            tally.findings = tally.findings.map { $0.shifted(by: frames) }
            let place = place(of: info)
            report.results[place].tally.add(tally)
            let merged = report.results[place].tally
            if merged.isEmpty {
                if case .notApplicable = report.results[place].verdict {
                    report.results[place].verdict = result.verdict
                }
            } else {
                report.results[place].verdict = merged.verdict(info.severity)
            }
        }
    }

    private mutating func place(of info: RuleInfo) -> Int {
        if let place = places[info.id] { return place }
        report.rules.append(info)
        report.results.append(
            RuleResult(
                rule: report.rules.count - 1, device: 0, connection: nil, verdict: .notApplicable("did not come up")))
        places[info.id] = report.results.count - 1
        return report.results.count - 1
    }
}

extension CheckReport {
    /// Discards failures that only the tester caused: it sends invalid values on purpose.
    mutating func excuse(_ tester: RuleDefinition.Role) {
        for index in results.indices {
            let findings = results[index].tally.findings
            let isTesters = { (finding: Finding) in
                finding.moments.last?.sender == (tester == .client ? .central : .peripheral)
            }
            guard !findings.isEmpty, findings.allSatisfy(isTesters) else { continue }
            results[index].tally = Tally()
            results[index].verdict = .notApplicable("only the tester broke it")
        }
    }

    /// Ids of the broken rules whose findings are all within the first frames.
    func brokenRules(upTo frame: Int) -> Set<String> {
        Set(
            results.filter { result in
                result.verdict == .fail
                    && result.tally.findings.allSatisfy { ($0.moments.last?.frame ?? .max) <= frame }
            }.map { rules[$0.rule].id })
    }

    /// Ids of the broken rules, without those that are only warnings.
    var brokenRules: [String] { results.filter { $0.verdict == .fail }.map { rules[$0.rule].id } }
}

extension [String] {
    /// The distinct elements, in order.
    fileprivate var distinct: [String] { reduce(into: []) { if !$0.contains($1) { $0.append($1) } } }
}

extension Finding {
    /// The finding with its frame numbers in a longer recording; `frames` is the number of preceding frames.
    fileprivate func shifted(by frames: Int) -> Finding {
        var finding = self
        for index in finding.moments.indices { finding.moments[index].frame += frames }
        return finding
    }
}
