import Bluetooth
import BluetoothCrypto
import Bytes

/// Which address stands on the air, and whose it is (Vol 6, Part B, 6).
extension VirtualController {
    /// The address that goes on the air for an own address type; nil where the host has set none.
    func ownAddress(_ type: HCI.AddressType, _ random: Address?, peer: DeviceAddress) -> DeviceAddress? {
        if type.rawValue >= 2, let device = state.resolvingList.first(where: { $0.identity == peer }),
            let key = device.localKey
        {
            return DeviceAddress(privateAddress(key, of: device.identity), .random)
        }
        return type.rawValue & 1 == 0
            ? DeviceAddress(configuration.address, .public) : random.map { DeviceAddress($0, .random) }
    }

    /// The address that a peer of directed advertising is called by.
    func airAddress(of peer: DeviceAddress) -> DeviceAddress {
        guard state.resolvesAddresses, let device = state.resolvingList.first(where: { $0.identity == peer }),
            let key = device.peerKey
        else { return peer }
        return DeviceAddress(privateAddress(key, of: peer), .random)
    }

    /// The private address that a key makes in this span of the time-out; it changes when the span is over.
    func privateAddress(_ key: SecretKey, of identity: DeviceAddress) -> Address {
        let span = now.nanoseconds / (Int64(state.privateAddressTimeout) * Span.second)
        var random = SplitMix64(seed: UInt64(bitPattern: span) ^ identity.address.value ^ configuration.address.value)
        return PrivateAddress.resolvable(key: key, random: UInt32(truncatingIfNeeded: random.next()))
    }

    /// The identity of who uses an address: of a private one that the resolving list knows its owner, else itself.
    mutating func resolved(_ address: DeviceAddress) -> DeviceAddress {
        guard state.resolvesAddresses, address.kind == .random, address.address.randomKind == .resolvablePrivate,
            let index = state.resolvingList.firstIndex(where: { device in
                device.peerKey.map { PrivateAddress.isResolved(address, by: $0) } ?? false
            })
        else { return address }
        state.resolvingList[index].lastSeen = address.address
        return state.resolvingList[index].identity
    }

    /// Whether a device may come under this address: with a key on the list it must not use its identity, unless the
    /// list says otherwise (Vol 6, Part B, 4.7).
    func mayUse(_ identity: DeviceAddress, as address: DeviceAddress) -> Bool {
        guard state.resolvesAddresses, identity == address,
            let device = state.resolvingList.first(where: { $0.identity == identity })
        else { return true }
        return device.peerKey == nil || device.isDevicePrivacy
    }

    /// Whether a target of directed advertising is this device.
    func isOwn(_ target: DeviceAddress) -> Bool {
        if target == DeviceAddress(configuration.address, .public) { return true }
        if let random = state.randomAddress, target == DeviceAddress(random, .random) { return true }
        return state.resolvesAddresses
            && state.resolvingList.contains { device in
                device.localKey.map { PrivateAddress.isResolved(target, by: $0) } ?? false
            }
    }

    /// The type of a device's address in an event: an identity where the controller has resolved the address.
    func eventType(of identity: DeviceAddress, seenAs address: DeviceAddress) -> HCI.AddressType {
        HCI.AddressType(rawValue: identity.kind.rawValue + (identity == address ? 0 : 2))
    }
}
