import Conformance
import PluginKit

/// A fault that packets show, which `shrink` keeps.
package protocol ShownFault: Sendable {
    /// Numbers of the frames that show it, if they are known: `shrink` begins with these and what their decoding needs.
    var frames: [Int] { get }

    /// Whether packets still show the fault. It is called for several candidates at the same time.
    func isShown(by packets: StoredPackets) async throws -> Bool
}

/// A rule that a capture breaks.
///
/// Packets still show it if they break the rule in one of the same frames, with the same expectation and observation:
/// what a rule finds because packets are left out is another fault.
package struct ShownBreach: ShownFault {
    private let job: CheckJob
    private let rule: String
    private let breaches: Set<Breach>

    private struct Breach: Hashable {
        /// The frame that breaks the rule; 0 for none.
        let frame: Int
        let expected: String
        let observed: String
    }

    /// The rule that a capture breaks. Throws `RuleNotBroken`, and `UnknownRule` for a rule that does not exist.
    package init(_ rule: String, of packets: StoredPackets, checkedBy job: CheckJob) async throws {
        self.job = job
        self.rule = rule
        let report = try await job.run(packets.makeSource()) { _ in true }.report
        breaches = Self.breaches(of: rule, in: report)
        guard breaches.isEmpty else { return }
        guard report.ruleIDs.contains(rule) || report.rules.contains(where: { $0.id == rule }) else {
            throw UnknownRule(id: rule, known: report.ruleIDs.sorted())
        }
        throw RuleNotBroken(rule: rule, file: packets.name)
    }

    package var frames: [Int] { Set(breaches.map(\.frame).filter { $0 > 0 }).sorted() }

    package func isShown(by packets: StoredPackets) async throws -> Bool {
        let report = try await job.run(packets.makeSource()) { _ in true }.report
        return !Self.breaches(of: rule, in: report).isDisjoint(with: breaches)
    }

    private static func breaches(of rule: String, in report: CheckReport) -> Set<Breach> {
        let findings = report.results.filter { report.rules[$0.rule].id == rule }.flatMap(\.tally.findings)
        return Set(
            findings.map {
                Breach(frame: $0.moments.last?.frame ?? 0, expected: $0.expected, observed: $0.observed)
            })
    }
}

/// A rule that no module or plugin has.
package struct UnknownRule: Error {
    package let id: String
    package let known: [String]
}

/// A rule that a capture does not break.
package struct RuleNotBroken: Error, CustomStringConvertible {
    let rule: String
    let file: String

    package var description: String { "\(file): \(rule) is not broken; “gattbench check” lists the rules that are" }
}
