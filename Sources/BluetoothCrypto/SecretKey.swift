import Bytes

/// A 128-bit key, which no log shows: what prints or reflects it sees only that there is one.
package struct SecretKey: Hashable, Sendable {
    /// The key as a number, as the specification writes it: the most significant byte first.
    package var value: UInt128

    package init(_ value: UInt128) {
        self.value = value
    }

    /// The key whose bytes HCI and SMP carry: at most 16, the least significant first.
    package init(wireBytes: [UInt8]) {
        value = wireBytes.prefix(16).reversed().reduce(0) { $0 << 8 | UInt128($1) }
    }

    /// The key cut to `size` bytes, 7 to 16: the most significant ones become zero (Vol 3, Part H, 2.3.4).
    package func cut(to size: Int) -> SecretKey {
        size < 16 ? SecretKey(value & ((1 << (8 * UInt128(max(0, size)))) - 1)) : self
    }

    /// The key's bytes, the least significant first, as HCI and SMP carry it.
    package var wireBytes: [UInt8] { ByteWriter.bytes { $0.write(value) } }
}

extension SecretKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "(secret)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
