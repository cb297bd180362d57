import Bluetooth
import BluetoothCrypto
import Bytes

/// LE legacy pairing (Vol 3, Part H, 2.3.5.2 to 2.3.5.5).
extension Pairing {
    /// Sends the confirm value once the passkey is known and, for the responder, once the initiator's confirm value has
    /// arrived.
    mutating func confirmLegacy(at now: Timestamp, _ random: inout RandomSource) {
        guard state == .confirm, let passkey, let context else { return }
        if parties.isInitiator {
            if peerConfirm != nil {
                state = .random
                return send(SMP.PairingRandom(value: ownRandom), at: now)
            }
            ownRandom = random.next128()
            send(SMP.PairingConfirm(value: confirm(ownRandom, passkey, context)), at: now)
        } else if peerConfirm != nil {
            ownRandom = random.next128()
            state = .random
            send(SMP.PairingConfirm(value: confirm(ownRandom, passkey, context)), at: now)
        }
    }

    /// Verifies the peer's random number against its confirm value, then derives the short term key.
    mutating func legacyRandomReceived(at now: Timestamp) {
        guard let passkey, let context, confirm(peerRandom, passkey, context) == peerConfirm else {
            return fail(.confirmValueFailed, at: now)
        }
        if !parties.isInitiator { send(SMP.PairingRandom(value: ownRandom), at: now) }
        let key = LegacyPairing.s1(
            key: SecretKey(UInt128(passkey)), responder: parties.isInitiator ? peerRandom : ownRandom,
            initiator: parties.isInitiator ? ownRandom : peerRandom)
        encrypt(with: key.cut(to: Int(keySize)), at: now)
    }

    private func confirm(_ random: UInt128, _ passkey: UInt32, _ context: LegacyPairing.Context) -> UInt128 {
        LegacyPairing.c1(key: SecretKey(UInt128(passkey)), random: random, context)
    }

    private var context: LegacyPairing.Context? {
        guard let request, let response else { return nil }
        return LegacyPairing.Context(
            request, response, initiator: parties.isInitiator ? parties.own : parties.peer,
            responder: parties.isInitiator ? parties.peer : parties.own)
    }
}
