import BluetoothCrypto
import Bytes
import PDUTestKit
import Testing

/// FIPS 197, C.1.
@Test func blockFunctionEncryptsTheStandardsExample() {
    let cipher = AES128(key: number("000102030405060708090a0b0c0d0e0f"))
    #expect(cipher.encrypt(number("00112233445566778899aabbccddeeff")) == number("69c4e0d86a7b0430d8cdb78070b4c55a"))
}

/// Vol 3, Part H, D.1: the examples of RFC 4493.
@Test(arguments: [
    (0, "bb1d6929 e9593728 7fa37d12 9b756746"), (16, "070a16b4 6b4d4144 f79bdd9d d04a287c"),
    (40, "dfa66747 de9ae630 30ca3261 1497c827"), (64, "51f0bebf 7e3b9d92 fc497417 79363cfe"),
])
func authenticationCodeOfTheFirstBytesOfAMessage(length: Int, code: String) {
    let message = hex(
        """
        6bc1bee2 2e409f96 e93d7e11 7393172a ae2d8a57 1e03ac9c 9eb76fac 45af8e51
        30c81c46 a35ce411 e5fbc119 1a0a52ef f69f2445 df4f9b17 ad2b417b e66c3710
        """)
    let cipher = AES128(key: number("2b7e1516 28aed2a6 abf71588 09cf4f3c"))
    #expect(cipher.authenticationCode(of: Array(message.prefix(length))) == number(code))
}

/// FIPS 180-4: the examples of one block and of two.
@Test(arguments: [
    ("abc", "ba7816bf 8f01cfea 414140de 5dae2223 b00361a3 96177a9c b410ff61 f20015ad"),
    (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61 d20638b8 e5c02693 0c3e6039 a33ce459 64ff2167 f6ecedd4 19db06c1"
    ),
])
func digestIsTheStandards(of message: String, digest: String) {
    #expect(SHA256.digest(of: Array(message.utf8)) == hex(digest))
}

@Test func keysAreNeverPrinted() {
    let key = SecretKey(number("0123456789abcdef0123456789abcdef"))
    let secret = SharedSecret(bytes: hex("0123456789abcdef0123456789abcdef"))
    var dumped = ""
    dump([key], to: &dumped)
    dump(["a": secret], to: &dumped)
    for text in ["\(key)", String(reflecting: key), "\([key])", "\(secret)", "\([secret])", dumped] {
        #expect(text.contains("(secret)"))
        #expect(!text.contains("123"))
    }
}

/// Keys are equal by their bytes, not by the object that has them; each bit counts.
@Test func keysAreComparedByTheirBytes() {
    let value = number("0123456789abcdef0123456789abcdef")
    let key = SecretKey(value)
    #expect(key == SecretKey(value))
    #expect(Set([key, SecretKey(value), SecretKey(wireBytes: key.wireBytes)]).count == 1)
    for bit in 0..<128 { #expect(key != SecretKey(value ^ 1 << UInt128(bit))) }
    let secret = SharedSecret(bytes: [UInt8](repeating: 1, count: 32))
    #expect(secret == SharedSecret(bytes: [UInt8](repeating: 1, count: 32)))
    #expect(secret != SharedSecret(bytes: [UInt8](repeating: 1, count: 31)))
}

/// A key outlives the values that it was copied from, and the cipher made from it.
@Test func copiesOfAKeyKeepItsBytes() {
    let value = number("000102030405060708090a0b0c0d0e0f")
    var keys = [SecretKey(value)]
    let copy = keys[0]
    let cipher = AES128(key: keys.removeLast())
    #expect(copy.value == value)
    #expect(cipher.encrypt(number("00112233445566778899aabbccddeeff")) == number("69c4e0d86a7b0430d8cdb78070b4c55a"))
}

@Test(arguments: [
    (16, "0123456789abcdef0123456789abcdef"), (15, "0023456789abcdef0123456789abcdef"),
    (7, "00000000000000000023456789abcdef"),
])
func keyIsCutToItsSize(size: Int, cut: String) {
    let key = SecretKey(number("0123456789abcdef0123456789abcdef"))
    #expect(key.cut(to: size) == SecretKey(number(cut)))
    #expect(key.cut(to: size).wireBytes == hex(cut).reversed())
}
