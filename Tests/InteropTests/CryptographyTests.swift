import BluetoothCrypto
import PDUTestKit
import Testing

/// AES-CCM and P-256 beside an implementation that shares nothing with ours: that of Python's cryptography.
@Suite(.enabled(if: PythonCryptography.python != nil, "no Python here has cryptography: pip install cryptography"))
struct CryptographyTests {
    /// The lines of one kind, split at spaces.
    private func vectors(_ kind: String, seed: Int) throws -> [[String]] {
        let (status, output) = try Bumble.run("cryptography_vectors.py", ["\(seed)"], python: PythonCryptography.python)
        #expect(status == 0, "\(output)")
        return output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }.filter {
            $0.first == kind
        }
    }

    @Test(arguments: 1...3)
    func sealedMessagesAreTheSame(seed: Int) throws {
        let vectors = try vectors("ccm", seed: seed)
        #expect(vectors.count == 54)
        for vector in vectors {
            let cipher = CCM(key: SecretKey(number(vector[1])))
            let nonce = hex(vector[2])
            let associated = hex(vector[3])[0]
            let message = vector[4] == "-" ? [] : hex(vector[4])
            let sealed = hex(vector[5])
            #expect(cipher.seal(message, nonce: nonce, associated: associated) == sealed, "\(vector)")
            #expect(cipher.open(sealed, nonce: nonce, associated: associated) == message, "\(vector)")
        }
    }

    @Test(arguments: 1...3)
    func publicKeysAndSharedSecretsAreTheSame(seed: Int) throws {
        let vectors = try vectors("p256", seed: seed)
        #expect(vectors.count == 23)
        for vector in vectors {
            let pair = try #require(P256.KeyPair(privateKey: hex(vector[1])), "\(vector)")
            #expect(hexText(pair.publicKey.x.bytes + pair.publicKey.y.bytes) == vector[2] + vector[3], "\(vector)")
            let other = P256.PublicKey(
                x: try #require(P256.Coordinate(hex(vector[4]))), y: try #require(P256.Coordinate(hex(vector[5]))))
            #expect(pair.sharedSecret(with: other) == SharedSecret(bytes: hex(vector[6])), "\(vector)")
        }
    }
}

private enum PythonCryptography {
    static let python = Bumble.interpreter(importing: "cryptography.hazmat.primitives.ciphers.aead")
}
