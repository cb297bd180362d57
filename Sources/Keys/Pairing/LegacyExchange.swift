import Bluetooth
import BluetoothCrypto

/// The confirm values and random numbers of one LE legacy pairing, and the Short Term Key that follows from them (Vol 3,
/// Part H, 2.3.5.2 to 2.3.5.5).
struct LegacyExchange: Sendable {
    private var confirms = BothSides<UInt128?>(initiator: nil, responder: nil)
    private var randoms = BothSides<UInt128?>(initiator: nil, responder: nil)

    var isEmpty: Bool {
        confirms.initiator == nil && confirms.responder == nil && randoms.initiator == nil && randoms.responder == nil
    }

    mutating func forget() {
        confirms = BothSides(initiator: nil, responder: nil)
        randoms = BothSides(initiator: nil, responder: nil)
    }

    /// Returns whether the value is new. A second, different value of one side belongs to another pairing.
    mutating func record(_ pdu: SMP.PairingConfirm, _ isInitiator: Bool) -> Bool {
        if confirms[isInitiator] == pdu.value { return false }
        if confirms[isInitiator] != nil { forget() }
        confirms[isInitiator] = pdu.value
        return true
    }

    /// Returns whether the random number is new, likewise.
    mutating func record(_ pdu: SMP.PairingRandom, _ isInitiator: Bool) -> Bool {
        if randoms[isInitiator] == pdu.value { return false }
        if randoms[isInitiator] != nil { forget() }
        randoms[isInitiator] = pdu.value
        return true
    }

    /// The Short Term Key, once both random numbers are known and each confirm value that was heard fits; with it the
    /// passkey, where one was entered.
    func keys(
        _ features: BothSides<SMP.PairingFeatures?>, _ parties: PairingParties, ring: KeyRing,
        _ budget: inout PairingBudget
    ) -> [KnownKey] {
        guard let request = features.initiator, let response = features.responder, let size = features.keySize,
            let initiatorRandom = randoms.initiator, let responderRandom = randoms.responder, budget.spend(checks: 1)
        else { return [] }
        let proof = LegacyProof(
            context: LegacyPairing.Context(
                request, response, initiator: parties.initiator, responder: parties.responder),
            values: [(confirms.initiator, initiatorRandom), (confirms.responder, responderRandom)].compactMap {
                confirm, random in confirm.map { LegacyProof.Value(confirm: $0, random: random) }
            })
        let method = LegacyMethod(request, response)
        guard let temporary = temporaryKey(proof, method, ring: ring, &budget) else {
            return []
        }
        let key = LegacyPairing.s1(key: temporary.key, responder: responderRandom, initiator: initiatorRandom)
        let isProved = proof.values.count == 2
        var keys = [parties.key(.shortTerm(key.cut(to: size)), temporary.text, isProved: isProved)]
        if let passkey = temporary.passkey {
            keys.append(parties.key(.passkey(passkey), temporary.text, isProved: isProved))
        }
        return keys
    }

    private struct TemporaryKey {
        var key: SecretKey
        var passkey: UInt32?
        var text: String
    }

    /// The Temporary Key with which the confirm values fit: 0, one that is known, or any passkey.
    private func temporaryKey(
        _ proof: LegacyProof, _ method: LegacyMethod, ring: KeyRing, _ budget: inout PairingBudget
    ) -> TemporaryKey? {
        let zero = SecretKey(0)
        if proof.values.isEmpty {
            return method == .justWorks ? TemporaryKey(key: zero, text: method.text) : nil
        }
        if proof.fits(zero) {
            return TemporaryKey(key: zero, passkey: method == .passkeyEntry ? 0 : nil, text: method.text)
        }
        for known in ring.keys {
            switch known.value {
            case .temporary(let key) where proof.fits(key):
                return TemporaryKey(key: key, text: "Temporary Key")
            case .passkey(let passkey) where proof.fits(SecretKey(UInt128(passkey))):
                return TemporaryKey(
                    key: SecretKey(UInt128(passkey)), passkey: passkey, text: LegacyMethod.passkeyEntry.text)
            default: continue
            }
        }
        guard ring.isCracking, method != .outOfBand, budget.spendSearch() else { return nil }
        return PasskeyCracker(proof).search().map {
            TemporaryKey(key: SecretKey(UInt128($0)), passkey: $0, text: LegacyMethod.passkeyEntry.text)
        }
    }
}

/// The confirm values that a Temporary Key must reproduce.
struct LegacyProof: Sendable {
    struct Value: Sendable {
        var confirm: UInt128
        var random: UInt128
    }

    var context: LegacyPairing.Context
    /// Of the initiator, the responder or both.
    var values: [Value]

    func fits(_ key: SecretKey) -> Bool {
        values.allSatisfy { LegacyPairing.c1(key: key, random: $0.random, context) == $0.confirm }
    }
}

/// How two devices agree on the Temporary Key of LE legacy pairing (Vol 3, Part H, 2.3.5.1).
private enum LegacyMethod {
    case justWorks, passkeyEntry, outOfBand

    init(_ request: SMP.PairingFeatures, _ response: SMP.PairingFeatures) {
        if request.oobDataFlag == 1, response.oobDataFlag == 1 {
            self = .outOfBand
            return
        }
        switch PairingMethod(initiator: request, responder: response, isSecureConnections: false) {
        case .justWorks, .numericComparison: self = .justWorks
        case .passkey: self = .passkeyEntry
        }
    }

    var text: String {
        switch self {
        case .justWorks: "Just Works"
        case .passkeyEntry: "passkey"
        case .outOfBand: "out of band"
        }
    }
}
