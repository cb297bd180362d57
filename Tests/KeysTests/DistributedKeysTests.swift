import Bluetooth
import BluetoothCrypto
import Bytes
import Keys
import PDUTestKit
import Testing

/// Keys that devices distribute by SMP after pairing (Vol 3, Part H, 3.6).
struct DistributedKeysTests {
    private let phone = DeviceAddress(Address(value: 0x5B11_2233_4455), .random)
    private let puck = DeviceAddress(Address(value: 0xC0FF_EE00_0001), .random)
    private let identity = Address(value: 0x0A0B_0C0D_0E0F)

    private func observe(_ pdus: [(any SMP.PDU, fromInitiator: Bool)]) -> [KnownKey] {
        var observer = PairingObserver()
        var budget = PairingBudget()
        return pdus.enumerated().flatMap { index, pdu in
            observer.observe(
                SMP.encode(pdu.0), fromInitiator: pdu.fromInitiator, initiator: phone, responder: puck,
                frame: index + 1, ring: KeyRing(), &budget)
        }
    }

    /// Each side's Long Term Key with its name, which is known one command later.
    @Test func longTermKeysOfBothSidesHaveTheirNames() {
        let found = observe([
            (SMP.EncryptionInformation(longTermKey: 1), false), (SMP.EncryptionInformation(longTermKey: 2), true),
            (SMP.CentralIdentification(ediv: 0x2211, random: 7), false),
            (SMP.CentralIdentification(ediv: 0x4433, random: 9), true),
        ])
        let ring = KeyRing(found)
        let text = "SMP Encryption Information"
        #expect(
            ring.keys == [
                KnownKey(
                    .longTerm(SecretKey(1)), address: puck.address,
                    name: KnownKey.LegacyName(encryptedDiversifier: 0x2211, random: 7), origin: .frame(1, text)),
                KnownKey(
                    .longTerm(SecretKey(2)), address: phone.address,
                    name: KnownKey.LegacyName(encryptedDiversifier: 0x4433, random: 9), origin: .frame(2, text)),
            ])
    }

    @Test func aKeyWithoutItsNameIsStillAKey() {
        #expect(
            observe([(SMP.EncryptionInformation(longTermKey: 1), true)])
                == [
                    KnownKey(
                        .longTerm(SecretKey(1)), address: phone.address,
                        origin: .frame(1, "SMP Encryption Information"))
                ])
        // The name of another key is not its name.
        let found = observe([
            (SMP.EncryptionInformation(longTermKey: 1), true), (SMP.CentralIdentification(ediv: 1, random: 1), true),
            (SMP.EncryptionInformation(longTermKey: 2), true),
        ])
        #expect(found.map(\.name?.random) == [nil, 1, nil])
    }

    @Test func anIdentityKeyBelongsToTheIdentityAddress() {
        let found = observe([
            (SMP.IdentityInformation(identityResolvingKey: 5), true),
            (SMP.IdentityAddressInformation(addressType: 0, address: identity), true),
            (SMP.IdentityAddressInformation(addressType: 0, address: identity), true),
            (SMP.SigningInformation(signatureKey: 6), true),
        ])
        #expect(
            found == [
                KnownKey(
                    .identityResolving(SecretKey(5)), address: identity, origin: .frame(2, "SMP Identity Information")),
                KnownKey(
                    .signature(SecretKey(6)), address: phone.address, origin: .frame(4, "SMP Signing Information")),
            ])
    }

    /// Both sides' identity commands may be interleaved.
    @Test func identitiesOfTheSidesAreKeptApart() {
        let found = observe([
            (SMP.IdentityInformation(identityResolvingKey: 5), true),
            (SMP.IdentityAddressInformation(addressType: 1, address: puck.address), false),
            (SMP.IdentityInformation(identityResolvingKey: 6), false),
            (SMP.IdentityAddressInformation(addressType: 0, address: identity), true),
        ])
        #expect(found.map(\.address) == [puck.address, identity])
        #expect(found.map(\.value) == [.identityResolving(SecretKey(6)), .identityResolving(SecretKey(5))])
    }

    /// Samples distribute keys of zeros.
    @Test func keysOfZerosAreNone() {
        #expect(
            observe([
                (SMP.EncryptionInformation(longTermKey: 0), true),
                (SMP.CentralIdentification(ediv: 1, random: 1), true),
                (SMP.IdentityInformation(identityResolvingKey: 0), true),
                (SMP.IdentityAddressInformation(addressType: 0, address: identity), true),
                (SMP.SigningInformation(signatureKey: 0), true),
            ]) == [])
    }

    @Test func theKeysOfAnotherPairingStartAnew() {
        let features = SMP.PairingFeatures(
            ioCapability: .noInputNoOutput, requirements: SMP.AuthenticationRequirements(isBonding: true),
            initiatorKeys: SMP.KeyDistribution(), responderKeys: SMP.KeyDistribution())
        let found = observe([
            (SMP.CentralIdentification(ediv: 1, random: 1), true), (SMP.PairingRequest(features: features), true),
            (SMP.EncryptionInformation(longTermKey: 2), true),
        ])
        #expect(found.map(\.name) == [nil])
    }
}

