package import Bluetooth

/// Generates and resolves private addresses (Vol 6, Part B, 1.3.2.2).
package enum PrivateAddress {
    /// The hash `ah` of an address's random part, 24 bits each (Vol 3, Part H, 2.2.2).
    package static func ah(key: SecretKey, random: UInt32) -> UInt32 {
        UInt32(truncatingIfNeeded: AES128(key: key).encrypt(UInt128(random & 0xFF_FFFF))) & 0xFF_FFFF
    }

    /// The resolvable address for a key and a random number, of which 22 bits are used.
    package static func resolvable(key: SecretKey, random: UInt32) -> Address {
        // The random part must be neither all zeros nor all ones.
        var part = random & 0x3F_FFFF
        if part == 0 { part = 1 } else if part == 0x3F_FFFF { part -= 1 }
        let prand = part | 0x40_0000
        return Address(value: UInt64(prand) << 24 | UInt64(ah(key: key, random: prand)))
    }

    /// Whether an address resolves with a key.
    package static func isResolved(_ address: DeviceAddress, by key: SecretKey) -> Bool {
        guard address.kind == .random, address.address.randomKind == .resolvablePrivate else { return false }
        let value = address.address.value
        return ah(key: key, random: UInt32(truncatingIfNeeded: value >> 24)) == UInt32(value & 0xFF_FFFF)
    }

    /// A non-resolvable private address with 46 random bits (Vol 6, Part B, 1.3.2.2).
    package static func nonResolvable(random: UInt64) -> Address {
        Address(value: random & 0x3FFF_FFFF_FFFF)
    }

    /// A static random address with 46 random bits (Vol 6, Part B, 1.3.2.1).
    package static func `static`(random: UInt64) -> Address {
        Address(value: random & 0x3FFF_FFFF_FFFF | 0xC000_0000_0000)
    }
}
