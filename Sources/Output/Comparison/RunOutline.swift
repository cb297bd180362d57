package import Bytes
package import Conformance
import Conversation

/// What two runs are compared by: what came of each rule for each device, whatever the connection. Connections are not
/// compared one by one, as no two runs have the same.
package struct RunOutline: Sendable {
    /// The capture.
    package var file: String
    package var devices: [Device] = []
    package var standings: [Subject: Standing] = [:]

    /// A device that was judged.
    package struct Device: Hashable, Sendable {
        /// Its name in the report, no two of them equal.
        package var name: String
        package var address: String?
        package var plugin: String?
    }

    /// A rule, and the device that it was judged for.
    package struct Subject: Hashable, Sendable {
        package var rule: String
        /// Index in `devices`; nil for what is about no device.
        package var device: Int?
    }

    /// What came of a rule.
    package struct Standing: Hashable, Sendable {
        /// As `Verdict.name`.
        package var verdict: String
        package var text: String
        /// What there was instead and where; nil where the rule was not broken.
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
    }

    /// Takes in what came of a rule for one connection: of several, what weighs most stands.
    mutating func add(_ standing: Standing, of subject: Subject) {
        if let other = standings[subject], Self.weight(other) >= Self.weight(standing) { return }
        standings[subject] = standing
    }

    /// From heavy to light: one failure breaks a rule, one pass obeys it as far as can be told.
    private static let weights = ["not_applicable", "inconclusive", "pass", "waived", "warning", "fail"]

    private static func weight(_ standing: Standing) -> Int { weights.firstIndex(of: standing.verdict) ?? -1 }
}

// MARK: - The JSON report of an earlier run

extension RunOutline {
    /// Reads a JSON report; nil for other JSON.
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
    }
}
