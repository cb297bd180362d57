import Bluetooth
import BluetoothCrypto

/// Replaces the device addresses of a capture.
///
/// The two most significant bits stay, which are the sub-type of a random address (Vol 6, Part B, 1.3.2). An address
/// that resolves with an Identity Resolving Key of the capture becomes one that resolves with that key's replacement.
/// Addresses that differ in the last byte only, as those of one device's interfaces do, keep that difference.
struct AddressPseudonyms {
    /// The replacements of the capture's addresses.
    private(set) var known: [UInt64: UInt64] = [:]
    private let pseudonyms: Pseudonyms
    private let identityKeys: [(original: SecretKey, replacement: SecretKey)]
    private let random: Set<UInt64>
    private let keepsOUI: Bool
    /// The least and the greatest last byte, by the bytes before it.
    private var lastBytes: [UInt64: ClosedRange<UInt64>] = [:]

    /// - Parameters:
    ///   - addresses: the addresses in the capture.
    ///   - random: those of them that are random addresses, without an OUI.
    ///   - identityKeys: the Identity Resolving Keys in the capture, as SMP sends them.
    init(
        _ addresses: Set<UInt64>, random: Set<UInt64>, identityKeys: Set<[UInt8]>, keepsOUI: Bool,
        _ pseudonyms: Pseudonyms
    ) {
        self.pseudonyms = pseudonyms
        self.random = random
        self.keepsOUI = keepsOUI
        self.identityKeys = identityKeys.filter { $0.contains { $0 != 0 } }
            .map { (SecretKey(wireBytes: $0), SecretKey(wireBytes: pseudonyms.key(for: $0))) }
        for address in addresses {
            let last = address & 0xFF
            let range = lastBytes[address >> 8] ?? last...last
            lastBytes[address >> 8] = min(range.lowerBound, last)...max(range.upperBound, last)
        }
        for address in addresses { known[address] = computed(address) }
    }

    /// The replacement of an address; all zeros and all ones, which belong to no device, stay.
    func replacement(for address: UInt64) -> UInt64 { known[address] ?? computed(address) }

    private func computed(_ value: UInt64) -> UInt64 {
        if value == 0 || value == 0xFFFF_FFFF_FFFF { return value }
        let address = DeviceAddress(Address(value: value), .random)
        if let key = identityKeys.first(where: { PrivateAddress.isResolved(address, by: $0.original) }) {
            let random = pseudonyms.number(for: value >> 24, .randomPart)
            return PrivateAddress.resolvable(
                key: key.replacement, random: UInt32(truncatingIfNeeded: random)
            ).value
        }
        let (upper, last) = (value >> 8, value & 0xFF)
        let kept: UInt64 = keepsOUI && !random.contains(value) ? 0xFF_FFFF_0000 : 0xC0_0000_0000
        let mask: UInt64 = 0xFF_FFFF_FFFF & ~kept
        var replacement = upper & kept | pseudonyms.number(for: upper, .address) & mask
        if replacement == upper { replacement ^= 1 }
        let range = lastBytes[upper] ?? last...last
        let room = 256 - (range.upperBound - range.lowerBound)
        let first = pseudonyms.number(for: upper, .lowestByte) % room
        return replacement << 8 | (first + last - range.lowerBound) & 0xFF
    }
}
