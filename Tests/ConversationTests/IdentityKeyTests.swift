import Bluetooth
import BluetoothCrypto
import Captures
import Dissection
import Keys
import TestKit
import Testing

@testable import Conversation

/// Private addresses whose key a capture contains. Key and address are the sample data of Vol 3, Part H, D.7: the
/// random part 708194 and its hash 0dfbaa.
struct IdentityKeyTests {
    private let key: UInt128 = 0xEC02_34A3_57C8_AD05_3410_10A6_0A39_7D9B
    private let privateAddress = DeviceAddress(Address(value: 0x7081_940D_FBAA), .random)
    private let identity = DeviceAddress(Address(value: 0x24B1_6522_B793), .public)
    private let session = HCISession()

    private var story: Story { Story(session.recording) }

    private func addToResolvingList(_ key: UInt128) {
        let bytes = (0..<16).map { UInt8(truncatingIfNeeded: key >> (8 * UInt128($0))) }
        session.command(
            HCI.LEAddDeviceToResolvingList(
                peerType: .publicDevice, peer: identity.address, peerIRK: bytes,
                localIRK: Array(repeating: 0, count: 16)))
    }

    @Test func theResolvingListNamesTheOwnerOfLaterAddresses() {
        session.report(identity, [])
        addToResolvingList(key)
        session.report(privateAddress, [])
        #expect(story.metadata[2].sender == story.metadata[0].sender)
        #expect(story.peer(ofFrame: 3)?.address == identity)
    }

    @Test func aKeyToldLateNamesTheOwnerOfEarlierAddresses() {
        session.report(privateAddress, [])
        addToResolvingList(key)
        session.report(privateAddress, [])
        session.report(identity, [])
        #expect(story.metadata[2].sender == story.metadata[3].sender)
    }

    @Test func anotherKeyNamesNobody() {
        session.report(identity, [])
        addToResolvingList(key + 1)
        session.report(privateAddress, [])
        #expect(story.metadata[2].sender != story.metadata[0].sender)
        #expect(story.peer(ofFrame: 3)?.address == privateAddress)
    }

    @Test func pairingTellsTheKey() {
        let link = session.connect(to: DeviceAddress(Address(value: 0x5A00_0000_0001), .random))
        link.security(SMP.IdentityInformation(identityResolvingKey: key), .received)
        link.security(SMP.IdentityAddressInformation(addressType: 0, address: identity.address), .received)
        link.disconnect()
        session.report(privateAddress, [])
        session.report(identity, [])
        let metadata = story.metadata
        #expect(metadata[metadata.count - 2].sender == metadata[metadata.count - 1].sender)
    }

    @Test func aPrivateAddressIsNobodysIdentity() {
        var table = DeviceTable()
        let first = table.index(of: privateAddress)
        table.learn(SecretKey(key), of: privateAddress)
        #expect(table.resolved(first) == first)
    }

    // MARK: - Given keys

    private func story(_ address: Address?) -> Story {
        Story(
            session.recording,
            keys: [KnownKey(.identityResolving(SecretKey(key)), address: address, origin: .given)])
    }

    @Test func aGivenKeyNamesItsOwner() {
        session.report(privateAddress, [])
        session.report(identity, [])
        let story = story(identity.address)
        #expect(story.metadata[0].sender == story.metadata[1].sender)
    }

    @Test func aGivenKeyWithoutAnAddressJoinsTheAddressesThatItResolves() {
        let others = (1...3 as ClosedRange<UInt32>).map {
            DeviceAddress(PrivateAddress.resolvable(key: SecretKey(key), random: $0), .random)
        }
        session.report(privateAddress, [])
        for other in others { session.report(other, []) }
        session.report(Cast.puck, [])
        let story = story(nil)
        #expect(story.metadata.prefix(4).allSatisfy { $0.sender == story.metadata[0].sender })
        #expect(story.metadata[4].sender != story.metadata[0].sender)
        #expect(story.peer(ofFrame: 4)?.address == privateAddress)
    }

    @Test func reversedCandidatesOfManyKeysTakeNoPlaceOfTheKeys() {
        session.report(privateAddress, [])
        session.report(identity, [])
        var ring = KeyRing([
            KnownKey(.identityResolving(SecretKey(key)), address: identity.address, origin: .file("keys"))
        ])
        for other in 1...60 as ClosedRange<UInt128> {
            _ = ring.add(KnownKey(.identityResolving(SecretKey(other)), origin: .file("keys")))
        }
        ring.addReversedCandidates()
        let story = Story(session.recording, keys: ring.keys)
        #expect(story.metadata[0].sender == story.metadata[1].sender)
    }

    @Test func aKeyOfZerosResolvesNothing() {
        session.report(privateAddress, [])
        session.report(Cast.puck, [])
        let story = Story(
            session.recording, keys: [KnownKey(.identityResolving(SecretKey(0)), origin: .given)])
        #expect(story.metadata[0].sender != story.metadata[1].sender)
    }
}
