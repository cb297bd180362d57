/// Encryption of the packets of a connection or a stream on the air (Vol 6, Part B, 5.1.3.1 and Part E, 2).
package struct LinkEncryption: Sendable {
    /// The sender of a packet; the direction is part of the nonce.
    package enum Sender: Sendable, Hashable {
        case central, peripheral

        package var other: Self { self == .central ? .peripheral : .central }
    }

    /// The bits of a PDU's first byte that are authenticated (Vol 6, Part E, 2.2): all that do not change when the PDU is
    /// sent again.
    package struct HeaderMask: Sendable, Hashable {
        fileprivate let bits: UInt8

        /// Without NESN, SN and MD.
        package static let connection = Self(bits: 0xE3)
        /// Without NESN, SN, CIE and NPI.
        package static let connectedStream = Self(bits: 0xA3)
        /// Without CSSN and CSTF.
        package static let broadcastStream = Self(bits: 0xC3)
    }

    private let cipher: CCM
    /// Initialization vector, with the central's half in its low 32 bits.
    private let vector: UInt64
    private let mask: HeaderMask

    package init(sessionKey: SecretKey, vector: UInt64, mask: HeaderMask = .connection) {
        cipher = CCM(key: sessionKey)
        self.vector = vector
        self.mask = mask
    }

    /// Takes the session key diversifiers and initialization vectors that both sides exchanged when encryption started.
    package init(
        longTermKey: SecretKey, centralDiversifier: UInt64, peripheralDiversifier: UInt64, centralVector: UInt32,
        peripheralVector: UInt32
    ) {
        self.init(
            sessionKey: Self.sessionKey(
                longTermKey: longTermKey, centralDiversifier: centralDiversifier,
                peripheralDiversifier: peripheralDiversifier),
            vector: UInt64(peripheralVector) << 32 | UInt64(centralVector))
    }

    private init(cipher: CCM, vector: UInt64, mask: HeaderMask) {
        (self.cipher, self.vector, self.mask) = (cipher, vector, mask)
    }

    /// The encryption of a Connected Isochronous Stream of the connection (Vol 6, Part E, 2.1).
    package func connectedStream(accessAddress: UInt32) -> LinkEncryption {
        LinkEncryption(
            cipher: cipher,
            vector: ConnectedStreamEncryption.vector(linkVector: vector, accessAddress: accessAddress),
            mask: .connectedStream)
    }

    /// The key of one encrypted session (Vol 6, Part B, 5.1.3.1).
    package static func sessionKey(
        longTermKey: SecretKey, centralDiversifier: UInt64, peripheralDiversifier: UInt64
    ) -> SecretKey {
        let diversifier = UInt128(peripheralDiversifier) << 64 | UInt128(centralDiversifier)
        return SecretKey(AES128(key: longTermKey).encrypt(diversifier))
    }

    /// Packet counters have 39 bits.
    package static let counterMask: UInt64 = 0x7F_FFFF_FFFF

    /// The encrypted payload of a data PDU followed by its MIC. `header` is the PDU's first byte; `counter` counts this
    /// sender's packets from 0.
    package func seal(_ payload: [UInt8], header: UInt8, counter: UInt64, from sender: Sender) -> [UInt8] {
        cipher.seal(payload, nonce: nonce(counter, sender), associated: header & mask.bits)
    }

    /// The decrypted payload; nil if its MIC is wrong.
    package func open(_ sealed: [UInt8], header: UInt8, counter: UInt64, from sender: Sender) -> [UInt8]? {
        var plain: [UInt8] = []
        return open(sealed.span, header: header, counter: counter, from: sender, appendingTo: &plain) ? plain : nil
    }

    /// Decrypts a payload that is followed by its MIC; appends it only if the MIC is right.
    package func open(
        _ sealed: Span<UInt8>, header: UInt8, counter: UInt64, from sender: Sender, appendingTo plain: inout [UInt8]
    ) -> Bool {
        cipher.open(
            sealed, nonce: nonce(counter, sender), associated: header & mask.bits, appendingTo: &plain)
    }

    /// Whether a payload is followed by the MIC of a packet with this counter; nothing is decrypted.
    package func verifies(_ sealed: Span<UInt8>, header: UInt8, counter: UInt64, from sender: Sender) -> Bool {
        cipher.verifies(sealed, nonce: nonce(counter, sender), associated: header & mask.bits)
    }

    @inline(__always)
    private func nonce(_ counter: UInt64, _ sender: Sender) -> CCM.Nonce {
        let direction: UInt64 = sender == .central ? 1 << 39 : 0
        return CCM.Nonce(counter: counter & Self.counterMask | direction, vector: vector)
    }
}
