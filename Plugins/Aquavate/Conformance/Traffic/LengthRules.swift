import Bluetooth
import PluginKit
import Profile

/// AQ-313: lengths of values that no other rule checks, and chunks with an incomplete header.
struct LengthRules: Rule {
    var rules: [RuleIndex] { [.aq313] }
    var interests: Set<RuleInterest> { Set(Self.lengths.keys.map { .values(of: $0) }).union(values(of: .drinkData)) }

    /// Lengths in bytes by characteristic and operation (section 4).
    private static let lengths: [CharacteristicIndex: [OperationKind: Set<Int>]] = [
        .syncControl: [.write: [8]], .currentWeight: [.read: [2], .notify: [2]],
        .prdBottleConfig: [.read: [6, 8], .write: [6, 8]], .syncStatus: [.read: [2], .write: [4]],
        .deviceStatus: [.read: [3, 4], .notify: [3, 4]],
    ]

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        if event.isMalformedChunk {
            report.fail(
                .aq313, expected: "\(DrinkChunkValue.headLength) bytes or more",
                observed: "\(event.value?.bytes.count ?? 0)")
        }
        guard let attribute = event.value,
            let lengths = Self.lengths[attribute.characteristic]?[attribute.operation]
        else { return }
        // AQ-211 checks START.
        if event.sentRequest?.isStart == true { return }
        // The length of a command is part of its opcode.
        if case .requiredControl(let control)? = event.puckValue, control.parameters == nil {
            return report.pass(.aq313)
        }
        if lengths.contains(attribute.bytes.count) { return report.pass(.aq313) }
        let expected = lengths.sorted().map(String.init).joined(separator: " or ")
        report.fail(.aq313, expected: "\(expected) bytes", observed: "\(attribute.bytes.count)")
    }
}
