import Conformance
import TestKit
import Testing

/// A script that conforms to a rule of the specification, and one that breaks only this rule.
struct CoreStory: Sendable, CustomTestStringConvertible {
    let rule: String
    var isOnAir = false
    /// Whether the client discovers the server's table first.
    var isDiscovered = true
    let good: @Sendable (Stage) -> Void
    let bad: @Sendable (Stage) -> Void

    init(
        _ rule: String, onAir: Bool = false, discovered: Bool = false, good: @escaping @Sendable (Stage) -> Void,
        bad: @escaping @Sendable (Stage) -> Void
    ) {
        self.rule = rule
        isOnAir = onAir
        isDiscovered = discovered
        self.good = good
        self.bad = bad
    }

    var testDescription: String { rule }

    /// Runs one of the scripts.
    func played(_ act: (Stage) -> Void) -> Stage {
        let stage = Stage(isOnAir: isOnAir)
        if isDiscovered { stage.link.discover(Shop.layout) }
        act(stage)
        stage.disconnect()
        return stage
    }

    static let all: [CoreStory] =
        attTransactions + attPDUs + attValues + gatt + gattTables + l2cap + smp + linkLayer + advertising + hci
}
