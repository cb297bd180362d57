import PluginKit

extension ResultBook {
    /// What came of every rule, in order; `unjudged` are rules that nobody can judge, with the reason.
    ///
    /// Of a rule that never came up there is one result for each device that it is about, if those are few.
    func results(unjudged: [Int: String]) -> [RuleResult] {
        var results: [RuleResult] = []
        var byRule: [Int: [(key: Key, tally: Tally)]] = [:]
        for (key, tally) in tallies { byRule[Int(key.rule), default: []].append((key, tally)) }
        for (rule, info) in rules.enumerated() {
            let judged = (byRule[rule] ?? []).sorted {
                ($0.key.device, $0.key.connection) < ($1.key.device, $1.key.connection)
            }
            for (key, tally) in judged {
                results.append(
                    RuleResult(
                        rule: rule, device: key.device < 0 ? nil : Int(key.device),
                        connection: key.connection == 0 ? nil : Int(key.connection),
                        verdict: tally.verdict(info.severity), tally: tally))
            }
            let seen = Set(judged.map(\.key.device))
            let reason = unjudged[rule] ?? "what it is about did not come up"
            let concerned = devices.indices.filter { devices[$0].plugin == info.plugin && info.plugin != nil }
            if concerned.count <= Self.fewDevices, !concerned.isEmpty {
                for device in concerned where !seen.contains(Int32(device)) {
                    results.append(
                        RuleResult(rule: rule, device: device, connection: nil, verdict: .notApplicable(reason)))
                }
            } else if judged.isEmpty {
                results.append(RuleResult(rule: rule, device: nil, connection: nil, verdict: .notApplicable(reason)))
            }
        }
        return results
    }

    private static let fewDevices = 16
}
