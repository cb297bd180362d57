import Bluetooth
import Bytes
import PluginKit

// The outcomes of a rule that reports only about itself: the one that the engine runs.
extension RuleReport {
    /// The rule was obeyed.
    mutating func pass() { pass(rule) }

    /// The rule was broken: by the event, or where `moments` say. Without `bytes`, they are the event's PDU.
    mutating func fail(
        expected: @autoclosure () -> String, observed: @autoclosure () -> String, at moments: [FrameReference] = [],
        bytes: @autoclosure () -> [UInt8]? = nil
    ) {
        fail(rule, expected: expected(), observed: observed(), at: moments, bytes: bytes())
    }

    /// It cannot be told whether the rule was obeyed, for this reason.
    mutating func inconclusive(_ reason: String) { inconclusive(rule, reason) }

    /// Passes where the expectation holds; else the event breaks the rule.
    mutating func expect(
        _ holds: Bool, expected: @autoclosure () -> String, observed: @autoclosure () -> String,
        at moments: @autoclosure () -> [FrameReference] = []
    ) {
        if holds { pass() } else { fail(expected: expected(), observed: observed(), at: moments()) }
    }

    /// Fails, unless something that was not captured may be the excuse: `doubt` names it.
    mutating func fail(
        unless doubt: String?, expected: @autoclosure () -> String, observed: @autoclosure () -> String,
        at moments: [FrameReference] = []
    ) {
        if let doubt { inconclusive(doubt) } else { fail(expected: expected(), observed: observed(), at: moments) }
    }
}

/// `0x1b`, with as many digits as the type has.
func hex(_ number: some FixedWidthInteger & UnsignedInteger) -> String {
    "0x" + String(hex: number, digits: number.bitWidth / 4)
}
