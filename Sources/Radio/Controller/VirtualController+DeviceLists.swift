import Bluetooth
import BluetoothCrypto

/// A device on the filter accept list (Vol 6, Part B, 4.3.1).
struct ListedDevice: Hashable, Sendable {
    /// HCI address type; 0xFF for anonymous advertisers.
    var type: HCI.AddressType
    var address: Address
}

/// A device on the resolving list (Vol 6, Part B, 6.1).
struct ResolvableDevice: Sendable {
    var identity: DeviceAddress
    /// The peer's IRK; nil if it uses its identity address.
    var peerKey: SecretKey?
    /// The local IRK for this peer; nil if this device uses its identity address.
    var localKey: SecretKey?
    /// Device privacy mode: whether the peer may use its identity address although it has an IRK.
    var isDevicePrivacy = false
    /// The peer's last private address.
    var lastSeen: Address?
}

/// The filter accept list and the resolving list (Vol 4, Part E, 7.8.15 to 7.8.18 and 7.8.38 to 7.8.45).
extension VirtualController {
    func readAcceptListSize() -> Returned {
        .values(["le_white_list_size": .number(UInt64(configuration.acceptListSize))])
    }

    mutating func clearAcceptList() throws(Refusal) -> Returned {
        try requireUnusedAcceptList()
        state.acceptList = []
        return .success
    }

    mutating func addToAcceptList(_ command: Command) throws(Refusal) -> Returned {
        let device = try listedDevice(command)
        try requireUnusedAcceptList()
        if state.acceptList.contains(device) { return .success }
        if state.acceptList.count >= Int(configuration.acceptListSize) { throw Refusal(.memoryCapacityExceeded) }
        state.acceptList.append(device)
        return .success
    }

    mutating func removeFromAcceptList(_ command: Command) throws(Refusal) -> Returned {
        let device = try listedDevice(command)
        try requireUnusedAcceptList()
        state.acceptList.removeAll { $0 == device }
        return .success
    }

    private func listedDevice(_ command: Command) throws(Refusal) -> ListedDevice {
        let values = try command.values()
        let type = HCI.AddressType(rawValue: values.integer("le_address_type"))
        if type == .anonymous { return ListedDevice(type: type, address: Address(value: 0)) }
        if type.rawValue > 1 { throw .invalidParameters }
        return ListedDevice(type: type, address: values.address)
    }

    /// Rejects changes of the filter accept list while it is in use.
    private func requireUnusedAcceptList() throws(Refusal) {
        let isUsed =
            ([state.legacySet] + state.sets).contains { $0.isEnabled && $0.filterPolicy != 0 }
            || state.scanning.isEnabled && state.scanning.filterPolicy & 1 == 1
            || state.initiating?.usesAcceptList == true
        if isUsed { throw .disallowed }
    }

    /// Whether a device, by its identity, is on the filter accept list.
    func isAccepted(_ device: DeviceAddress?) -> Bool {
        guard let device else { return state.acceptList.contains { $0.type == .anonymous } }
        return state.acceptList.contains { $0.type.rawValue == device.kind.rawValue && $0.address == device.address }
    }
}

extension VirtualController {
    private func identity(_ values: CommandValues) throws(Refusal) -> DeviceAddress {
        switch values.number("le_peer_identity_address_type") {
        case 0: DeviceAddress(values.address, .public)
        case 1: DeviceAddress(values.address, .random)
        default: throw .invalidParameters
        }
    }

    private func listIndex(_ values: CommandValues) throws(Refusal) -> Int {
        let identity = try identity(values)
        guard let index = state.resolvingList.firstIndex(where: { $0.identity == identity }) else {
            throw .unknownConnection
        }
        return index
    }

    /// Rejects changes of the resolving list while it is in use for advertising, scanning or initiating.
    private func requireUnusedResolvingList() throws(Refusal) {
        let isBusy =
            ([state.legacySet] + state.sets).contains(where: \.isEnabled) || state.scanning.isEnabled
            || state.initiating != nil
        if state.resolvesAddresses, isBusy { throw .disallowed }
    }

    mutating func addToResolvingList(_ command: Command) throws(Refusal) -> Returned {
        let device = try command.decode(HCI.LEAddDeviceToResolvingList.self)
        guard device.peerType.rawValue < 2 else { throw .invalidParameters }
        let identity = DeviceAddress(device.peer, device.peerType.kind ?? .public)
        try requireUnusedResolvingList()
        if state.resolvingList.contains(where: { $0.identity == identity }) { throw .invalidParameters }
        if state.resolvingList.count >= Int(configuration.resolvingListSize) {
            throw Refusal(.memoryCapacityExceeded)
        }
        state.resolvingList.append(
            ResolvableDevice(
                identity: identity, peerKey: SecretKey(nonZero: device.peerIRK),
                localKey: SecretKey(nonZero: device.localIRK)))
        return .success
    }

    mutating func removeFromResolvingList(_ command: Command) throws(Refusal) -> Returned {
        let values = try command.values()
        try requireUnusedResolvingList()
        state.resolvingList.remove(at: try listIndex(values))
        return .success
    }

    mutating func clearResolvingList() throws(Refusal) -> Returned {
        try requireUnusedResolvingList()
        state.resolvingList = []
        return .success
    }

    func readResolvingListSize() -> Returned {
        .values(["resolving_list_size": .number(UInt64(configuration.resolvingListSize))])
    }

    func readPeerResolvable(_ command: Command) throws(Refusal) -> Returned {
        let index = try listIndex(try command.values())
        guard let address = state.resolvingList[index].lastSeen else { throw .unknownConnection }
        return .values(["bd_addr": .number(address.value)])
    }

    func readLocalResolvable(_ command: Command) throws(Refusal) -> Returned {
        let index = try listIndex(try command.values())
        let device = state.resolvingList[index]
        guard let key = device.localKey else { throw .unknownConnection }
        return .values(["bd_addr": .number(privateAddress(key, of: device.identity).value)])
    }

    mutating func setAddressResolution(_ command: Command) throws(Refusal) -> Returned {
        let values = try command.values()
        let enable = values.number("le_address_resolution_enable")
        if enable > 1 { throw .invalidParameters }
        let isBusy =
            ([state.legacySet] + state.sets).contains(where: \.isEnabled) || state.scanning.isEnabled
            || state.initiating != nil
        if isBusy { throw .disallowed }
        state.resolvesAddresses = enable == 1
        return .success
    }

    mutating func setPrivateTimeout(_ command: Command) throws(Refusal) -> Returned {
        let seconds: UInt16 = try command.values().integer("le_rpa_timeout")
        guard (1...0x0E10).contains(seconds) else { throw .invalidParameters }
        state.privateAddressTimeout = seconds
        return .success
    }

    mutating func setPrivacyMode(_ command: Command) throws(Refusal) -> Returned {
        let values = try command.values()
        try requireUnusedResolvingList()
        let mode = values.number("le_privacy_mode")
        if mode > 1 { throw .invalidParameters }
        state.resolvingList[try listIndex(values)].isDevicePrivacy = mode == 1
        return .success
    }
}

extension SecretKey {
    /// A key from bytes in wire order, least significant first; nil if all are zero.
    fileprivate init?(nonZero bytes: [UInt8]) {
        let key = SecretKey(wire: bytes)
        if key.value == 0 { return nil }
        self = key
    }

    /// A key from bytes in wire order, least significant first.
    init(wire bytes: [UInt8]) {
        self.init(bytes.reversed().reduce(0) { $0 << 8 | UInt128($1) })
    }
}
