import Bytes

/// Encryption of a connection's packets on the air (Vol 6, Part B, 5.1.3.1 and Part E, 2).
package struct LinkEncryption: Sendable {
    /// The sender of a packet; the direction is part of the nonce.
    package enum Sender: Sendable, Hashable {
        case central, peripheral
    }

    private let cipher: CCM
    /// Initialization vector, with the central's half in its low 32 bits.
    private let vector: UInt64

    /// Takes the session key diversifiers and initialization vectors that both sides exchanged when encryption started.
    package init(
        longTermKey: SecretKey, centralDiversifier: UInt64, peripheralDiversifier: UInt64, centralVector: UInt32,
        peripheralVector: UInt32
    ) {
        cipher = CCM(
            key: Self.sessionKey(
                longTermKey: longTermKey, centralDiversifier: centralDiversifier,
                peripheralDiversifier: peripheralDiversifier))
        vector = UInt64(peripheralVector) << 32 | UInt64(centralVector)
    }

    /// The key of one encrypted session (Vol 6, Part B, 5.1.3.1).
    package static func sessionKey(
        longTermKey: SecretKey, centralDiversifier: UInt64, peripheralDiversifier: UInt64
    ) -> SecretKey {
        let diversifier = UInt128(peripheralDiversifier) << 64 | UInt128(centralDiversifier)
        return SecretKey(AES128(key: longTermKey.value).encrypt(diversifier))
    }

    /// The encrypted payload of a data PDU followed by its MIC. `header` is the PDU's first byte; `counter` counts this
    /// sender's packets from 0.
    package func seal(_ payload: [UInt8], header: UInt8, counter: UInt64, from sender: Sender) -> [UInt8] {
        cipher.seal(payload, nonce: nonce(counter, sender), associated: header & Self.headerMask)
    }

    /// The decrypted payload; nil if its MIC is wrong.
    package func open(_ sealed: [UInt8], header: UInt8, counter: UInt64, from sender: Sender) -> [UInt8]? {
        cipher.open(sealed, nonce: nonce(counter, sender), associated: header & Self.headerMask)
    }

    /// NESN, SN and MD are not authenticated (Vol 6, Part E, 2.2).
    private static let headerMask: UInt8 = 0xE3

    private func nonce(_ counter: UInt64, _ sender: Sender) -> [UInt8] {
        let direction: UInt64 = sender == .central ? 1 << 39 : 0
        return ByteWriter.bytes {
            $0.write(counter & 0x7F_FFFF_FFFF | direction, bytes: 5)
            $0.write(vector)
        }
    }
}
