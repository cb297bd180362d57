package import PluginKit
package import Profile

/// A failure reported while the check is running.
package struct FoundFailure: Sendable {
    package var rule: RuleInfo
    /// The device, as known so far; nil if the failure belongs to no identified device.
    package var device: CheckedDevice?
    package var finding: Finding
    /// The rule's severity, or `warning` for a failure that is only a warning.
    package var severity: RuleDefinition.Severity
}

/// Failures to report while the check is running: for each rule, device and connection, at most as many as a report
/// lists.
struct FailureQueue {
    private var failures: [FoundFailure] = []
    /// Number of failures for each key.
    private var counts: [ResultStore.Key: Int] = [:]

    /// Maximum number of combinations of rule, device and connection.
    private static let keyLimit = 10_000

    /// Counts a failure. Returns whether to report it.
    mutating func wants(_ key: ResultStore.Key) -> Bool {
        guard counts.count < Self.keyLimit || counts[key] != nil else { return false }
        counts[key, default: 0] += 1
        return counts[key, default: 0] <= Tally.findingLimit
    }

    mutating func add(_ failure: FoundFailure) { failures.append(failure) }

    /// Returns the failures since the last call.
    mutating func take() -> [FoundFailure] {
        defer { failures.removeAll(keepingCapacity: true) }
        return failures
    }
}

extension ResultStore {
    /// Queues a failure, if failures are reported while the check is running.
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
