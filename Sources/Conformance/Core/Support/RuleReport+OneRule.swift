import Bluetooth
import Bytes
import PluginKit

// Outcomes of a rule that reports only about itself: the rule that the engine runs.
extension RuleReport {
    /// The rule was obeyed.
    mutating func pass() { pass(rule) }

    /// The rule was broken: by the event, or, with `moments`, by the last of these frames. Without `bytes`, the finding
    /// shows the event's PDU.
    mutating func fail(
        expected: @autoclosure () -> String, observed: @autoclosure () -> String, at moments: [FrameReference] = [],
        bytes: @autoclosure () -> [UInt8]? = nil
    ) {
        fail(rule, expected: expected(), observed: observed(), at: moments, bytes: bytes())
    }

    /// The rule could not be decided, for this reason.
    mutating func inconclusive(_ reason: String) { inconclusive(rule, reason) }

    /// Passes if the condition holds; otherwise, the event breaks the rule, or, with `moments`, the last of these
    /// frames.
    mutating func expect(
        _ holds: Bool, expected: @autoclosure () -> String, observed: @autoclosure () -> String,
        at moments: @autoclosure () -> [FrameReference] = []
    ) {
        if holds { pass() } else { fail(expected: expected(), observed: observed(), at: moments()) }
    }

    /// Fails, unless missing traffic may be the excuse: with a `doubt`, the rule is inconclusive.
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
