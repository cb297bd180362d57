package import Bluetooth
package import BluetoothCrypto

/// Information that a device stores about a peer after pairing (Vol 3, Part H, 2.4).
package struct Bond: Hashable, Sendable {
    /// A long term key with its EDIV and Rand; both are 0 with LE Secure Connections.
    package struct EncryptionKey: Hashable, Sendable {
        package var key: SecretKey
        package var ediv: UInt16
        package var random: UInt64

        package init(key: SecretKey, ediv: UInt16 = 0, random: UInt64 = 0) {
            self.key = key
            self.ediv = ediv
            self.random = random
        }
    }

    /// The peer's identity address; if it distributed none, its address during pairing.
    package var peer: DeviceAddress
    /// The peer's address during pairing. Some devices distribute a different identity address and keep using this one.
    package var pairedAddress: DeviceAddress
    /// Resolves the peer's private addresses.
    package var peerIdentityKey: SecretKey?
    /// Encrypts connections in which this device is the peripheral.
    package var ownKey: EncryptionKey?
    /// Encrypts connections in which this device is the central.
    package var peerKey: EncryptionKey?
    /// In bytes, 7 to 16.
    package var keySize: UInt8
    /// Whether pairing was protected against a man in the middle.
    package var isAuthenticated: Bool
    package var isSecureConnections: Bool
    /// The peer's client state at this device's server.
    package var client = ClientState()
    /// The peer's attributes from the last discovery.
    package var table = GATT.Table()
    /// The peer's Database Hash at the last discovery.
    package var databaseHash: [UInt8]?

    package init(
        peer: DeviceAddress, pairedAddress: DeviceAddress? = nil, peerIdentityKey: SecretKey? = nil,
        ownKey: EncryptionKey? = nil,
        peerKey: EncryptionKey? = nil, keySize: UInt8 = 16, isAuthenticated: Bool, isSecureConnections: Bool
    ) {
        self.peer = peer
        self.pairedAddress = pairedAddress ?? peer
        self.peerIdentityKey = peerIdentityKey
        self.ownKey = ownKey
        self.peerKey = peerKey
        self.keySize = keySize
        self.isAuthenticated = isAuthenticated
        self.isSecureConnections = isSecureConnections
    }

    /// The security that encryption with this bond's keys provides.
    var security: LinkSecurity {
        LinkSecurity(level: isAuthenticated ? .authenticated : .encrypted, keySize: keySize, hasKey: true)
    }
}

/// The bonds of a device, one for each peer.
package struct BondStore: Hashable, Sendable {
    private var bonds: [DeviceAddress: Bond] = [:]

    package init(_ bonds: [Bond] = []) {
        for bond in bonds { self.bonds[bond.peer] = bond }
    }

    /// All bonds, ordered by peer address.
    package var all: [Bond] {
        bonds.values.sorted {
            ($0.peer.address.value, $0.peer.kind.rawValue) < ($1.peer.address.value, $1.peer.kind.rawValue)
        }
    }

    /// The bond of an identity address.
    package subscript(peer: DeviceAddress) -> Bond? {
        get { bonds[peer] }
        set { bonds[peer] = newValue }
    }

    /// The bond of the device that uses an address: its identity address, its address during pairing, or a private
    /// address that its key resolves.
    package func bond(at address: DeviceAddress) -> Bond? {
        if let bond = bonds[address] ?? all.first(where: { $0.pairedAddress == address }) { return bond }
        guard address.kind == .random, address.address.randomKind == .resolvablePrivate else { return nil }
        return all.first { bond in
            bond.peerIdentityKey.map { PrivateAddress.isResolved(address, by: $0) } ?? false
        }
    }
}
