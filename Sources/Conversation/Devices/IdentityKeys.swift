import Bluetooth
import BluetoothCrypto

/// The identity resolving keys in a capture, which resolve private addresses to devices (Vol 6, Part B, 1.3.2.3).
struct IdentityKeys: Sendable {
    private var keys: [(key: SecretKey, identity: DeviceAddress)] = []

    /// The newest keys, which are kept; a phone has some dozens of bonds.
    private static let limit = 64

    /// Adds the key of a device with this identity address. Returns false for a key that is zero or already known, and
    /// for an address that cannot be an identity address.
    mutating func add(_ key: SecretKey, of identity: DeviceAddress) -> Bool {
        let isIdentity = identity.kind == .public || identity.address.randomKind == .static
        guard isIdentity, key.value != 0, !keys.contains(where: { $0.key == key && $0.identity == identity })
        else { return false }
        if keys.count == Self.limit { keys.removeFirst() }
        keys.append((key, identity))
        return true
    }

    /// The identity address of the device whose key resolves a private address; nil for other addresses.
    func owner(of address: DeviceAddress) -> DeviceAddress? {
        keys.last { PrivateAddress.isResolved(address, by: $0.key) }?.identity
    }
}
