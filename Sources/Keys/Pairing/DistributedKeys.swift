import Bluetooth
import BluetoothCrypto

/// The keys that one side of a connection distributes once it is encrypted (Vol 3, Part H, 3.6).
struct DistributedKeys: Sendable {
    private var longTermKey: SecretKey?
    private var name: KnownKey.LegacyName?
    private var identityKey: SecretKey?
    private var identity: Address?
    private var signatureKey: SecretKey?

    /// Handles a command of the sender, and returns the key that it adds or completes. Long Term Key and its name, and
    /// identity key and address, come in commands of their own.
    mutating func record(_ pdu: any SMP.PDU, from sender: Address, frame: Int) -> [KnownKey] {
        switch pdu {
        case let pdu as SMP.EncryptionInformation:
            let key = SecretKey(pdu.longTermKey)
            guard key != longTermKey else { return [] }
            // The name of another key.
            if longTermKey != nil { name = nil }
            longTermKey = key
            return namedKey(sender, frame)
        case let pdu as SMP.CentralIdentification:
            let name = KnownKey.LegacyName(encryptedDiversifier: pdu.ediv, random: pdu.random)
            guard name != self.name else { return [] }
            self.name = name
            return namedKey(sender, frame)
        case let pdu as SMP.IdentityInformation:
            let key = SecretKey(pdu.identityResolvingKey)
            guard key != identityKey else { return [] }
            if identityKey != nil { identity = nil }
            identityKey = key
            return resolvingKey(frame)
        case let pdu as SMP.IdentityAddressInformation:
            guard pdu.address != identity else { return [] }
            identity = pdu.address
            return resolvingKey(frame)
        case let pdu as SMP.SigningInformation:
            let key = SecretKey(pdu.signatureKey)
            guard key != signatureKey, pdu.signatureKey != 0 else { return [] }
            signatureKey = key
            return [KnownKey(.signature(key), address: sender, origin: .frame(frame, "SMP Signing Information"))]
        default: return []
        }
    }

    /// The Long Term Key as soon as it is known, and once more with its name.
    private func namedKey(_ sender: Address, _ frame: Int) -> [KnownKey] {
        guard let longTermKey, longTermKey.value != 0 else { return [] }
        return [
            KnownKey(
                .longTerm(longTermKey), address: sender, name: name, origin: .frame(frame, "SMP Encryption Information")
            )
        ]
    }

    /// The Identity Resolving Key once its owner is known.
    private func resolvingKey(_ frame: Int) -> [KnownKey] {
        guard let identityKey, let identity, identityKey.value != 0 else { return [] }
        return [
            KnownKey(
                .identityResolving(identityKey), address: identity, origin: .frame(frame, "SMP Identity Information"))
        ]
    }
}
