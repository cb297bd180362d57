import Bluetooth
import BluetoothCrypto
import PDUTestKit
import Testing

// Common input values of Vol 3, Part H, Appendix D.
private let n1 = number("d5cb8454 d177733e ffffb2ec 712baeab")
private let n2 = number("a6e8e7cc 25a75f6e 216583f7 ff3dc4cf")
private let a1 = DeviceAddress(Address(value: 0x5612_3737_BFCE), .public)
private let a2 = DeviceAddress(Address(value: 0xA713_702D_CFC1), .public)
private let key = SecretKey(number("ec0234a3 57c8ad05 341010a6 0a397d9b"))

private func coordinate(_ text: String) throws -> P256.Coordinate {
    try #require(P256.Coordinate(hex(text)))
}

private func u() throws -> P256.Coordinate {
    try coordinate("20b003d2 f297be2c 5e2c83a7 e9f9a5b9 eff49111 acf4fddb cc030148 0e359de6")
}

private func v() throws -> P256.Coordinate {
    try coordinate("55188b3d 32f6bb9a 900afcfb eed4e72a 59cb9ac2 f19d7cfb 6b4fdd49 f47fc5fd")
}

/// Vol 3, Part H, 2.2.3.
@Test func c1OfTheSpecification() {
    let context = LegacyPairing.Context(
        request: 0x07_0710_0000_0101, response: 0x05_0008_0000_0302,
        initiator: DeviceAddress(Address(value: 0xA1A2_A3A4_A5A6), .random),
        responder: DeviceAddress(Address(value: 0xB1B2_B3B4_B5B6), .public))
    #expect(
        LegacyPairing.c1(key: SecretKey(0), random: number("5783D52156AD6F0E6388274EC6702EE0"), context)
            == number("1e1e3fef878988ead2a74dc5bef13b86"))
}

/// Vol 3, Part H, 2.2.4.
@Test func s1OfTheSpecification() {
    #expect(
        LegacyPairing.s1(
            key: SecretKey(0), responder: number("000F0E0D0C0B0A091122334455667788"),
            initiator: number("010203040506070899AABBCCDDEEFF00"))
            == SecretKey(number("9a1fe1f0e8b0f49b5b4216ae796da062")))
}

/// Vol 3, Part H, D.2.
@Test func f4OfTheSpecification() throws {
    #expect(try SecureConnections.f4(u: u(), v: v(), x: n1, z: 0) == number("f2c916f1 07a9bd1c f1eda1be a974872d"))
}

/// Vol 3, Part H, D.3.
@Test func f5OfTheSpecification() {
    let secret = SharedSecret(
        bytes: hex("ec0234a3 57c8ad05 341010a6 0a397d9b 99796b13 b4f866f1 868d34f3 73bfa698"))
    let keys = SecureConnections.f5(
        secret: secret, initiatorRandom: n1, responderRandom: n2, initiator: a1, responder: a2)
    #expect(keys.longTermKey == SecretKey(number("69867911 69d7cd23 980522b5 94750a38")))
    #expect(keys.macKey == SecretKey(number("2965f176 a1084a02 fd3f6a20 ce636e20")))
}

/// Vol 3, Part H, D.4.
@Test func f6OfTheSpecification() {
    let macKey = SecretKey(number("2965f176 a1084a02 fd3f6a20 ce636e20"))
    let check = SecureConnections.Check(
        own: n1, other: n2, r: number("12a3343b b453bb54 08da42d2 0c2d0fc8"), capabilities: 0x010102, from: a1, to: a2)
    #expect(SecureConnections.f6(macKey: macKey, check) == number("e3c47398 9cd0e8c5 d26c0b09 da958f61"))
}

/// Vol 3, Part H, D.5: g2 is 0x2f9ed5ba; the last six decimal digits are shown.
@Test func g2OfTheSpecification() throws {
    #expect(try SecureConnections.g2(u: u(), v: v(), x: n1, y: n2) == 0x2F9E_D5BA % 1_000_000)
}

/// Vol 3, Part H, D.6 and D.8.
@Test func h6AndH7OfTheSpecification() {
    #expect(
        SecureConnections.h6(key: key, identifier: 0x6C65_6272)
            == SecretKey(number("2d9ae102 e76dc91c e8d3a9e2 80b16399")))
    #expect(
        SecureConnections.h7(salt: 0x746D_7031, key: key) == SecretKey(number("fb173597 c6a3c0ec d2998c2a 75a57011")))
}

/// Vol 3, Part H, D.9 to D.12.
@Test(arguments: [
    (true, "287ad379 dca40253 0a39f1f4 3047b835", "e85e09eb 5eccb3e2 69418a13 3211bc79"),
    (false, "bc1ca4ef 633fc1bd 0d8230af ee388fb0", "a813fb72 f1a3dfa1 8a2c9a43 f10d0a30"),
])
func keysOfBothTransportsAreConverted(usesH7: Bool, linkKey: String, longTermKey: String) {
    #expect(
        SecureConnections.linkKey(from: SecretKey(number("368df9bc e3264b58 bd066c33 334fbf64")), usesH7: usesH7)
            == SecretKey(number(linkKey)))
    #expect(
        SecureConnections.longTermKey(from: SecretKey(number("05040302 01000908 07060504 03020100")), usesH7: usesH7)
            == SecretKey(number(longTermKey)))
}

/// Vol 3, Part H, D.7.
@Test func ahOfTheSpecification() {
    #expect(PrivateAddress.ah(key: key, random: 0x708194) == 0x0DFBAA)
    let address = Address(value: 0x7081_940D_FBAA)
    #expect(PrivateAddress.isResolved(DeviceAddress(address, .random), by: key))
    #expect(!PrivateAddress.isResolved(DeviceAddress(address, .public), by: key))
    #expect(!PrivateAddress.isResolved(DeviceAddress(Address(value: 0x7081_940D_FBAB), .random), by: key))
    #expect(!PrivateAddress.isResolved(DeviceAddress(address, .random), by: SecretKey(1)))
}

@Test(arguments: [0, 0x3F_FFFF, 0xFF_FFFF, 0x123456] as [UInt32])
func privateAddressesResolveByTheirKeyOnly(random: UInt32) {
    let address = PrivateAddress.resolvable(key: key, random: random)
    #expect(address.randomKind == .resolvablePrivate)
    #expect(![0, 0x3F_FFFF].contains(address.value >> 24 & 0x3F_FFFF))
    #expect(PrivateAddress.isResolved(DeviceAddress(address, .random), by: key))
    #expect(!PrivateAddress.isResolved(DeviceAddress(address, .random), by: SecretKey(key.value ^ 1)))
}

@Test func otherRandomAddressesHaveTheirTopBits() {
    #expect(PrivateAddress.nonResolvable(random: .max).randomKind == .nonResolvablePrivate)
    #expect(PrivateAddress.static(random: 0).randomKind == .static)
}
