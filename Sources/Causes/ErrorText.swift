import Bluetooth

// Error codes as texts name them.

extension SMP.FailureReason {
    /// Name and code: `Busy (0x10)`.
    var text: String { "\(name ?? "reason") (\(hex: rawValue))" }
}

extension HCI.ErrorCode {
    /// Name and code: `PIN or Key Missing (0x06)`.
    var text: String { "\(name ?? "error") (\(hex: rawValue))" }
}

extension DefaultStringInterpolation {
    /// Adds a byte as a hexadecimal number: `0x06`.
    fileprivate mutating func appendInterpolation(hex byte: UInt8) {
        appendLiteral("0x" + (byte < 0x10 ? "0" : "") + String(byte, radix: 16))
    }
}
