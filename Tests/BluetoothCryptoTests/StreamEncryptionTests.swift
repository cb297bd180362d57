import BluetoothCrypto
import PDUTestKit
import Testing

/// Vol 6, Part E, 1.1.1.
@Test func h8OfTheSpecification() {
    #expect(
        SecureConnections.h8(
            key: SecretKey(number("ec0234a3 57c8ad05 341010a6 0a397d9b")),
            s: number("1536d18d e3d20df9 9b7044c1 2f9ed5ba"), identifier: 0xCC03_0148)
            == SecretKey(number("e5e5beba ae7228e7 22a38904 ed350f6d")))
}

/// The example of Vol 3, Part C, 3.2.6.
@Test func broadcastCodeInTextIsItsUTF8() {
    #expect(BroadcastEncryption.broadcastCode("Børne House")?.value == number("00000000 6573756f 4820656e 72b8c342"))
    #expect(BroadcastEncryption.broadcastCode("0123456789abcdef") != nil)
    #expect(BroadcastEncryption.broadcastCode("0123456789abcdefg") == nil)
    #expect(BroadcastEncryption.broadcastCode("") == nil)
}

/// Computed with the AES-CMAC of Python's cryptography by the formula of Vol 6, Part E, 1.1: h7, h6 and h8 with the
/// identifiers BIG1, BIG2 and BIG3.
@Test func groupSessionKeyFollowsFromTheBroadcastCode() throws {
    let code = try #require(BroadcastEncryption.broadcastCode("Børne House"))
    #expect(
        BroadcastEncryption.groupSessionKey(
            broadcastCode: code, diversifier: number("15bb7cb3 ee7a05e7 0db4a4a0 3c5e1eee"))
            == SecretKey(number("39618440 bebb703e 9d5166ee 4b968eb2")))
    #expect(
        BroadcastEncryption.groupSessionKey(
            broadcastCode: code, diversifier: number("00010203 04050607 08090a0b 0c0d0e0f"))
            == SecretKey(number("28b5e9d5 0cccc496 17887494 dc277d24")))
}

/// The access address changes the four bytes of the vector that come first in the nonce (Vol 6, Part E, 2.1).
@Test func vectorsOfStreamsDifferByTheirAccessAddress() {
    #expect(
        BroadcastEncryption.vector(groupVector: 0xDEAF_BABE_BADC_AB24, accessAddress: 0x8E89_BED6)
            == 0xDEAF_BABE_3455_15F2)
    #expect(
        ConnectedStreamEncryption.vector(linkVector: 0xDEAF_BABE_BADC_AB24, accessAddress: 0x8E89_BED6)
            == 0xDEAF_BABE_3455_15F2)
}

/// Encrypted Advertising Data of the Supplement to the Core Specification, Part A, 2.3.1: "Short Mini-Bus" and an
/// appearance.
struct EncryptedAdvertisingDataTests {
    private let key = SecretKey(number("57A9DA12D12E6E131E20612AD10A6A19"))
    private let vector: UInt64 = 0x9E7A_00EF_B17A_E746
    private let data = hex("18E157CADE74E4DCAFDC51C7282810C2217F0E4CEF4343181FBA0069CC")
    private let structures = [0x0F, 0x09] + Array("Short Mini-Bus".utf8) + [0x03, 0x19, 0x0A, 0x8C]

    @Test func dataOfTheSpecificationAreOpenedAndSealed() {
        #expect(EncryptedAdvertisingData.open(data, key: key, vector: vector) == structures)
        #expect(
            EncryptedAdvertisingData.seal(structures, randomizer: hex("18E157CADE"), key: key, vector: vector) == data)
    }

    @Test func changedDataStayClosed() {
        for index in data.indices {
            var changed = data
            changed[index] ^= 1
            #expect(EncryptedAdvertisingData.open(changed, key: key, vector: vector) == nil)
        }
        #expect(EncryptedAdvertisingData.open(data, key: key, vector: vector ^ 1) == nil)
        #expect(EncryptedAdvertisingData.open(data, key: SecretKey(key.value ^ 1), vector: vector) == nil)
    }

    @Test func shortDataStayClosed() {
        for length in 0..<data.count {
            #expect(EncryptedAdvertisingData.open(Array(data.prefix(length)), key: key, vector: vector) == nil)
        }
        let empty = EncryptedAdvertisingData.seal([], randomizer: hex("0102030405"), key: key, vector: vector)
        #expect(EncryptedAdvertisingData.open(empty, key: key, vector: vector) == [])
    }
}
