import Bluetooth
import Bytes

// Error codes as texts name them.

extension ATT.ErrorCode {
    /// Name and code: `Write Not Permitted (0x03)`.
    var text: String { name.map { "\($0) (\(hexText(rawValue)))" } ?? "error \(hexText(rawValue))" }
}

extension SMP.FailureReason {
    /// Name and code: `Busy (0x10)`.
    var text: String { "\(name ?? "reason") (\(hexText(rawValue)))" }
}

extension HCI.ErrorCode {
    /// Name and code: `PIN or Key Missing (0x06)`.
    var text: String { "\(name ?? "error") (\(hexText(rawValue)))" }
}

/// `0x1b`.
func hexText(_ number: UInt8) -> String { "0x" + String(hex: number, digits: 2) }
