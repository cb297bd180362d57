import Bytes
package import Conformance
import Conversation
import PluginKit
import Profile

/// SARIF 2.1.0 (OASIS) report of a check: all rules with their help, and a result for every broken rule and connection,
/// waived ones with a suppression. Readers show every listed result as a fault, so other results are left out; the
/// run's properties contain their counts.
package struct SARIFReport: ReportFormat {
    private let words: ReportWords

    private var report: CheckReport { words.report }

    package init(_ report: CheckReport) {
        words = ReportWords(report.legible())
    }

    package func write(to output: inout ReportOutput) throws {
        output.write(
            """
            {
              "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
              "version": "2.1.0",
              "runs": [
                {

            """)
        output.writeMember("properties", properties, indentation: 6)
        output.writeMember("invocations", .array([invocation]), indentation: 6)
        output.writeMember("tool", .members(["driver": driver]), indentation: 6)
        output.writeMember("artifacts", .array([.members(["location": artifact])]), indentation: 6)
        output.write("      \"results\": [")
        var isFirst = true
        for result in report.results where isBroken(result) {
            output.write(isFirst ? "\n        " : ",\n        ")
            isFirst = false
            self.result(result).write(to: &output.page, indentation: 8)
            try output.turnPage()
        }
        output.write(isFirst ? "]\n    }\n  ]\n}\n" : "\n      ]\n    }\n  ]\n}\n")
    }

    private func isBroken(_ result: RuleResult) -> Bool {
        switch result.verdict {
        case .fail, .warning, .waived: true
        case .pass, .inconclusive, .notApplicable: false
        }
    }
}

// MARK: - The run

extension SARIFReport {
    private var properties: JSONValue {
        .members([
            "quality": .object(of: report.quality.all.map { ($0.name, .integer($0.count)) }),
            "summary": .object(of: report.summary.map { ($0.name, .integer($0.count)) }),
            "frames": .integer(report.frames),
        ])
    }

    /// Defects of the recording, as notifications; readers show them with the run.
    private var invocation: JSONValue {
        let flaws = report.quality.all.filter { $0.count > 0 }
        let waivers = report.unusedWaivers.map { Self.notification("waivers", words.unused($0)) }
        let omissions = report.omissions.map {
            Self.notification("omission/\($0.kind.rawValue)", $0.text, level: "warning")
        }
        return .members([
            "executionSuccessful": .boolean(true),
            "toolExecutionNotifications": .array(
                flaws.map { Self.notification("capture-quality/\($0.name)", "\($0.text): \($0.count)") } + waivers
                    + omissions),
        ])
    }

    private static func notification(_ id: String, _ text: String, level: String = "note") -> JSONValue {
        .members(["descriptor": .members(["id": .string(id)]), "level": .string(level), "message": message(text)])
    }

    private var driver: JSONValue {
        .members([
            "name": .string(Program.name), "version": .string(Program.version),
            "semanticVersion": .string(Program.version), "rules": .array(report.rules.map(rule)),
        ])
    }

    private func rule(_ rule: RuleInfo) -> JSONValue {
        var help = [rule.text]
        help += rule.source.map { ["Source: \($0)"] } ?? []
        help += rule.hint.map { ["Hint: \($0)"] } ?? []
        help += rule.quirk.map { ["Known quirk of the firmware: \($0)"] } ?? []
        let tags = ["bluetooth", rule.role.rawValue] + (rule.plugin.map { [$0] } ?? [])
        return .members([
            "id": .string(rule.id), "shortDescription": Self.message(rule.text),
            "fullDescription": Self.message(rule.text), "help": Self.message(help.joined(separator: "\n")),
            "defaultConfiguration": .members(["level": .string(rule.severity.rawValue)]),
            "properties": .members(["tags": .array(tags.map { .string($0) })]),
        ])
    }

    private var artifact: JSONValue { .members(["uri": .string(Self.uri(report.file)), "index": .integer(0)]) }

    static func message(_ text: String) -> JSONValue { .members(["text": .string(text)]) }

    /// A path as a URI reference (RFC 3986); an absolute path gets a scheme.
    static func uri(_ path: String) -> String {
        var uri = path.hasPrefix("/") ? "file://" : ""
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                uri.unicodeScalars.append(Unicode.Scalar(byte))
            default: uri += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return uri
    }
}

