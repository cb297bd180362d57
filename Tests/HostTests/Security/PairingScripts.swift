import Bluetooth
import BluetoothCrypto
import Bytes
import Host
import PDUTestKit
import Testing

/// One side of a pairing whose peer is a script.
private struct ScriptedPairing {
    var pairing: Pairing
    var now = Timestamp(nanoseconds: 0)
    var random = RandomSource.seeded(3)

    init(isInitiator: Bool) {
        // The addresses of the sample in Vol 3, Part H, 2.2.3.
        let central = DeviceAddress(Address(value: 0xA1A2_A3A4_A5A6), .random)
        let peripheral = DeviceAddress(Address(value: 0xB1B2_B3B4_B5B6), .public)
        pairing = Pairing(
            Pairing.Parties(
                isInitiator: isInitiator, own: isInitiator ? central : peripheral,
                peer: isInitiator ? peripheral : central, ownIdentity: isInitiator ? central : peripheral,
                ownIdentityKey: SecretKey(0x0102)), settings: PairingSettings())
    }

    mutating func callAsFunction(_ line: String) -> [String] {
        if line.hasPrefix(">") {
            return describe(pairing.handle(hex(String(line.dropFirst())), at: now, random: &random))
        }
        let words = line.dropFirst().split(separator: " ").map(String.init)
        switch words[0] {
        case "begin": return describe(pairing.begin(at: now, random: &random))
        case "wait":
            now = now + .seconds(Int(words[1])!)
            return describe(pairing.tick(at: now))
        case "disconnect": return describe(pairing.disconnected())
        case "encrypted": return describe(pairing.encryptionChanged(words[1] == "yes", at: now, random: &random))
        case "passkey": return describe(pairing.answer(.passkey(UInt32(words[1])!), at: now, random: &random))
        case "no": return describe(pairing.answer(.no, at: now, random: &random))
        case "set":
            switch words[1] {
            case "legacy": pairing.settings.supportsSecureConnections = false
            case "secure-only": pairing.settings.requiresSecureConnections = true
            case "mitm": pairing.settings.needsMITMProtection = true
            case "keyboard": pairing.settings.ioCapability = .keyboardOnly
            case "key16": pairing.settings.keySizes = 16...16
            case "unpairable": pairing.settings.isPairable = false
            case "unbonded": pairing.settings.isBonding = false
            default: preconditionFailure("no such setting: \(words)")
            }
            return []
        default: preconditionFailure("no such act: \(words)")
        }
    }

    private func describe(_ actions: [Pairing.Action]) -> [String] {
        actions.map { action in
            switch action {
            case .send(let command):
                // Random values and keys depend on the seed, so only their codes are printed.
                [0x03, 0x04, 0x0C, 0x0D].contains(command[0]) ? "< \(hexText([command[0]]))" : "< \(hexText(command))"
            case .encrypt: "= encrypt"
            case .ask(.display): "= display"
            case .ask(.enterPasskey): "= enter"
            case .ask(.compare): "= compare"
            case .finished(let bond): "= paired \(bond.isAuthenticated ? "authenticated" : "encrypted") \(bond.keySize)"
            case .failed(.refused(let reason)): "= refused \(reason.rawValue)"
            case .failed(.refusedByPeer(let reason)): "= refused by peer \(reason.rawValue)"
            case .failed(.timedOut): "= timed out"
            case .failed(.notEncrypted): "= not encrypted"
            case .failed(.disconnected): "= disconnected"
            }
        }
    }
}

