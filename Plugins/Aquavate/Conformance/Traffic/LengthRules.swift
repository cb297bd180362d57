import ATT
import PluginKit
import Profile

/// AQ-313: lengths of values, where no rule of its own judges them.
struct LengthRules: PuckRules {
    var rules: [String] { ["AQ-313"] }
    var interests: Set<ConformanceInterest> { Set(Self.lengths.keys.map { .values(of: $0) }) }

    /// Lengths by characteristic and operation, as the description has them (section 4).
    private static let lengths: [String: [OperationKind: Set<Int>]] = [
        "sync_control": [.write: [8]], "current_weight": [.read: [2], .notify: [2]],
        "prd_bottle_config": [.read: [6, 8], .write: [6, 8]], "sync_status": [.read: [2], .write: [4]],
        "device_status": [.read: [3], .notify: [3]],
    ]

    mutating func see(_ sight: Sight, _ report: inout JudgeReport) {
        guard let told = sight.told,
            let lengths = Self.lengths[told.characteristic]?[told.operation]
        else { return }
        // START has a rule that says more.
        if sight.syncRequest?.isStart == true { return }
        if lengths.contains(told.bytes.count) { return report.pass("AQ-313") }
        let expected = lengths.sorted().map(String.init).joined(separator: " or ")
        report.fail("AQ-313", expected: "\(expected) bytes", observed: "\(told.bytes.count)")
    }
}