// MARK: - Results

extension SARIFReport {
    /// Maximum number of related places listed beside the first.
    private static let placeLimit = 20
    /// Maximum number of bytes shown per finding.
    private static let byteLimit = 512

    private func result(_ result: RuleResult) -> JSONValue {
        let rule = report.rules[result.rule]
        let finding = result.tally.findings.first
        let id = words.names.id(of: result, in: report)
        let fingerprint = Self.fingerprint(id)
        let places = result.tally.findings.flatMap { finding in
            finding.moments.reversed().map { (finding: finding, moment: $0) }
        }
        return .members([
            "ruleId": .string(rule.id), "ruleIndex": .integer(result.rule), "kind": .string("fail"),
            "level": .string(result.severity(of: rule).rawValue), "message": Self.message(text(of: result, finding)),
            "locations": .array([places.first.map { location($0.finding, $0.moment, nil) } ?? location]),
            "relatedLocations": .array(
                places.dropFirst().prefix(Self.placeLimit).enumerated().map { location($1.finding, $1.moment, $0 + 1) }),
            // GitHub evaluates only the second name.
            "partialFingerprints": .members([
                "ruleDeviceConnection/v1": .string(fingerprint), "primaryLocationLineHash": .string(fingerprint + ":1"),
            ]),
            "occurrenceCount": result.tally.failures > 0 ? .integer(result.tally.failures) : nil,
            "suppressions": .array(result.verdict == .waived ? [suppression(result.waiver)] : []),
            "properties": .members([
                "id": .string(id), "device": words.device(of: result).map { .string($0) },
                "connection": result.connection.map { .integer($0) }, "role": .string(rule.role.rawValue),
                "source": rule.source.map { .string($0) },
                "follows": words.cause(of: 0, in: result).map { .string($0) },
                "quirk": words.quirk(of: result).map { .string($0) },
            ]),
        ])
    }

    private func text(of result: RuleResult, _ finding: Finding?) -> String {
        let device = words.device(of: result).map { "\($0): " } ?? ""
        guard let finding else { return device + report.rules[result.rule].text }
        let notes = [
            words.cause(of: 0, in: result).map { "follows from \($0)" },
            report.rules[result.rule].source.map { "source: \($0)" },
            words.quirk(of: result).map { "known quirk \($0)" }, ReportWords.expiry(of: result),
        ]
        let text = "\(device)\(finding.contrast) (\(words.place(of: finding, result)))"
        return ([text] + notes.compactMap(\.self)).joined(separator: "; ")
    }

    /// A frame as a location. Readers expect lines: the frame number stands for the line, because `decode` writes one
    /// line per frame.
    private func location(_ finding: Finding, _ moment: FrameReference, _ id: Int?) -> JSONValue {
        guard moment.frame > 0 else { return location }
        let isLast = moment == finding.moments.last
        let bytes = isLast ? ReportWords.bytes(of: finding, limit: Self.byteLimit) : nil
        return .members([
            "id": id.map { .integer($0) },
            "physicalLocation": .members([
                "artifactLocation": artifact,
                "region": .members([
                    "startLine": .integer(moment.frame),
                    "properties": .members([
                        "frame": .integer(moment.frame), "time": .string(TimeText.iso8601(moment.time)),
                        "connection": moment.connection > 0 ? .integer(moment.connection) : nil,
                        "bytes": bytes.map { .string($0) },
                    ]),
                ]),
            ]),
            "message": Self.message(
                isLast ? "frame \(moment.frame): \(finding.contrast)" : "frame \(moment.frame)"),
        ])
    }

    /// The capture as a whole.
    private var location: JSONValue {
        .members([
            "physicalLocation": .members([
                "artifactLocation": artifact, "region": .members(["startLine": .integer(1)]),
            ])
        ])
    }

    private func suppression(_ waiver: Waiver?) -> JSONValue {
        .members([
            "kind": .string("external"), "status": .string("accepted"),
            "justification": waiver.map { .string($0.reason) },
            "properties": waiver.map {
                .members([
                    "link": $0.link.map { .string($0) }, "expires": $0.expires.map { .string($0.description) },
                ])
            },
        ])
    }

    /// FNV-1a of a text, 64 bits in hexadecimal.
    private static func fingerprint(_ text: String) -> String {
        let hash = text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
