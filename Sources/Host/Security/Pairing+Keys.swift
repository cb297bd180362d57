import Bluetooth
import BluetoothCrypto
import Bytes

/// Key distribution (Vol 3, Part H, 2.4.3 and 3.6.1).
extension Pairing {
    /// Keys distributed and received.
    struct Distribution: Hashable, Sendable {
        var hasSent = false
        var ownKey: Bond.EncryptionKey?
        var peerLongTermKey: SecretKey?
        var peerKey: Bond.EncryptionKey?
        var peerIdentityKey: SecretKey?
        var peerIdentity: DeviceAddress?
        var hasPeerSignatureKey = false
    }

    private var ownKeys: SMP.KeyDistribution {
        effective(parties.isInitiator ? response?.initiatorKeys : response?.responderKeys)
    }

    private var peerKeys: SMP.KeyDistribution {
        effective(parties.isInitiator ? response?.responderKeys : response?.initiatorKeys)
    }

    /// The keys actually distributed. With LE Secure Connections, the long term key is not: both devices derive it.
    private func effective(_ keys: SMP.KeyDistribution?) -> SMP.KeyDistribution {
        let keys = keys ?? SMP.KeyDistribution()
        return SMP.KeyDistribution(
            encryption: keys.encryption && !isSecureConnections, identity: keys.identity, signing: keys.signing)
    }

    private var hasAllPeerKeys: Bool {
        (!peerKeys.encryption || distribution.peerKey != nil)
            && (!peerKeys.identity || distribution.peerIdentity != nil)
            && (!peerKeys.signing || distribution.hasPeerSignatureKey)
    }

    /// The responder distributes its keys first, then the initiator; pairing finishes when both have.
    mutating func distribute(at now: Timestamp, _ random: inout RandomSource) {
        if !distribution.hasSent, !parties.isInitiator || hasAllPeerKeys {
            distribution.hasSent = true
            sendKeys(at: now, &random)
        }
        if distribution.hasSent, hasAllPeerKeys { finish() }
    }

    private mutating func sendKeys(at now: Timestamp, _ random: inout RandomSource) {
        if ownKeys.encryption {
            let own = Bond.EncryptionKey(
                key: SecretKey(random.next128()).cut(to: Int(keySize)),
                ediv: UInt16.random(in: 0...0xFFFF, using: &random),
                random: random.next())
            distribution.ownKey = own
            send(SMP.EncryptionInformation(longTermKey: own.key.value), at: now)
            send(SMP.CentralIdentification(ediv: own.ediv, random: own.random), at: now)
        }
        if ownKeys.identity {
            send(SMP.IdentityInformation(identityResolvingKey: parties.ownIdentityKey.value), at: now)
            send(
                SMP.IdentityAddressInformation(
                    addressType: parties.ownIdentity.kind.rawValue, address: parties.ownIdentity.address), at: now)
        }
        // This host never signs data, but distributes a signing key if agreed.
        if ownKeys.signing { send(SMP.SigningInformation(signatureKey: random.next128()), at: now) }
    }

    /// Handles a received key; returns false if it was unexpected.
    mutating func keyReceived(_ pdu: any SMP.PDU, at now: Timestamp, _ random: inout RandomSource) -> Bool {
        switch pdu {
        case let pdu as SMP.EncryptionInformation where peerKeys.encryption:
            distribution.peerLongTermKey = SecretKey(pdu.longTermKey)
        case let pdu as SMP.CentralIdentification where distribution.peerLongTermKey != nil:
            distribution.peerKey = distribution.peerLongTermKey.map {
                Bond.EncryptionKey(key: $0, ediv: pdu.ediv, random: pdu.random)
            }
        case let pdu as SMP.IdentityInformation where peerKeys.identity:
            distribution.peerIdentityKey = SecretKey(pdu.identityResolvingKey)
        case let pdu as SMP.IdentityAddressInformation where distribution.peerIdentityKey != nil:
            guard let kind = DeviceAddress.Kind(rawValue: pdu.addressType) else { return false }
            distribution.peerIdentity = DeviceAddress(pdu.address, kind)
        case is SMP.SigningInformation where peerKeys.signing: distribution.hasPeerSignatureKey = true
        default: return false
        }
        distribute(at: now, &random)
        return true
    }

    private mutating func finish() {
        // A zero key indicates that the peer does not use private addresses.
        let identityKey = distribution.peerIdentityKey.flatMap { $0.value == 0 ? nil : $0 }
        var bond = Bond(
            peer: distribution.peerIdentity ?? parties.peer, pairedAddress: parties.peer, peerIdentityKey: identityKey,
            ownKey: distribution.ownKey, peerKey: distribution.peerKey, keySize: keySize,
            isAuthenticated: method.isAuthenticated, isSecureConnections: isSecureConnections)
        if isSecureConnections, let key {
            bond.ownKey = Bond.EncryptionKey(key: key)
            bond.peerKey = Bond.EncryptionKey(key: key)
        }
        if !isBonding {
            bond.ownKey = nil
            bond.peerKey = nil
        }
        end()
        actions.append(.finished(bond))
    }
}
