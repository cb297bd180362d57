import BluetoothCrypto
import Bytes
import PDUTestKit
import Testing

/// Key pairs of two devices, and the secret that they share (Vol 2, Part G, 7.1.2).
private struct Agreement: Sendable {
    var privateA: String
    var privateB: String
    var publicA: (x: String, y: String)
    var publicB: (x: String, y: String)
    var secret: String
}

private let agreements = [
    Agreement(
        privateA: "3f49f6d4 a3c55f38 74c9b3e3 d2103f50 4aff607b eb40b799 5899b8a6 cd3c1abd",
        privateB: "55188b3d 32f6bb9a 900afcfb eed4e72a 59cb9ac2 f19d7cfb 6b4fdd49 f47fc5fd",
        publicA: (
            "20b003d2 f297be2c 5e2c83a7 e9f9a5b9 eff49111 acf4fddb cc030148 0e359de6",
            "dc809c49 652aeb6d 63329abf 5a52155c 766345c2 8fed3024 741c8ed0 1589d28b"
        ),
        publicB: (
            "1ea1f0f0 1faf1d96 09592284 f19e4c00 47b58afd 8615a69f 559077b2 2faaa190",
            "4c55f33e 429dad37 7356703a 9ab85160 472d1130 e28e3676 5f89aff9 15b1214a"
        ),
        secret: "ec0234a3 57c8ad05 341010a6 0a397d9b 99796b13 b4f866f1 868d34f3 73bfa698"),
    Agreement(
        privateA: "06a51669 3c9aa31a 6084545d 0c5db641 b48572b9 7203ddff b7ac73f7 d0457663",
        privateB: "529aa067 0d72cd64 97502ed4 73502b03 7e8803b5 c60829a5 a3caa219 505530ba",
        publicA: (
            "2c31a47b 5779809e f44cb5ea af5c3e43 d5f8faad 4a8794cb 987e9b03 745c78dd",
            "91951218 3898dfbe cd52e240 8e43871f d0211091 17bd3ed4 eaf84377 43715d4f"
        ),
        publicB: (
            "f465e43f f23d3f1b 9dc7dfc0 4da87581 84dbc966 204796ec cf0d6cf5 e16500cc",
            "0201d048 bcbbd899 eeefc424 164e33c2 01c2b010 ca6b4d43 a8a155ca d8ecb279"
        ),
        secret: "ab85843a 2f6d883f 62e5684b 38e30733 5fe6e194 5ecd1960 4105c6f2 3221eb69"),
]

private func publicKey(_ key: (x: String, y: String)) throws -> P256.PublicKey {
    P256.PublicKey(
        x: try #require(P256.Coordinate(hex(key.x))), y: try #require(P256.Coordinate(hex(key.y))))
}

@Test(arguments: agreements.indices)
func bothDevicesComputeTheSameSecret(index: Int) throws {
    let agreement = agreements[index]
    let a = try #require(P256.KeyPair(privateKey: hex(agreement.privateA)))
    let b = try #require(P256.KeyPair(privateKey: hex(agreement.privateB)))
    #expect(a.publicKey == (try publicKey(agreement.publicA)))
    #expect(b.publicKey == (try publicKey(agreement.publicB)))
    let secret = SharedSecret(bytes: hex(agreement.secret))
    #expect(a.sharedSecret(with: b.publicKey) == secret)
    #expect(b.sharedSecret(with: a.publicKey) == secret)
}

/// The attack that Core 5.1 closed: a point with Y = 0 is on another curve (Vol 3, Part H, 2.3.5.6.1).
@Test func pointsOffTheCurveAreRefused() throws {
    let pair = try #require(P256.KeyPair(privateKey: hex(agreements[0].privateA)))
    let zero = try #require(P256.Coordinate([UInt8](repeating: 0, count: P256.size)))
    var y = pair.publicKey.y.bytes
    y[31] ^= 1
    let bent = try #require(P256.Coordinate(y))
    #expect(pair.sharedSecret(with: P256.PublicKey(x: pair.publicKey.x, y: zero)) == nil)
    #expect(pair.sharedSecret(with: P256.PublicKey(x: pair.publicKey.x, y: bent)) == nil)
    #expect(pair.sharedSecret(with: P256.PublicKey(x: zero, y: zero)) == nil)
}

@Test func privateKeysOutOfRangeAreRefused() {
    #expect(P256.KeyPair(privateKey: [UInt8](repeating: 0, count: 32)) == nil)
    #expect(P256.KeyPair(privateKey: [UInt8](repeating: 0xFF, count: 32)) == nil)
    #expect(P256.KeyPair(privateKey: [1]) == nil)
}

/// Vol 3, Part H, 2.3.5.6.1.
@Test func debugKeyPairIsTheSpecifications() throws {
    let debug = try #require(P256.KeyPair.debug)
    #expect(debug == P256.KeyPair(privateKey: hex(agreements[0].privateA)))
    #expect(debug.publicKey == (try publicKey(agreements[0].publicA)))
}

@Test func keyPairsFollowFromTheirRandomness() {
    var one = SplitMix64(seed: 7)
    var same = SplitMix64(seed: 7)
    let first = P256.KeyPair(using: &one)
    #expect(first.publicKey == P256.KeyPair(using: &same).publicKey)
    #expect(first.publicKey != P256.KeyPair(using: &one).publicKey)
}

@Test func coordinatesOnTheWireAreReversed() throws {
    let bytes = Array(UInt8(0)..<32)
    let coordinate = try #require(P256.Coordinate(wire: bytes))
    #expect(coordinate.bytes == bytes.reversed())
    #expect(coordinate.wireBytes == bytes)
    #expect(P256.Coordinate(wire: Array(bytes.dropLast())) == nil)
}