/// Keys in HCI commands (Vol 4, Part E, 7.8.24, 7.8.25 and 7.8.38).
struct HostKeysTests {
    private let key = [UInt8](1...16)
    private let value = SecretKey(number("100f0e0d0c0b0a090807060504030201"))
    private let peer = Address(value: 0xC0FF_EE00_0001)

    /// A command with its opcode and length.
    private func bytes(_ command: some HCI.Command) -> [UInt8] {
        let parameters = ByteWriter.bytes { command.write(to: &$0) }
        return ByteWriter.bytes { $0.write(type(of: command).opcode) } + [UInt8(parameters.count)] + parameters
    }

    private func keys(_ bytes: [UInt8]) -> [KnownKey] {
        HostKeys.keys(inCommand: bytes.span.bytes, frame: 9)
    }

    @Test func enableEncryptionHasTheKeyAndItsName() {
        let named = HCI.LEEnableEncryption(
            handle: ConnectionHandle(0x40), randomNumber: [1, 0, 0, 0, 0, 0, 0, 2], encryptedDiversifier: 0x0304,
            longTermKey: key)
        #expect(
            keys(bytes(named)) == [
                KnownKey(
                    .longTerm(value),
                    name: KnownKey.LegacyName(encryptedDiversifier: 0x0304, random: 0x0200_0000_0000_0001),
                    origin: .frame(9, "LE Enable Encryption"))
            ])
        let unnamed = HCI.LEEnableEncryption(
            handle: ConnectionHandle(0x40), randomNumber: [UInt8](repeating: 0, count: 8), encryptedDiversifier: 0,
            longTermKey: key)
        #expect(keys(bytes(unnamed)).map(\.name) == [nil])
    }

    @Test func longTermKeyRequestReplyHasTheKey() {
        let reply = HCI.LELongTermKeyRequestReply(handle: ConnectionHandle(0x40), longTermKey: key)
        #expect(keys(bytes(reply)) == [KnownKey(.longTerm(value), origin: .frame(9, "LE Long Term Key Request Reply"))])
        let zeros = HCI.LELongTermKeyRequestReply(
            handle: ConnectionHandle(0x40), longTermKey: [UInt8](repeating: 0, count: 16))
        #expect(keys(bytes(zeros)) == [])
    }

    @Test func resolvingListHasTheKeysOfBothDevices() {
        let origin = KnownKey.Origin.frame(9, "LE Add Device To Resolving List")
        let entry = HCI.LEAddDeviceToResolvingList(
            peerType: .randomDevice, peer: peer, peerIRK: key, localIRK: [1] + [UInt8](repeating: 0, count: 15))
        #expect(
            keys(bytes(entry)) == [
                KnownKey(.identityResolving(value), address: peer, origin: origin),
                KnownKey(.identityResolving(SecretKey(1)), origin: origin),
            ])
        let zeros = [UInt8](repeating: 0, count: 16)
        let without = HCI.LEAddDeviceToResolvingList(
            peerType: .randomDevice, peer: peer, peerIRK: zeros, localIRK: zeros)
        #expect(keys(bytes(without)) == [])
    }

    /// LE Create BIG and LE BIG Create Sync with the Broadcast Code of 16 bytes (Vol 4, Part E, 7.8.103 and 7.8.106).
    @Test(arguments: [
        ("LE Create BIG", "6820 1f 00 01 02 102700 7800 0a00 02 02 00 00 01"),
        ("LE BIG Create Sync", "6b20 19 00 0100 01"),
    ])
    func broadcastCommandsHaveTheCode(name: String, head: String) {
        let tail = name == "LE Create BIG" ? [] : hex("00 6400 01 01")
        #expect(
            keys(hex(head) + key + tail) == [KnownKey(.broadcastCode(value), origin: .frame(9, name))])
        #expect(keys(hex(head) + [UInt8](repeating: 0, count: 16) + tail) == [])
        #expect(keys(hex(head) + key.dropLast()) == [])
    }

    @Test func cutAndOtherCommandsHaveNoKey() {
        let whole = bytes(HCI.LELongTermKeyRequestReply(handle: ConnectionHandle(0x40), longTermKey: key))
        for length in 0..<whole.count { #expect(keys(Array(whole.prefix(length))) == []) }
        #expect(keys([0x03, 0x0C, 0x00]) == [])
    }
}
