package import PluginKit
package import Profile

/// A failure that was just found, while the check goes on.
package struct FoundFailure: Sendable {
    package var rule: RuleInfo
    /// As far as it is known by now; nil for what is about no device that was told apart.
    package var device: CheckedDevice?
    package var finding: Finding
    /// That of the rule, or `warning` for a failure that is only one.
    package var severity: RuleDefinition.Severity
}

/// Failures to report while the check goes on: for each rule, device and connection as many as a report keeps.
struct FailureQueue {
    private var failures: [FoundFailure] = []
    /// How many there were of each.
    private var counts: [ResultStore.Key: Int] = [:]

    /// Rules, devices and connections that are told apart.
    private static let keyLimit = 10_000

    /// Whether one more failure of a kind is to be told.
    mutating func wants(_ key: ResultStore.Key) -> Bool {
        guard counts.count < Self.keyLimit || counts[key] != nil else { return false }
        counts[key, default: 0] += 1
        return counts[key, default: 0] <= Tally.findingLimit
    }

    mutating func add(_ failure: FoundFailure) { failures.append(failure) }

    /// The failures since the last time.
    mutating func take() -> [FoundFailure] {
        defer { failures.removeAll(keepingCapacity: true) }
        return failures
    }
}

extension ResultStore {
    /// Queues a failure, if failures are taken while the check goes on.
    func queue(_ finding: Finding, rule: Int, device: Int32, isWarning: Bool = false) {
        guard failureQueue != nil else { return }
        let connection = finding.moments.last?.connection ?? 0
        let key = Key(rule: Int32(rule), device: device, connection: Int32(clamping: connection))
        guard failureQueue?.wants(key) == true else { return }
        let concerned = device >= 0 ? devices[Int(device)] : nil
        let severity = isWarning ? .warning : rules[rule].severity
        failureQueue?.add(FoundFailure(rule: rules[rule], device: concerned, finding: finding, severity: severity))
    }
}
