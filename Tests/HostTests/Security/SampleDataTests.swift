import Bluetooth
import BluetoothCrypto
import Bytes
import Host
import PDUTestKit
import Testing

/// LE Secure Connections with the key pairs of Vol 2, Part G, 7.1.2.1 and the random numbers, addresses and keys of Vol
/// 3, Part H, D.3: both sides derive the specification's long term key, step by step.
private struct SamplePairing {
    static let initiator = DeviceAddress(Address(value: 0x5612_3737_BFCE), .public)
    static let responder = DeviceAddress(Address(value: 0xA713_702D_CFC1), .public)
    static let longTermKey = SecretKey(number("69867911 69d7cd23 980522b5 94750a38"))
    static let macKey = SecretKey(number("2965f176 a1084a02 fd3f6a20 ce636e20"))

    /// The secrets of one side: private key, coordinates of the public key, and random number.
    struct Side {
        var privateKey: [UInt8]
        var publicKey: SMP.PairingPublicKey
        var random: UInt128
        /// The X coordinate.
        var x: P256.Coordinate

        init(privateKey: String, x: String, y: String, random: String) throws {
            self.privateKey = hex(privateKey)
            publicKey = SMP.PairingPublicKey(x: hex(x).reversed(), y: hex(y).reversed())
            self.random = number(random)
            self.x = try #require(P256.Coordinate(hex(x)))
        }

        /// A random source that gives a pairing this private key and this random number.
        var source: RandomSource {
            .sequence(
                privateKey.map { UInt64($0) } + [
                    UInt64(truncatingIfNeeded: random >> 64), UInt64(truncatingIfNeeded: random),
                ]
            )
        }
    }

    let a: Side
    let b: Side

    init() throws {
        a = try Side(
            privateKey: "3f49f6d4 a3c55f38 74c9b3e3 d2103f50 4aff607b eb40b799 5899b8a6 cd3c1abd",
            x: "20b003d2 f297be2c 5e2c83a7 e9f9a5b9 eff49111 acf4fddb cc030148 0e359de6",
            y: "dc809c49 652aeb6d 63329abf 5a52155c 766345c2 8fed3024 741c8ed0 1589d28b",
            random: "d5cb8454 d177733e ffffb2ec 712baeab")
        b = try Side(
            privateKey: "55188b3d 32f6bb9a 900afcfb eed4e72a 59cb9ac2 f19d7cfb 6b4fdd49 f47fc5fd",
            x: "1ea1f0f0 1faf1d96 09592284 f19e4c00 47b58afd 8615a69f 559077b2 2faaa190",
            y: "4c55f33e 429dad37 7356703a 9ab85160 472d1130 e28e3676 5f89aff9 15b1214a",
            random: "a6e8e7cc 25a75f6e 216583f7 ff3dc4cf")
    }

    func pairing(isInitiator: Bool) -> Pairing {
        let own = isInitiator ? Self.initiator : Self.responder
        var settings = PairingSettings()
        settings.isBonding = false
        return Pairing(
            Pairing.Parties(
                isInitiator: isInitiator, own: own, peer: isInitiator ? Self.responder : Self.initiator,
                ownIdentity: own, ownIdentityKey: SecretKey(1)), settings: settings)
    }

    /// The check value of a side without input, output or bonding (Vol 3, Part H, 2.2.8).
    func check(isInitiator: Bool) -> UInt128 {
        SecureConnections.f6(
            macKey: Self.macKey,
            SecureConnections.Check(
                own: isInitiator ? a.random : b.random, other: isInitiator ? b.random : a.random, r: 0,
                capabilities: 0x08_0003, from: isInitiator ? Self.initiator : Self.responder,
                to: isInitiator ? Self.responder : Self.initiator))
    }

    /// The responder's confirm value (Vol 3, Part H, 2.3.5.6.2).
    var confirm: UInt128 { SecureConnections.f4(u: b.x, v: a.x, x: b.random, z: 0) }
}

private let start = Timestamp(nanoseconds: 0)

private func sends(_ pdu: some SMP.PDU) -> [Pairing.Action] { [.send(SMP.encode(pdu))] }

@Test func initiatorComesToTheSampleKey() throws {
    let sample = try SamplePairing()
    var pairing = sample.pairing(isInitiator: true)
    var random = sample.a.source
    let features = SMP.PairingFeatures(
        ioCapability: .noInputNoOutput, requirements: .init(isBonding: false, isSecureConnections: true),
        initiatorKeys: .init(),
        responderKeys: .init())
    var actions = pairing.begin(at: start, random: &random)
    #expect(actions == sends(SMP.PairingRequest(features: features)))
    actions = pairing.handle(SMP.encode(SMP.PairingResponse(features: features)), at: start, random: &random)
    #expect(actions == sends(sample.a.publicKey))
    actions = pairing.handle(SMP.encode(sample.b.publicKey), at: start, random: &random)
    #expect(actions.isEmpty)
    actions = pairing.handle(SMP.encode(SMP.PairingConfirm(value: sample.confirm)), at: start, random: &random)
    #expect(actions == sends(SMP.PairingRandom(value: sample.a.random)))
    actions = pairing.handle(SMP.encode(SMP.PairingRandom(value: sample.b.random)), at: start, random: &random)
    #expect(actions == sends(SMP.PairingDHKeyCheck(value: sample.check(isInitiator: true))))
    let check = SMP.encode(SMP.PairingDHKeyCheck(value: sample.check(isInitiator: false)))
    actions = pairing.handle(check, at: start, random: &random)
    #expect(actions == [.encrypt(SamplePairing.longTermKey)])
}

@Test func responderComesToTheSampleKey() throws {
    let sample = try SamplePairing()
    var pairing = sample.pairing(isInitiator: false)
    var random = sample.b.source
    let features = SMP.PairingFeatures(
        ioCapability: .noInputNoOutput, requirements: .init(isBonding: false, isSecureConnections: true),
        initiatorKeys: .init(),
        responderKeys: .init())
    var actions = pairing.handle(SMP.encode(SMP.PairingRequest(features: features)), at: start, random: &random)
    #expect(actions == sends(SMP.PairingResponse(features: features)))
    actions = pairing.handle(SMP.encode(sample.a.publicKey), at: start, random: &random)
    #expect(actions == sends(sample.b.publicKey) + sends(SMP.PairingConfirm(value: sample.confirm)))
    actions = pairing.handle(SMP.encode(SMP.PairingRandom(value: sample.a.random)), at: start, random: &random)
    #expect(actions == sends(SMP.PairingRandom(value: sample.b.random)))
    let check = SMP.encode(SMP.PairingDHKeyCheck(value: sample.check(isInitiator: true)))
    actions = pairing.handle(check, at: start, random: &random)
    #expect(
        actions == sends(SMP.PairingDHKeyCheck(value: sample.check(isInitiator: false))) + [
            .encrypt(SamplePairing.longTermKey)
        ])
}
