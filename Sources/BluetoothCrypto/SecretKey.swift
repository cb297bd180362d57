import Bytes

/// A 128-bit key that never appears in logs and whose bytes are overwritten when nothing uses it any more: printing or
/// reflecting it shows only that it is present (docs/decisions/0054-keys-that-clear-themselves.md).
package struct SecretKey: Hashable, Sendable {
    /// 16 bytes, most significant first.
    let bytes: SecretBytes

    /// Takes the key as a number, most significant byte first, as in the specification.
    package init(_ value: UInt128) {
        bytes = SecretBytes(value)
    }

    /// Takes the key's bytes in HCI and SMP order: at most 16, least significant first.
    package init(wireBytes: [UInt8]) {
        self.init(wireBytes.prefix(16).reversed().reduce(0) { $0 << 8 | UInt128($1) })
    }

    /// The key as a number, for ciphers.
    package var value: UInt128 { bytes.value }

    /// The key shortened to `size` bytes, 7 to 16: the most significant bytes become zero (Vol 3, Part H, 2.3.4).
    package func cut(to size: Int) -> SecretKey {
        size < 16 ? SecretKey(value & ((1 << (8 * UInt128(max(0, size)))) - 1)) : self
    }

    /// The key's bytes in HCI and SMP order, least significant first.
    package var wireBytes: [UInt8] { ByteWriter.bytes { $0.write(value) } }
}

extension SecretKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "(secret)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
