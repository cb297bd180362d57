import Bluetooth
import BluetoothCrypto
import Bytes

/// Cryptography commands for hosts without their own (Vol 4, Part E, 7.8.22, 7.8.23, 7.8.36 and 7.8.37).
extension VirtualController {
    func encrypt(_ command: Command) throws(Refusal) -> Returned {
        let values = try command.values()
        let key = SecretKey(wire: values.bytes("le_key"))
        let block = SecretKey(wire: values.bytes("le_plaintext"))
        let result = SecretKey(AES128(key: key).encrypt(block.value))
        return .values(["le_encrypted_data": .bytes(result.wireBytes)])
    }

    mutating func generateRandom() -> Returned {
        let number = random.next()
        return .values(["le_random_number": .bytes((0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) })])
    }

    mutating func readPublicKey() -> Returned {
        let pair = P256.KeyPair(using: &random)
        state.keyPair = pair
        send(
            .readLocalP256PublicKeyComplete,
            [
                "status": 0,
                "le_local_p_256_public_key": .bytes(pair.publicKey.x.wireBytes + pair.publicKey.y.wireBytes),
            ])
        return .success
    }

    mutating func generateDHKey(_ command: Command) throws(Refusal) -> Returned {
        guard let pair = state.keyPair else { throw .disallowed }
        sendDHKey(of: pair, with: try command.values().bytes("le_remote_p_256_public_key"))
        return .success
    }

    mutating func generateDHKeyV2(_ command: Command) throws(Refusal) -> Returned {
        let values = try command.values()
        let pair: P256.KeyPair?
        switch values.number("key_type") {
        case 0: pair = state.keyPair
        case 1: pair = .debug
        default: throw .invalidParameters
        }
        guard let pair else { throw .disallowed }
        sendDHKey(of: pair, with: values.bytes("le_remote_p_256_public_key"))
        return .success
    }

    /// Sends the DHKey. A public key off the curve yields the error that the specification requires, and 32 bytes of
    /// 0xFF.
    private mutating func sendDHKey(of pair: P256.KeyPair, with bytes: [UInt8]) {
        var secret: SharedSecret?
        if let x = P256.Coordinate(wire: Array(bytes.prefix(32))),
            let y = P256.Coordinate(wire: Array(bytes.dropFirst(32)))
        {
            secret = pair.sharedSecret(with: P256.PublicKey(x: x, y: y))
        }
        send(
            .generateDHKeyComplete,
            [
                "status": .number(UInt64((secret == nil ? HCI.ErrorCode.invalidCommandParameters : .success).rawValue)),
                "dhkey": .bytes(secret?.wireBytes ?? [UInt8](repeating: 0xFF, count: 32)),
            ])
    }
}
