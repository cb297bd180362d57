import Bytes

/// Encrypted Advertising Data, AD type 0x31 (Supplement to the Core Specification, Part A, 1.23).
///
/// The data are a Randomizer, the encrypted AD structures and a MIC.
package enum EncryptedAdvertisingData {
    /// Bytes of the Randomizer; its most significant bit takes the place of the direction in the nonce.
    package static let randomizerSize = 5

    /// The AD structures in `data`; nil if the MIC is wrong or missing.
    ///
    /// - Parameter vector: the initialization vector, its first byte most significant.
    package static func open(_ data: [UInt8], key: SecretKey, vector: UInt64) -> [UInt8]? {
        guard data.count >= randomizerSize + CCM.codeSize else { return nil }
        return CCM(key: key).open(
            Array(data.dropFirst(randomizerSize)), nonce: nonce(data.prefix(randomizerSize), vector),
            associated: associated)
    }

    /// The Randomizer, followed by the encrypted AD structures and their MIC.
    ///
    /// - Parameter randomizer: 5 bytes, as they are sent.
    package static func seal(_ structures: [UInt8], randomizer: [UInt8], key: SecretKey, vector: UInt64) -> [UInt8] {
        precondition(randomizer.count == randomizerSize, "a Randomizer of \(randomizer.count) bytes")
        return randomizer
            + CCM(key: key).seal(structures, nonce: nonce(randomizer[...], vector), associated: associated)
    }

    /// The additional authenticated data, a constant byte.
    private static let associated: UInt8 = 0xEA

    private static func nonce(_ randomizer: ArraySlice<UInt8>, _ vector: UInt64) -> [UInt8] {
        Array(randomizer) + ByteWriter.bytes { $0.writeBigEndian(vector) }
    }
}
