import Bluetooth
import BluetoothCrypto

/// What both devices send in one pairing of LE Secure Connections, and the Long Term Key that follows from it if the
/// private key of one side is known (Vol 3, Part H, 2.3.5.6).
///
/// How the devices authenticate each other does not change the key, but the check values depend on it.
struct SecureExchange: Sendable {
    private var publicKeys = BothSides<P256.PublicKey?>(initiator: nil, responder: nil)
    private var confirms = BothSides<UInt128?>(initiator: nil, responder: nil)
    /// The last random number of each side: Passkey Entry has 20 rounds.
    private var randoms = BothSides<UInt128?>(initiator: nil, responder: nil)
    private var rounds = BothSides<[Round]>(initiator: [], responder: [])
    private var checks = BothSides<UInt128?>(initiator: nil, responder: nil)
    private var secret: (value: SharedSecret, text: String)?
    private var isReported = false

    /// One of the 20 rounds of Passkey Entry, as one side takes part in it.
    private struct Round: Equatable, Sendable {
        var confirm: UInt128
        var random: UInt128
    }

    private static let roundCount = 20

    var hasPublicKey: Bool { publicKeys.initiator != nil || publicKeys.responder != nil }

    /// Only in Passkey Entry, the initiator sends confirm values too.
    private var isPasskeyEntry: Bool { confirms.initiator != nil }

    var isEmpty: Bool {
        !hasPublicKey && confirms.initiator == nil && confirms.responder == nil && randoms.initiator == nil
            && randoms.responder == nil
    }

    mutating func forget() { self = SecureExchange() }

    /// Returns whether the key is new. A second, different key of one side belongs to another pairing.
    mutating func record(_ pdu: SMP.PairingPublicKey, _ isInitiator: Bool) -> Bool {
        guard let x = P256.Coordinate(wire: pdu.x), let y = P256.Coordinate(wire: pdu.y) else { return false }
        let key = P256.PublicKey(x: x, y: y)
        if publicKeys[isInitiator] == key { return false }
        if publicKeys[isInitiator] != nil { forget() }
        publicKeys[isInitiator] = key
        return true
    }

    mutating func record(confirm: UInt128, _ isInitiator: Bool) -> Bool {
        if confirms[isInitiator] == confirm { return false }
        confirms[isInitiator] = confirm
        return true
    }

    mutating func record(random: UInt128, _ isInitiator: Bool) -> Bool {
        if randoms[isInitiator] == random { return false }
        if randoms[isInitiator] != nil {
            // Check values that were heard before belong to other random numbers.
            checks = BothSides(initiator: nil, responder: nil)
            isReported = false
        }
        randoms[isInitiator] = random
        if let confirm = confirms[isInitiator] {
            if rounds[isInitiator].count == Self.roundCount { rounds[isInitiator].removeFirst() }
            rounds[isInitiator].append(Round(confirm: confirm, random: random))
        }
        return true
    }

    mutating func record(check: UInt128, _ isInitiator: Bool) -> Bool {
        if checks[isInitiator] == check { return false }
        checks[isInitiator] = check
        return true
    }

    /// The Long Term Key, once a check value was heard that proves it or that cannot be computed.
    mutating func keys(
        _ features: BothSides<SMP.PairingFeatures?>, _ parties: PairingParties, ring: KeyRing,
        _ budget: inout PairingBudget
    ) -> [KnownKey] {
        guard !isReported, checks.initiator != nil || checks.responder != nil,
            let initiatorRandom = randoms.initiator, let responderRandom = randoms.responder,
            budget.spend(checks: 1), let secret = sharedSecret(ring: ring, &budget),
            budget.spend(checks: isPasskeyEntry ? 2 * Self.roundCount : 0)
        else { return [] }
        let keys = SecureConnections.f5(
            secret: secret.value, initiatorRandom: initiatorRandom, responderRandom: responderRandom,
            initiator: parties.initiator, responder: parties.responder)
        let verdicts = [true, false].map { verdict(isInitiator: $0, macKey: keys.macKey, features, parties) }
        guard !verdicts.contains(.wrong) else { return [] }
        let size = features.keySize
        if size == nil, features.initiator != nil, features.responder != nil { return [] }
        isReported = true
        return [
            parties.key(
                .longTerm(keys.longTermKey.cut(to: size ?? 16)), secret.text, isProved: verdicts.contains(.right))
        ]
    }

    /// The Diffie-Hellman key, with what made it computable; computed once for a pair of public keys.
    private mutating func sharedSecret(
        ring: KeyRing, _ budget: inout PairingBudget
    ) -> (value: SharedSecret, text: String)? {
        if let secret { return secret }
        guard let initiator = publicKeys.initiator, let responder = publicKeys.responder else { return nil }
        for (own, other) in [(initiator, responder), (responder, initiator)] {
            guard let (pair, text) = Self.keyPair(of: own, ring: ring) else { continue }
            guard budget.spendAgreement() else { return nil }
            secret = pair.sharedSecret(with: other).map { ($0, text) }
            return secret
        }
        return nil
    }

    private static func keyPair(of key: P256.PublicKey, ring: KeyRing) -> (P256.KeyPair, String)? {
        if let debug = P256.KeyPair.debug, debug.publicKey == key { return (debug, "debug key") }
        for known in ring.keys {
            if case .privateKey(let pair) = known.value, pair.publicKey == key { return (pair, "private key") }
        }
        return nil
    }
}

// MARK: - Check values

extension SecureExchange {
    private enum Verdict {
        case right, wrong, unknown
    }

    /// Whether the check value of a side is the one that the key yields; unknown if it was not heard, or depends on
    /// what was not.
    private func verdict(
        isInitiator: Bool, macKey: SecretKey, _ features: BothSides<SMP.PairingFeatures?>, _ parties: PairingParties
    ) -> Verdict {
        guard let heard = checks[isInitiator], let own = randoms[isInitiator], let other = randoms[!isInitiator],
            let sender = features[isInitiator], let receiver = features[!isInitiator]
        else { return .unknown }
        let capabilities =
            UInt32(sender.requirements.rawValue) << 16 | UInt32(sender.oobDataFlag) << 8
            | UInt32(sender.ioCapability.rawValue)
        let passkeys = isPasskeyEntry ? [true, false].compactMap { passkey(ofRounds: $0) } : [0]
        let isRight = passkeys.contains {
            SecureConnections.f6(
                macKey: macKey,
                SecureConnections.Check(
                    own: own, other: other, r: $0, capabilities: capabilities, from: parties[isInitiator],
                    to: parties[!isInitiator])) == heard
        }
        if isRight { return .right }
        // With out-of-band data, the check depends on a random number that was never on the air.
        let isOutOfBand = sender.oobDataFlag == 1 || receiver.oobDataFlag == 1
        return passkeys.isEmpty || isOutOfBand ? .unknown : .wrong
    }

    /// The passkey whose bits the confirm values of one side show, if all 20 rounds were heard (Vol 3, Part H,
    /// 2.3.5.6.3).
    private func passkey(ofRounds isInitiator: Bool) -> UInt128? {
        guard rounds[isInitiator].count == Self.roundCount, let own = publicKeys[isInitiator],
            let other = publicKeys[!isInitiator]
        else { return nil }
        var passkey: UInt128 = 0
        for (index, round) in rounds[isInitiator].enumerated() {
            let bit = [0, 1].first {
                SecureConnections.f4(u: own.x, v: other.x, x: round.random, z: 0x80 | $0) == round.confirm
            }
            guard let bit else { return nil }
            passkey |= UInt128(bit) << UInt128(index)
        }
        return passkey
    }
}
