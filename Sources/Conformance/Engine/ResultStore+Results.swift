import PluginKit

extension ResultStore {
    /// The results of all rules, in order. `unevaluated` contains rules that cannot be evaluated, with the reason.
    ///
    /// A rule without outcomes has one result for each device that it covers, if there are few of them, and otherwise a
    /// single one.
    func results(unevaluated: [Int: String]) -> [RuleResult] {
        let tallies = takeTallies()
        var results: [RuleResult] = []
        results.reserveCapacity(tallies.count + rules.count)
        var concerned: [String: [Int]] = [:]
        for (number, device) in devices.enumerated() {
            if let plugin = device.plugin { concerned[plugin, default: []].append(number) }
        }
        var next = tallies.startIndex
        for (rule, info) in rules.enumerated() {
            let first = next
            while next < tallies.endIndex, tallies[next].key.rule == rule { next += 1 }
            for entry in tallies[first..<next] {
                let (key, tally) = (entry.key, entry.tally)
                results.append(
                    RuleResult(
                        rule: rule, device: key.device < 0 ? nil : Int(key.device),
                        connection: key.connection == 0 ? nil : Int(key.connection),
                        verdict: tally.verdict(info.severity), tally: tally))
            }
            let reason = unevaluated[rule] ?? "no matching traffic"
            let some = info.plugin.flatMap { concerned[$0] } ?? []
            if some.count <= Self.fewDevices, !some.isEmpty {
                let listed = Set(tallies[first..<next].map(\.key.device))
                for device in some where !listed.contains(Int32(device)) {
                    results.append(
                        RuleResult(rule: rule, device: device, connection: nil, verdict: .notApplicable(reason)))
                }
            } else if first == next {
                results.append(RuleResult(rule: rule, device: nil, connection: nil, verdict: .notApplicable(reason)))
            }
        }
        return results
    }

    private static let fewDevices = 16
}
