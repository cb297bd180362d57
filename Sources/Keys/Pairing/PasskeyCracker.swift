package import BluetoothCrypto

/// Tries all passkeys of LE legacy pairing: a passkey has 20 bits, and the confirm values show which one it was (Vol 3,
/// Part H, 2.3.5.3).
///
/// A passkey costs one key expansion and two blocks of AES, so one thread tries all in less than a second.
package struct PasskeyCracker: Sendable {
    /// Six decimal digits.
    package static let passkeys: Range<UInt32> = 0..<1_000_000

    private let proof: LegacyProof

    init(_ proof: LegacyProof) {
        self.proof = proof
    }

    /// Takes the confirm value and the random number of one side.
    package init(_ context: LegacyPairing.Context, confirm: UInt128, random: UInt128) {
        proof = LegacyProof(context: context, values: [LegacyProof.Value(confirm: confirm, random: random)])
    }

    /// The passkey; nil if none fits, or if `progress` ends the search.
    ///
    /// - Parameter progress: called with the part that is done, from 0 to 1, 100 times; false ends the search.
    package func search(progress: (Double) -> Bool = { _ in true }) -> UInt32? {
        let part = UInt32(Self.passkeys.count / 100)
        for start in stride(from: Self.passkeys.lowerBound, to: Self.passkeys.upperBound, by: Int(part)) {
            if let found = (start..<start + part).first(where: { proof.fits(SecretKey(UInt128($0))) }) {
                return found
            }
            guard progress(Double(start + part) / Double(Self.passkeys.count)) else { return nil }
        }
        return nil
    }
}
