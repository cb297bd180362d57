import Bluetooth
import BluetoothCrypto
import Keys

extension FuzzTarget {
    /// Commands of the Security Manager, as a sniffer hears them on one connection. The first byte of each command is its
    /// length; the most significant bit of that byte is set if the initiator sent it.
    static let pairing = FuzzTarget("pairing") { captures in
        captures.map { Layers.bytes(of: "btsmp", in: $0) }.filter { !$0.isEmpty }.map(encode) + [debugPairing]
    } fault: { bytes in
        var observer = PairingObserver()
        var again = PairingObserver()
        var (budget, budgetAgain) = (PairingBudget(), PairingBudget())
        var ring = KeyRing()
        var frame = 0
        var rest = bytes[...]
        while let head = rest.popFirst() {
            let command = rest.prefix(Int(head & 0x7F))
            rest = rest.dropFirst(command.count)
            frame += 1
            let found = observe(command, head, frame, ring, by: &observer, &budget)
            if found != observe(command, head, frame, ring, by: &again, &budgetAgain) {
                return "the same commands yield other keys"
            }
            if found.count > 2 { return "a command yields \(found.count) keys" }
            for key in found {
                _ = ring.add(key)
                if case .longTerm(SecretKey(0)) = key.value { return "a key of zeros" }
            }
            // A key is found once.
            if found == observe(command, head, frame, ring, by: &again, &budgetAgain), !found.isEmpty {
                return "a command that is heard twice yields its keys twice"
            }
        }
        return nil
    }

    private static func observe(
        _ command: ArraySlice<UInt8>, _ head: UInt8, _ frame: Int, _ ring: KeyRing, by observer: inout PairingObserver,
        _ budget: inout PairingBudget
    ) -> [KnownKey] {
        observer.observe(
            command, fromInitiator: head & 0x80 != 0, initiator: DeviceAddress(Address(value: 1), .public),
            responder: DeviceAddress(Address(value: 2), .random), frame: frame, ring: ring, &budget)
    }

    /// Commands that the sides send in turn.
    private static func encode(_ commands: [[UInt8]]) -> [UInt8] {
        commands.enumerated().flatMap { index, command in
            [UInt8(min(command.count, 0x7F)) | (index.isMultiple(of: 2) ? 0x80 : 0)] + command.prefix(0x7F)
        }
    }

    /// A pairing of LE Secure Connections in which both sides have the debug key pair, and a distribution of keys.
    private static let debugPairing: [UInt8] = {
        guard let key = P256.KeyPair.debug?.publicKey else { return [] }
        let features = SMP.PairingFeatures(
            ioCapability: .noInputNoOutput,
            requirements: SMP.AuthenticationRequirements(isBonding: true, isSecureConnections: true),
            initiatorKeys: SMP.KeyDistribution(identity: true), responderKeys: SMP.KeyDistribution(identity: true))
        let publicKey = SMP.encode(SMP.PairingPublicKey(x: key.x.wireBytes, y: key.y.wireBytes))
        return encode([
            SMP.encode(SMP.PairingRequest(features: features)), SMP.encode(SMP.PairingResponse(features: features)),
            publicKey, publicKey, SMP.encode(SMP.PairingRandom(value: 1)), SMP.encode(SMP.PairingRandom(value: 2)),
            SMP.encode(SMP.PairingDHKeyCheck(value: 3)), SMP.encode(SMP.PairingDHKeyCheck(value: 4)),
            SMP.encode(SMP.EncryptionInformation(longTermKey: 5)),
            SMP.encode(SMP.IdentityInformation(identityResolvingKey: 6)),
            SMP.encode(SMP.CentralIdentification(ediv: 7, random: 8)),
            SMP.encode(SMP.IdentityAddressInformation(addressType: 0, address: Address(value: 9))),
            SMP.encode(SMP.SigningInformation(signatureKey: 10)),
        ])
    }()
}
