import Bluetooth
import BluetoothCrypto
import Keys
import Testing

/// The order in which keys are tried.
struct KeyRingTests {
    private let phone = Address(value: 0x1111_1111_1111)
    private let puck = Address(value: 0x2222_2222_2222)

    private func key(_ value: UInt128, _ address: Address? = nil, _ name: KnownKey.LegacyName? = nil) -> KnownKey {
        KnownKey(.longTerm(SecretKey(value)), address: address, name: name, origin: .given)
    }

    @Test func aKeyIsKnownOnce() {
        var ring = KeyRing([key(1)])
        #expect(ring.add(key(1, phone)) == nil)
        #expect(ring.add(key(2)) == 1)
        #expect(ring.keys.count == 2)
    }

    /// A key that is found twice, the second time with more about it.
    @Test func aKnownKeyGetsWhatItLacks() {
        let name = KnownKey.LegacyName(encryptedDiversifier: 7, random: 9)
        var ring = KeyRing([key(1)])
        #expect(ring.add(key(1, phone, name)) == nil)
        #expect(ring.keys == [key(1, phone, name)])
        #expect(ring.add(key(1, puck)) == nil)
        #expect(ring.keys == [key(1, phone, name)])
    }

    @Test func theKeyThatIsNamedComesFirstAndThoseOfTheDevicesBeforeOthers() {
        let name = KnownKey.LegacyName(encryptedDiversifier: 7, random: 9)
        let other = KnownKey.LegacyName(encryptedDiversifier: 8, random: 9)
        let ring = KeyRing([
            key(1, nil, other), key(2), key(3, Address(value: 3)), key(4, puck), key(5, nil, name),
        ])
        #expect(ring.sessionKeys(between: phone, puck, name: name) == [4, 3, 1, 2, 0])
    }

    @Test func onlyKeysOfLinksAreTried() {
        let ring = KeyRing([
            KnownKey(.identityResolving(SecretKey(1)), origin: .given),
            KnownKey(.shortTerm(SecretKey(2)), origin: .frame(3, "legacy pairing")),
        ])
        #expect(ring.sessionKeys(between: nil, nil, name: nil) == [1])
    }

    @Test func aKnownKeyGetsTheAddressAndTheNameThatItLacks() {
        let name = KnownKey.LegacyName(encryptedDiversifier: 7, random: 9)
        var ring = KeyRing([key(1)])
        #expect(ring.add(key(1, puck, name)) == nil)
        #expect(ring.keys == [key(1, puck, name)])
    }

    /// Decryption itself reverses keys that open packets.
    @Test func reversedCandidatesOfGivenKeysComeLast() {
        func resolving(_ value: UInt128, _ origin: KnownKey.Origin) -> KnownKey {
            KnownKey(.identityResolving(SecretKey(value)), address: puck, origin: origin)
        }
        var ring = KeyRing([resolving(1, .file("info")), resolving(2, .frame(3, "SMP")), key(4)])
        ring.addReversedCandidates()
        var others = KeyRing([
            KnownKey(.broadcastCode(SecretKey(5)), origin: .given),
            KnownKey(.advertising(SecretKey(6), vector: 7), origin: .given),
        ])
        others.addReversedCandidates()
        #expect(others.keys.count == 2)
        #expect(ring.keys.count == 4)
        #expect(ring.keys[3].value == .identityResolving(SecretKey(1 << 120)))
        #expect(ring.keys[3].isReversed && ring.keys[3].address == puck)
        ring.addReversedCandidates()
        #expect(ring.keys.count == 4)
        let found = resolving(1 << 120, .frame(5, "SMP"))
        #expect(ring.add(found) == 3)
        #expect(ring.keys[3] == found)
    }
}
