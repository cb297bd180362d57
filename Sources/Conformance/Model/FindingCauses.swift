import PluginKit
import Profile

/// Assigns the findings of a report to their causes, because one fault often breaks several rules.
///
/// A finding follows from a finding about the other side in an earlier frame that it refers to: the reaction to a wrong
/// PDU is a consequence. An earlier frame of the same side only contains the value used for comparison, so its other
/// faults are separate. Otherwise, a finding follows from the leading finding of its own frame: errors precede
/// warnings, rules of the device precede rules of the specification, and declared rules precede rules about the form of
/// values. An omission before a frame and a fault of the frame itself are separate, unless the rules are of different
/// kinds: a rule of the specification often states the same as one of the device.
package struct FindingCauses: Sendable {
    /// A broken rule, and the frame that breaks it.
    package struct Cause: Sendable {
        /// Index of the rule.
        package var rule: Int
        package var frame: Int
    }

    /// A rule whose findings follow from those of another one.
    package struct Effect: Sendable {
        /// Index of the rule.
        package var rule: Int
        /// The first frame, and the number of findings.
        package var frame: Int
        package var count: Int
    }

    /// A finding: its result and its index there.
    private struct Place: Hashable {
        var rule: Int
        var device: Int?
        var connection: Int?
        var finding: Int

        init(_ result: RuleResult, _ finding: Int) {
            rule = result.rule
            device = result.device
            connection = result.connection
            self.finding = finding
        }
    }

    /// The leading finding of a frame, and its order among others.
    private struct Lead {
        var place: Place
        var order: (Int, Int, Int, Int)
        var isOmission: Bool
    }

    private var causes: [Place: Cause] = [:]
    private var effects: [Int: [Effect]] = [:]

    package init(_ report: CheckReport) {
        let broken = report.results.filter { $0.verdict == .fail || $0.verdict == .warning }
        var leads: [Int: Lead] = [:]
        for result in broken {
            let rule = report.rules[result.rule]
            for (number, finding) in result.tally.findings.enumerated() {
                guard let frame = finding.moments.last?.frame, frame > 0 else { continue }
                let order = (result.verdict == .fail ? 0 : 1, rule.rank, finding.isOmission ? 1 : 0, result.rule)
                if let known = leads[frame], known.order <= order { continue }
                leads[frame] = Lead(place: Place(result, number), order: order, isOmission: finding.isOmission)
            }
        }
        for result in broken {
            for (number, finding) in result.tally.findings.enumerated() {
                let frames = finding.moments.map(\.frame)
                guard let own = frames.last, own > 0 else { continue }
                let candidates = frames.filter { $0 > 0 && $0 < own }.sorted() + [own]
                let rule = report.rules[result.rule]
                let frame = candidates.first { frame in
                    guard let lead = leads[frame], lead.place.rule != result.rule else { return false }
                    let cause = report.rules[lead.place.rule]
                    if frame < own { return rule.reacts(to: cause) }
                    return rule.rank != cause.rank || !finding.isOmission && !lead.isOmission
                }
                guard let frame, let lead = leads[frame] else { continue }
                causes[Place(result, number)] = Cause(rule: lead.place.rule, frame: frame)
            }
        }
        for result in broken {
            for (number, finding) in result.tally.findings.enumerated() {
                guard let own = finding.moments.last?.frame, let root = root(of: Place(result, number), leads) else {
                    continue
                }
                add(result.rule, own, to: root.rule)
            }
        }
    }

    /// The cause of a finding; nil for none.
    package func cause(of finding: Int, in result: RuleResult) -> Cause? { causes[Place(result, finding)] }

    /// The rules that are broken as a consequence of a rule, each once.
    package func effects(of rule: Int) -> [Effect] { effects[rule] ?? [] }

    /// Whether all findings of a result follow from those of other rules, so that it is listed under them.
    package func isEffect(_ result: RuleResult) -> Bool {
        let findings = result.tally.findings.indices
        guard !findings.isEmpty, result.tally.failures == findings.count else { return false }
        return findings.allSatisfy { cause(of: $0, in: result) != nil }
    }

    /// The cause that has no cause itself. Each step leads to an earlier frame or to the leading finding of a frame.
    private func root(of place: Place, _ leads: [Int: Lead]) -> Cause? {
        var root = causes[place]
        while let known = root, let lead = leads[known.frame], let next = causes[lead.place] { root = next }
        return root
    }

    private mutating func add(_ rule: Int, _ frame: Int, to cause: Int) {
        if rule == cause { return }
        if let index = effects[cause]?.firstIndex(where: { $0.rule == rule }) {
            effects[cause]?[index].count += 1
        } else {
            effects[cause, default: []].append(Effect(rule: rule, frame: frame, count: 1))
        }
    }
}

extension RuleInfo {
    /// Rules of a device precede those of the specification, then rules about the form of values.
    fileprivate var rank: Int { plugin == nil ? 1 : isAboutForm ? 2 : 0 }

    /// Whether the rules are about opposite sides.
    fileprivate func reacts(to other: RuleInfo) -> Bool {
        switch (role, other.role) {
        case (.peripheral, .client), (.client, .peripheral): true
        default: false
        }
    }
}
