import Bluetooth
import BluetoothCrypto

/// The identity resolving keys that a capture tells: they find the device behind a private address
/// (Vol 6, Part B, 1.3.2.3).
struct IdentityKeys: Sendable {
    private var keys: [(key: SecretKey, identity: DeviceAddress)] = []

    /// Keys that are kept, the newest; a phone has some dozens of bonds.
    private static let limit = 64

    /// Takes in the key of a device with this identity address; false for a key or an address that can be none.
    mutating func add(_ key: SecretKey, of identity: DeviceAddress) -> Bool {
        let isIdentity = identity.kind == .public || identity.address.randomKind == .static
        guard isIdentity, key.value != 0, !keys.contains(where: { $0.key == key && $0.identity == identity })
        else { return false }
        if keys.count == Self.limit { keys.removeFirst() }
        keys.append((key, identity))
        return true
    }

    /// The identity address of the device that made a private address; nil for other addresses.
    func owner(of address: DeviceAddress) -> DeviceAddress? {
        keys.last { PrivateAddress.isResolved(address, by: $0.key) }?.identity
    }
}
