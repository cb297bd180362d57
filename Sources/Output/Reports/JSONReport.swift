import Bytes
package import Conformance
import Conversation
import PluginKit
import Profile

/// JSON report of a check, result by result. Device texts are written unchanged.
package struct JSONReport: ReportFormat {
    private let report: CheckReport
    private let names: ReportNames
    private let causes: FindingCauses
    private let comparison: RunComparison?

    package init(_ report: CheckReport, comparison: RunComparison? = nil) {
        self.report = report
        causes = FindingCauses(report)
        self.comparison = comparison
        names = ReportNames(report)
    }

    package func write(to output: inout ReportOutput) throws {
        output.write("{\n")
        output.writeMember("file", .string(report.file), indentation: 2)
        output.writeMember("frames", .integer(report.frames), indentation: 2)
        if let times = report.times {
            output.writeMember("first", .string(TimeText.iso8601(times.lowerBound)), indentation: 2)
            output.writeMember("last", .string(TimeText.iso8601(times.upperBound)), indentation: 2)
        }
        output.writeMember(
            "quality", .object(of: report.quality.all.map { ($0.name, .integer($0.count)) }), indentation: 2)
        output.writeMember("summary", .object(of: report.summary.map { ($0.name, .integer($0.count)) }), indentation: 2)
        if let comparison { output.writeMember("comparison", Self.comparison(comparison), indentation: 2) }
        if !report.cases.isEmpty {
            output.writeMember("cases", .array(report.cases.map(Self.testCase)), indentation: 2)
        }
        output.writeMember("devices", .array(report.devices.indices.map(device)), indentation: 2)
        output.writeMember("omissions", .array(report.omissions.map(Self.omission)), indentation: 2)
        output.writeMember("unused_waivers", .array(report.unusedWaivers.map(Self.waiver)), indentation: 2)
        output.write("  \"results\": [")
        for (index, result) in report.results.enumerated() {
            output.write(index == 0 ? "\n    " : ",\n    ")
            self.result(result).write(to: &output.page, indentation: 4)
            try output.turnPage()
        }
        output.write(report.results.isEmpty ? "]\n}\n" : "\n  ]\n}\n")
    }

}

// MARK: - Parts

extension JSONReport {
    private func device(_ index: Int) -> JSONValue {
        let device = report.devices[index]
        return .members([
            "id": .string(names.devices[index]), "title": .string(device.title),
            "address": device.address.map { .string($0) },
            "plugin": device.plugin.map { .string($0) }, "dialect": device.dialect.map { .string($0) },
            "firmware": device.firmware.map { .string($0) }, "connections": .integer(device.connections),
        ])
    }

    private static func testCase(_ one: CaseResult) -> JSONValue {
        .members([
            "id": .string(one.id), "title": .string(one.title), "verdict": .string(one.verdict.name),
            "seconds": .number(one.seconds), "seed": .integer(Int(clamping: one.seed)),
            "reproduce": one.reproduction.map { .string($0) }, "rule": one.rule.map { .string($0) },
            "quirk": one.verdict == .fail ? one.quirk.map { .string($0) } : nil,
            "reason": one.verdict.reason.map { .string($0) },
            "rules_failed": one.brokenRules.isEmpty ? nil : .array(one.brokenRules.map { .string($0) }),
            "steps": one.steps.map { .array($0.map { .string($0) }) },
            "replay": one.comparison.map { .string($0.rawValue) },
            "measurements": one.measurements.isEmpty ? nil : .array(one.measurements.map(measurement)),
        ])
    }

    private static func measurement(_ one: CaseResult.Measurement) -> JSONValue {
        .members([
            "text": .string(one.text), "allowed": .number(one.allowed), "measured": one.measured.map { .number($0) },
        ])
    }

    private static func omission(_ omission: Omission) -> JSONValue {
        .members([
            "kind": .string(omission.kind.rawValue), "plugin": omission.plugin.map { .string($0) },
            "device": omission.device.map { .string($0) }, "weight": omission.weight.map { .integer($0) },
            "text": .string(omission.text),
        ])
    }

    private static func waiver(_ waiver: Waiver) -> JSONValue {
        .members([
            "rule": .string(waiver.rule), "device": waiver.device.map { .string($0) },
            "firmware": waiver.firmware.map { .string($0) }, "reason": .string(waiver.reason),
            "link": waiver.link.map { .string($0) }, "expires": waiver.expires.map { .string($0.description) },
        ])
    }

    /// The first finding is a member beside the verdict; all kept findings are in a list.
    private func result(_ result: RuleResult) -> JSONValue {
        let rule = report.rules[result.rule]
        let tally = result.tally
        let first = tally.findings.first
        return .members([
            "id": .string(names.id(of: result, in: report)), "rule": .string(rule.id),
            "verdict": .string(result.verdict.name), "text": .string(rule.text),
            "role": .string(rule.role.rawValue), "severity": .string(result.severity(of: rule).rawValue),
            "source": rule.source.map { .string($0) },
            "device": result.device.map { .string(names.devices[$0]) },
            "connection": result.connection.map { .integer($0) },
            "reason": result.verdict.reason.map { .string($0) },
            "passes": tally.isEmpty ? nil : .integer(tally.passes),
            "failures": tally.isEmpty ? nil : .integer(tally.failures),
            "undecided": tally.undecided == 0 ? nil : .integer(tally.undecided),
            "frames": first.map { .array($0.moments.map { .integer($0.frame) }) },
            "expected": first.map { .string($0.expected) }, "observed": first.map { .string($0.observed) },
            "quirk": (first?.quirk ?? (first == nil ? nil : rule.quirk)).map { .string($0) },
            "hint": first == nil ? nil : rule.hint.map { .string($0) },
            "waiver": result.waiver.map(Self.waiver),
            "findings": first == nil
                ? nil : .array(tally.findings.enumerated().map { finding($1, causes.cause(of: $0, in: result)) }),
        ])
    }

    private func finding(_ finding: Finding, _ cause: FindingCauses.Cause?) -> JSONValue {
        .members([
            "frames": .array(
                finding.moments.map {
                    .members(["number": .integer($0.frame), "time": .string(TimeText.iso8601($0.time))])
                }),
            "bytes": ReportWords.bytes(of: finding).map { .string($0) },
            "sender": finding.moments.last.flatMap { $0.sender == .unknown ? nil : .string("\($0.sender)") },
            "expected": .string(finding.expected), "observed": .string(finding.observed),
            "follows": cause.map {
                .members(["rule": .string(report.rules[$0.rule].id), "frame": .integer($0.frame)])
            },
        ])
    }

    private static func comparison(_ comparison: RunComparison) -> JSONValue {
        .members([
            "against": .string(comparison.before),
            "counts": .object(
                of: RunComparison.Change.Kind.allCases.map { ($0.rawValue, .integer(comparison.count($0))) }),
            "changes": .array(comparison.changes.map(change)),
            "only_now": .array(comparison.onlyNow.map { .string($0) }),
            "only_before": .array(comparison.onlyBefore.map { .string($0) }),
        ])
    }

    private static func change(_ change: RunComparison.Change) -> JSONValue {
        .members([
            "change": .string(change.kind.rawValue), "rule": .string(change.rule), "text": .string(change.text),
            "device": change.device.map { .string($0) }, "before": change.before.map { .string($0) },
            "now": change.now.map { .string($0) }, "detail": change.detail.map { .string($0) },
        ])
    }
}
