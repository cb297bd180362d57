import BluetoothTypes
import Bytes
import PluginKit

extension CoreRuleReport {
    /// Passes what is fine; else the event breaks the rule.
    mutating func judge(
        _ isFine: Bool, expected: @autoclosure () -> String, observed: @autoclosure () -> String,
        at moments: [FrameReference] = []
    ) {
        if isFine { pass() } else { fail(expected: expected(), observed: observed(), at: moments) }
    }

    /// Accuses, unless what was not captured may be the excuse: `doubt` says what that is.
    mutating func accuse(
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
