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

extension RunOutline: Decodable {
    /// What is read of a JSON report.
    private struct Document: Decodable {
        struct Device: Decodable {
            var id: String
            var address: String?
            var plugin: String?
        }

        struct Result: Decodable {
            var rule: String
            var verdict: String
            var text: String
            var device: String?
            var expected: String?
            var observed: String?
        }

        var file: String
        var devices: [Device]
        var results: [Result]
    }

    package init(from decoder: any Decoder) throws {
        let document = try Document(from: decoder)
        self.init(file: document.file)
        devices = document.devices.map { Device(name: $0.id, address: $0.address, plugin: $0.plugin) }
        let numbers = Dictionary(devices.enumerated().map { ($1.name, $0) }) { first, _ in first }
        for result in document.results {
            var detail: String?
            if let expected = result.expected, let observed = result.observed {
                detail = "expected \(expected); observed \(observed)"
            }
            add(
                Standing(verdict: result.verdict, text: result.text, detail: detail),
                of: Subject(rule: result.rule, device: result.device.flatMap { numbers[$0] }))
        }
    }
}