/// The peripheral's side (SM.TS, PER).
private let peripheralScripts = [
    PDUScript(
        "SM/PER/PROT/BV-02-C", "nothing for 30 s ends pairing on this connection",
        """
        > 01 03 00 01 10 00 00
        < 02 03 00 09 10 00 00
        ! wait 29
        ! wait 1
        = timed out
        > 01 03 00 01 10 00 00
        """),
    PDUScript(
        "SM/PER/JW/BV-02-C", "answers by Just Works, and hands out no more keys than were asked for",
        """
        > 01 03 00 01 10 00 01
        < 02 03 00 09 10 00 01
        > 03 \(zeros)
        < 03
        """),
    PDUScript(
        "SM/PER/JW/BI-02-C", "a random number that was not confirmed",
        """
        > 01 03 00 01 10 00 00
        < 02 03 00 09 10 00 00
        > 03 \(zeros)
        < 03
        > 04 \(zeros)
        < 05 04
        = refused 4
        """),
    PDUScript(
        "SM/PER/JW/BI-03-C", "the central breaks off",
        """
        > 01 03 00 01 10 00 00
        < 02 03 00 09 10 00 00
        > 05 08
        = refused by peer 8
        > 03 \(zeros)
        """),
    PDUScript(
        "SM/PER/PKE/BV-02-C", "with a keyboard, asks for the passkey and answers when it is there",
        """
        ! set keyboard
        ! set mitm
        > 01 00 00 05 10 00 00
        < 02 02 00 0d 10 00 00
        = enter
        > 03 \(zeros)
        ! passkey 123456
        < 03
        """),
    PDUScript(
        "SM/PER/PKE/BI-01-C", "the user breaks off, or types what is no passkey",
        """
        ! set keyboard
        ! set mitm
        > 01 00 00 05 10 00 00
        < 02 02 00 0d 10 00 00
        = enter
        ! no
        < 05 01
        = refused 1
        > 01 00 00 05 10 00 00
        < 02 02 00 0d 10 00 00
        = enter
        ! passkey 1000000
        < 05 01
        = refused 1
        """),
    PDUScript(
        "SM/PER/EKS/BV-01-C", "takes the shorter key",
        """
        > 01 03 00 01 07 00 00
        < 02 03 00 09 10 00 00
        """),
    PDUScript(
        "SM/PER/EKS/BI-02-C", "a key that is too short",
        """
        ! set key16
        > 01 03 00 01 0f 00 00
        < 05 06
        = refused 6
        > 01 03 00 01 06 00 00
        < 05 0a
        = refused 10
        > 01 03 00 01 11 00 00
        < 05 0a
        = refused 10
        """),
    PDUScript(
        "SM/PER/SCJW/BV-02-C", "by Secure Connections tells its key and confirms at once",
        """
        > 01 03 00 09 10 00 00
        < 02 03 00 09 10 00 00
        > 0c \(publicKey)
        < 0c
        < 03
        """),
    PDUScript(
        "SM/PER/SCJW/BI-01-C", "a check value that does not fit",
        """
        > 01 03 00 09 10 00 00
        < 02 03 00 09 10 00 00
        > 0c \(publicKey)
        < 0c
        < 03
        > 04 \(zeros)
        < 04
        > 0d \(zeros)
        < 05 0b
        = refused 11
        """),
    PDUScript(
        "SM/PER/SCPK/BI-03-C", "a public key off the curve",
        """
        > 01 03 00 09 10 00 00
        < 02 03 00 09 10 00 00
        > 0c \(zeros) \(zeros) \(zeros) \(zeros)
        < 05 0a
        = refused 10
        """),
    PDUScript(
        "SM/PER/SCPK/BV-02-C", "Secure Connections by passkey waits for the user",
        """
        ! set keyboard
        > 01 00 00 0d 10 00 00
        < 02 02 00 09 10 00 00
        > 0c \(publicKey)
        < 0c
        = enter
        > 03 \(zeros)
        ! passkey 000001
        < 03
        > 04 \(zeros)
        < 05 04
        = refused 4
        """),
    PDUScript(
        "SM/PER/SCJW/BV-01-C", "where legacy pairing is refused",
        """
        ! set secure-only
        > 01 03 00 01 10 00 00
        < 05 03
        = refused 3
        """),
    PDUScript(
        "SM/PER/JW/BI-01-C", "where protection is needed, Just Works will not do",
        """
        ! set mitm
        > 01 03 00 01 10 00 00
        < 05 03
        = refused 3
        """),
    PDUScript(
        "SMP 3.5.1", "a device that does not pair",
        """
        ! set unpairable
        > 01 03 00 01 10 00 00
        < 05 05
        """),
    PDUScript(
        "SMP 3.3", "commands that are not known, cut short or out of turn",
        """
        > 0f
        > 01 03 00
        < 05 0a
        > 03 \(zeros)
        > 01 03 00 01 10 00 00
        < 02 03 00 09 10 00 00
        > 0f 00
        > 04 \(zeros)
        < 05 08
        = refused 8
        > 01 05 00 01 10 00 00
        < 05 0a
        = refused 10
        """),
    PDUScript(
        "SMP 3.5.1", "out-of-band data that this device never gave",
        """
        > 01 03 01 09 10 00 00
        < 05 02
        = refused 2
        """),
    PDUScript(
        "SM/PER/SIE/BV-01-C", "asks for security; the central encrypts",
        """
        ! begin
        < 0b 09
        ! encrypted yes
        """),
    PDUScript(
        "SMP 2.4.6", "asks for security; the central pairs",
        """
        ! begin
        < 0b 09
        > 01 03 00 01 10 00 00
        < 02 03 00 09 10 00 00
        ! disconnect
        = disconnected
        """),
]

