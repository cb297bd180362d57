import Bluetooth
import PluginKit
import Profile

/// AQ-313: lengths of values, where no rule of its own judges them, and chunks that have no number of records by which
/// AQ-060 could judge theirs.
struct LengthRules: PuckRule {
    var rules: [RuleIndex] { [.aq313] }
    var interests: Set<RuleInterest> { Set(Self.lengths.keys.map { .values(of: $0) }).union(values(of: .drinkData)) }

    /// Lengths by characteristic and operation, as the description has them (section 4).
    private static let lengths: [CharacteristicIndex: [OperationKind: Set<Int>]] = [
        .syncControl: [.write: [8]], .currentWeight: [.read: [2], .notify: [2]],
        .prdBottleConfig: [.read: [6, 8], .write: [6, 8]], .syncStatus: [.read: [2], .write: [4]],
        .deviceStatus: [.read: [3], .notify: [3]],
    ]

    mutating func see(_ event: PuckEvent, on link: PuckLink?, _ report: inout RuleReport) {
        if event.isMalformedChunk {
            report.fail(
                .aq313, expected: "\(DrinkChunkValue.headLength) bytes or more",
                observed: "\(event.attribute?.bytes.count ?? 0)")
        }
        guard let attribute = event.attribute,
            let lengths = Self.lengths[attribute.characteristic]?[attribute.operation]
        else { return }
        // START has a rule that says more.
        if event.syncRequest?.isStart == true { return }
        if lengths.contains(attribute.bytes.count) { return report.pass(.aq313) }
        let expected = lengths.sorted().map(String.init).joined(separator: " or ")
        report.fail(.aq313, expected: "\(expected) bytes", observed: "\(attribute.bytes.count)")
    }
}
