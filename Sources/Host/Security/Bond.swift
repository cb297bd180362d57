package import Bluetooth
package import BluetoothCrypto

/// What two devices keep of each other once they have paired (Vol 3, Part H, 2.4).
package struct Bond: Hashable, Sendable {
    /// A long term key and what names it; both are 0 with LE Secure Connections.
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

    /// The peer's identity address; the address it had when it paired, if it sent none.
    package var peer: DeviceAddress
    /// The address that the peer had when it paired. Some devices distribute another one as identity and keep using this.
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
    /// What the peer, as client, has set at this device's server.
    package var client = ClientState()
    /// The peer's attributes, as they were discovered last.
    package var table = GATT.Table()
    /// The peer's Database Hash at that time.
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

    /// The protection that encryption with this bond's keys gives.
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

    /// In the order of the peers' addresses.
    package var all: [Bond] {
        bonds.values.sorted {
            ($0.peer.address.value, $0.peer.kind.rawValue) < ($1.peer.address.value, $1.peer.kind.rawValue)
        }
    }

    /// The bond with the owner of an identity address.
    package subscript(peer: DeviceAddress) -> Bond? {
        get { bonds[peer] }
        set { bonds[peer] = newValue }
    }

    /// The bond with the device that uses an address now: its identity address, the one that it paired with, or a
    /// private one that its key resolves.
    package func bond(at address: DeviceAddress) -> Bond? {
        if let bond = bonds[address] ?? all.first(where: { $0.pairedAddress == address }) { return bond }
        guard address.kind == .random, address.address.randomKind == .resolvablePrivate else { return nil }
        return all.first { bond in
            bond.peerIdentityKey.map { PrivateAddress.isResolved(address, by: $0) } ?? false
        }
    }
}
