import Bluetooth
import BluetoothCrypto

/// The identity resolving keys in a capture, which resolve private addresses to devices (Vol 6, Part B, 1.3.2.3).
struct IdentityKeys: Sendable {
    /// Without the identity of its owner, a key is named by the first address that it resolves.
    private var keys: [(key: SecretKey, identity: DeviceAddress?)] = []

    /// The newest keys, which are kept; a phone has some dozens of bonds.
    private static let limit = 64

    /// Adds the key of a device with this identity address, or of an unknown device. Returns false for a key that is zero
    /// or already known, and for an address that cannot be an identity address.
    mutating func add(_ key: SecretKey, of identity: DeviceAddress?) -> Bool {
        guard key.value != 0 else { return false }
        if let identity {
            let isIdentity = identity.kind == .public || identity.address.randomKind == .static
            guard isIdentity, !keys.contains(where: { $0.key == key && $0.identity == identity }) else { return false }
        } else if contains(key) {
            return false
        }
        if keys.count == Self.limit { keys.removeFirst() }
        keys.append((key, identity))
        return true
    }

    func contains(_ key: SecretKey) -> Bool { keys.contains { $0.key == key } }

    /// Names the unknown owner of a key by an address that the key resolves.
    mutating func name(_ key: SecretKey, _ address: DeviceAddress) {
        for place in keys.indices where keys[place].key == key && keys[place].identity == nil {
            keys[place].identity = address
        }
    }

    /// The identity address of the device whose key resolves a private address; nil for other addresses, and for the
    /// first address of a device whose identity is not known.
    mutating func owner(of address: DeviceAddress) -> DeviceAddress? {
        guard let place = keys.lastIndex(where: { PrivateAddress.isResolved(address, by: $0.key) }) else { return nil }
        if keys[place].identity == nil {
            keys[place].identity = address
            return nil
        }
        return keys[place].identity == address ? nil : keys[place].identity
    }
}