/// The central's side (SM.TS, CEN).
private let centralScripts = [
    PDUScript(
        "SM/CEN/PROT/BV-01-C", "nothing for 30 s ends pairing",
        """
        ! begin
        < 01 03 00 09 10 03 03
        ! wait 30
        = timed out
        ! begin
        """),
    PDUScript(
        "SM/CEN/JW/BV-05-C", "begins by Just Works",
        """
        ! begin
        < 01 03 00 09 10 03 03
        > 02 03 00 01 10 00 01
        < 03
        > 03 \(zeros)
        < 04
        """),
    PDUScript(
        "SM/CEN/JW/BI-01-C", "a random number that was not confirmed",
        """
        ! begin
        < 01 03 00 09 10 03 03
        > 02 03 00 01 10 00 00
        < 03
        > 03 \(zeros)
        < 04
        > 04 \(zeros)
        < 05 04
        = refused 4
        """),
    PDUScript(
        "SM/CEN/JW/BI-04-C", "the peripheral refuses",
        """
        ! begin
        < 01 03 00 09 10 03 03
        > 05 05
        = refused by peer 5
        """),
    PDUScript(
        "SM/CEN/KDU/BI-01-C", "a response with more keys than were asked for",
        """
        ! set unbonded
        ! begin
        < 01 03 00 08 10 00 00
        > 02 03 00 01 10 00 01
        < 05 0a
        = refused 10
        """),
    PDUScript(
        "SM/CEN/EKS/BI-01-C", "a key that is too short",
        """
        ! set key16
        ! begin
        < 01 03 00 09 10 03 03
        > 02 03 00 01 0f 00 00
        < 05 06
        = refused 6
        """),
    PDUScript(
        "SM/CEN/PKE/BV-01-C", "with a keyboard, confirms when the passkey is there",
        """
        ! set keyboard
        ! set mitm
        ! begin
        < 01 02 00 0d 10 03 03
        > 02 00 00 05 10 00 00
        = enter
        ! passkey 000000
        < 03
        """),
    PDUScript(
        "SMP 2.3.5.5", "a peripheral that confirms before the central has",
        """
        ! set keyboard
        ! set mitm
        ! begin
        < 01 02 00 0d 10 03 03
        > 02 00 00 05 10 00 00
        = enter
        > 03 \(zeros)
        < 05 08
        = refused 8
        """),
    PDUScript(
        "SM/CEN/SCJW/BV-01-C", "by Secure Connections tells its key first and sends no confirm",
        """
        ! begin
        < 01 03 00 09 10 03 03
        > 02 03 00 09 10 00 00
        < 0c
        > 0c \(publicKey)
        > 03 \(zeros)
        < 04
        > 04 \(zeros)
        < 05 04
        = refused 4
        """),
    PDUScript(
        "SM/CEN/SCPK/BI-01-C", "a public key off the curve",
        """
        ! begin
        < 01 03 00 09 10 03 03
        > 02 03 00 09 10 00 00
        < 0c
        > 0c \(publicKey.dropLast(2))00
        < 05 0a
        = refused 10
        """),
    PDUScript(
        "SMP 3.6.7", "a request of the peripheral's is for the owner to decide",
        """
        > 0b 01
        """),
    PDUScript(
        "SMP 3.5.1", "a central is not asked to pair",
        """
        > 01 03 00 01 10 00 00
        """),
]

private let zeros = String(repeating: "00", count: 16)

/// The public key of the first key pair in Vol 2, Part G, 7.1.2.1, in the byte order of SMP.
private let publicKey =
    hexText(hex("20b003d2 f297be2c 5e2c83a7 e9f9a5b9 eff49111 acf4fddb cc030148 0e359de6").reversed())
    + hexText(hex("dc809c49 652aeb6d 63329abf 5a52155c 766345c2 8fed3024 741c8ed0 1589d28b").reversed())

@Test(arguments: peripheralScripts)
func peripheralPairs(script: PDUScript) {
    var pairing = ScriptedPairing(isInitiator: false)
    script.run { pairing($0) }
}

@Test(arguments: centralScripts)
func centralPairs(script: PDUScript) {
    var pairing = ScriptedPairing(isInitiator: true)
    script.run { pairing($0) }
}
