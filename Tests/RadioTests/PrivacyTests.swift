import Bluetooth
import BluetoothCrypto
import PDUTestKit
import Radio
import Testing

/// Changing addresses, and controllers that resolve them.
@Suite struct PrivacyTests {
    private static let key = [UInt8](1...16)
    private static let zero = [UInt8](repeating: 0, count: 16)

    /// Adds a peer to the resolving list and enables address resolution.
    private func list(_ bed: inout TestBed, _ index: Int, peer: Int, peerKey: [UInt8], localKey: [UInt8]) {
        bed.send(
            index,
            HCI.LEAddDeviceToResolvingList(
                peerType: .publicDevice, peer: TestBed.address(peer), peerIRK: peerKey, localIRK: localKey))
        bed.send(index, 0x202D, ["le_address_resolution_enable": 1])
        #expect(bed.status(index) == .success)
    }

    private func advertisePrivately(_ bed: inout TestBed) {
        bed.send(
            1,
            HCI.LESetAdvertisingParameters(
                intervalMin: 0x20, intervalMax: 0x20, ownType: .publicIdentity, peerType: .publicDevice,
                peer: TestBed.address(0)))
        bed.send(1, HCI.LESetAdvertisingEnable(enable: true))
    }

    private func scan(_ bed: inout TestBed) -> [HCI.LEAdvertisingReport.Report] {
        bed.send(0, HCI.LESetScanParameters(type: 0, interval: 0x10, window: 0x10, ownType: .publicDevice))
        bed.send(0, HCI.LESetScanEnable(enable: true, filterDuplicates: true))
        bed.pass(300)
        bed.send(0, HCI.LESetScanEnable(enable: false, filterDuplicates: false))
        return TestBed.events(HCI.LEAdvertisingReport.self, in: bed.take(0)).flatMap(\.reports)
    }

    @Test func aStrangerSeesAnAddressThatChanges() throws {
        var bed = TestBed(2)
        list(&bed, 1, peer: 0, peerKey: Self.zero, localKey: Self.key)
        bed.send(1, 0x202E, ["le_rpa_timeout": 60])
        advertisePrivately(&bed)
        let first = try #require(scan(&bed).first)
        #expect(first.addressType == .randomDevice)
        #expect(first.address.randomKind == .resolvablePrivate)
        let key = SecretKey(Self.key.reversed().reduce(0) { $0 << 8 | UInt128($1) })
        #expect(PrivateAddress.isResolved(DeviceAddress(first.address, .random), by: key))
        #expect(scan(&bed).first?.address == first.address)
        bed.pass(60_000)
        let later = try #require(scan(&bed).first)
        #expect(later.address != first.address)
        #expect(PrivateAddress.isResolved(DeviceAddress(later.address, .random), by: key))
    }

    @Test func whoHasTheKeySeesTheIdentity() throws {
        var bed = TestBed(2)
        list(&bed, 1, peer: 0, peerKey: Self.zero, localKey: Self.key)
        list(&bed, 0, peer: 1, peerKey: Self.key, localKey: Self.zero)
        advertisePrivately(&bed)
        let report = try #require(scan(&bed).first)
        #expect(report.addressType == .publicIdentity)
        #expect(report.address == TestBed.address(1))
        bed.connect()
        bed.pass(200)
        let event = try #require(TestBed.events(HCI.LEEnhancedConnectionComplete.self, in: bed.take(0)).first)
        #expect(event.peerType == .publicIdentity)
        #expect(event.peer == TestBed.address(1))
        #expect(event.peerResolvable.randomKind == .resolvablePrivate)
        bed.send(
            0, 0x202B, ["le_peer_identity_address_type": 0, "bd_addr": .number(TestBed.address(1).value)])
        #expect(bed.returned(0).map { $0.count } == 7)
    }

    @Test func anIdentityIsNotEnoughForWhoHasAKey() {
        var bed = TestBed(2)
        list(&bed, 0, peer: 1, peerKey: Self.key, localKey: Self.zero)
        bed.advertise()
        #expect(scan(&bed).isEmpty)
        bed.send(
            0, 0x204E,
            [
                "le_peer_identity_address_type": 0, "bd_addr": .number(TestBed.address(1).value), "le_privacy_mode": 1,
            ])
        #expect(scan(&bed).map(\.address) == [TestBed.address(1)])
    }

    @Test func theListHasItsLimits() {
        var bed = TestBed(1)
        for number in 0..<17 as Range<UInt64> {
            bed.send(
                0,
                HCI.LEAddDeviceToResolvingList(
                    peerType: .randomDevice, peer: Address(value: number), peerIRK: Self.key, localIRK: Self.key))
        }
        #expect(bed.status(0) == .memoryCapacityExceeded)
        bed.send(0, 0x2028, ["le_peer_identity_address_type": 1, "bd_addr": 99])
        #expect(bed.status(0) == .unknownConnectionIdentifier)
        bed.send(0, "01 29 20 00")
        bed.send(0, 0x2028, ["le_peer_identity_address_type": 1, "bd_addr": 1])
        #expect(bed.status(0) == .unknownConnectionIdentifier)
    }
}
