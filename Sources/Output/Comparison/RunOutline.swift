package import Bytes
package import Conformance
import Conversation

/// The part of a report that is compared between runs: the result of each rule per device, over all connections, and of
/// each case of a test. Connections are not compared one by one, because they differ between runs.
package struct RunOutline: Sendable {
    /// Path of the capture.
    package var file: String
    package var devices: [Device] = []
    package var standings: [Subject: Standing] = [:]

    package struct Device: Hashable, Sendable {
        /// Unique name in the report.
        package var name: String
        package var address: String?
        package var plugin: String?

        package init(name: String, address: String?, plugin: String?) {
            (self.name, self.address, self.plugin) = (name, address, plugin)
        }
    }

    /// A rule and the device it was evaluated for, or a case of a test.
    package struct Subject: Hashable, Sendable {
        /// Id of the rule or of the case.
        package var rule: String
        /// Index in `devices`; nil for a rule without a device, and for a case.
        package var device: Int?
    }

    /// The result of a rule.
    package struct Standing: Hashable, Sendable {
        /// A `Verdict.name`.
        package var verdict: String
        package var text: String
        /// The observation and its place; nil if the rule was not broken.
        package var detail: String?
    }

    package init(file: String) {
        self.file = file
    }

    package init(_ report: CheckReport) {
        let words = ReportWords(report)
        file = report.file
        devices = report.devices.indices.map {
            Device(
                name: words.names.devices[$0], address: report.devices[$0].address, plugin: report.devices[$0].plugin)
        }
        for result in report.results {
            let finding = result.tally.findings.first
            let detail = finding.map { "\($0.contrast) (\(words.place(of: $0, result)))" }
            let rule = report.rules[result.rule]
            add(
                Standing(verdict: result.verdict.name, text: rule.text, detail: detail),
                of: Subject(rule: rule.id, device: result.device))
        }
        for one in report.cases {
            let detail = one.verdict == .fail ? one.findings.first?.contrast : nil
            add(
                Standing(verdict: one.verdict.name, text: one.title, detail: detail),
                of: Subject(rule: one.id, device: nil))
        }
    }

    /// Adds the result of a rule for one connection; of several results, the heaviest is kept.
    mutating func add(_ standing: Standing, of subject: Subject) {
        if let other = standings[subject], Self.weight(other) >= Self.weight(standing) { return }
        standings[subject] = standing
    }

    /// Lightest first: one failure breaks a rule, and one pass is enough to count it as obeyed.
    private static let weights = ["not_applicable", "inconclusive", "pass", "waived", "warning", "fail"]

    private static func weight(_ standing: Standing) -> Int { weights.firstIndex(of: standing.verdict) ?? -1 }
}

// MARK: - The JSON report of an earlier run

extension RunOutline {
    /// Reads a JSON report; nil if the JSON is something else.
    package init?(_ json: JSONValue) {
        guard let file = json["file"]?.string, case .array(let devices)? = json["devices"],
            case .array(let results)? = json["results"]
        else { return nil }
        self.init(file: file)
        var numbers: [String: Int] = [:]
        for device in devices {
            guard let id = device["id"]?.string else { return nil }
            if numbers[id] == nil { numbers[id] = self.devices.count }
            self.devices.append(Device(name: id, address: device["address"]?.string, plugin: device["plugin"]?.string))
        }
        for result in results {
            guard let rule = result["rule"]?.string, let verdict = result["verdict"]?.string,
                let text = result["text"]?.string
            else { return nil }
            var detail: String?
            if let expected = result["expected"]?.string, let observed = result["observed"]?.string {
                detail = "expected \(expected); observed \(observed)"
            }
            add(
                Standing(verdict: verdict, text: text, detail: detail),
                of: Subject(rule: rule, device: result["device"]?.string.flatMap { numbers[$0] }))
        }
        for one in json["cases"]?.elements ?? [] {
            guard let id = one["id"]?.string, let verdict = one["verdict"]?.string, let title = one["title"]?.string
            else { return nil }
            add(Standing(verdict: verdict, text: title, detail: nil), of: Subject(rule: id, device: nil))
        }
    }
}
