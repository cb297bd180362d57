import Bluetooth
import BluetoothCrypto
import Bytes
import Dissection
import Keys
import PDUTestKit
import TestKit
import Testing

@testable import Conversation

/// Encrypted Advertising Data, with the sample data of the Supplement to the Core Specification, Part A, 2.3.1.
struct EncryptedAdvertisingTests {
    private static let key = SecretKey(0x57A9_DA12_D12E_6E13_1E20_612A_D10A_6A19)
    private static let vector: UInt64 = 0x9E7A_00EF_B17A_E746
    private static let given = KnownKey(.advertising(key, vector: vector), origin: .given)
    /// Randomizer, encrypted payload and MIC.
    private static let sealed = hex("18e157cade 74e4dcafdc51c7282810c2217f0e4cef4343181f ba0069cc")
    /// «Short Mini-Bus» and an appearance.
    private static let plain = hex("0f0953686f7274204d696e692d427573 03190a8c")
    /// The characteristic Encrypted Data Key Material at 0x0003.
    private static let layout = ServerLayout(.service(0x1800, .characteristic(0x2B88, [.read, .indicate])))
    private static let material = hex("57a9da12d12e6e131e20612ad10a6a19 9e7a00efb17ae746")

    private let air = AirSession()

    private func advertise() {
        air.advertise(Cast.puck, [GAP.AdvertisingStructure(.encryptedData, Self.sealed)])
    }

    private func tracked(_ keys: [KnownKey]) -> (tracker: Tracker, batch: TrackedBatch) {
        var tracker = Tracker(keys: KeyRing(keys))
        let batch = tracker.track(air.recording.batch)
        return (tracker, batch)
    }

    /// The plain text in a frame.
    private func opened(_ batch: TrackedBatch, _ frame: Int) -> [UInt8]? {
        batch.reassembly.openedAdvertising[frame]?.values.first.map { Array(batch.bytes(of: $0)) }
    }

    @Test func aGivenKeyOpensIt() {
        advertise()
        let (tracker, batch) = tracked([Self.given])
        #expect(opened(batch, 1) == Self.plain)
        #expect(tracker.devices.devices.first?.name == "Short Mini-Bus")
    }

    @Test func bytesInTheWrongOrderAreTriedAsWell() {
        advertise()
        let reversed = KnownKey(
            .advertising(SecretKey(Self.key.value.byteSwapped), vector: Self.vector.byteSwapped), origin: .given)
        #expect(opened(tracked([reversed]).batch, 1) == Self.plain)
    }

    @Test(arguments: [
        [], [KnownKey(.advertising(SecretKey(1), vector: vector), origin: .given)],
        [KnownKey(.identityResolving(key), origin: .given)],
    ])
    func withoutItsKeyItStaysClosed(keys: [KnownKey]) {
        advertise()
        let (tracker, batch) = tracked(keys)
        #expect(batch.reassembly.bytes.isEmpty)
        #expect(tracker.devices.devices.first?.name == "")
    }

    @Test(arguments: [0, 4, 8, 9])
    func aStructureThatIsTooShortStaysClosed(count: Int) {
        air.advertise(Cast.puck, [GAP.AdvertisingStructure(.encryptedData, Array(Self.sealed.prefix(count)))])
        #expect(opened(tracked([Self.given]).batch, 1) == nil)
    }

    @Test func theKeyOfTheDeviceIsTriedAmongMany() {
        advertise()
        let others = (1...100 as ClosedRange<UInt128>).map {
            KnownKey(.advertising(SecretKey($0), vector: 0), origin: .given)
        }
        let own = KnownKey(Self.given.value, address: Cast.puck.address, origin: .given)
        #expect(opened(tracked([own] + others).batch, 1) == Self.plain)
    }

    @Test func theKeyThatHasOpenedTheLastDataNeedsNoBudget() {
        advertise()
        advertise()
        var tracker = Tracker(keys: KeyRing([Self.given]))
        #expect(opened(tracker.track(air.recording.batch), 1) == Self.plain)
        tracker.searchBudget.charge(tracker.searchBudget.rest)
        #expect(opened(tracker.track(air.recording.batch), 2) == Self.plain)
        var other = Tracker(keys: KeyRing([Self.given]))
        other.searchBudget.charge(other.searchBudget.rest)
        #expect(opened(other.track(air.recording.batch), 1) == nil)
    }

    @Test(arguments: ["read", "read long", "indicated"])
    func theKeyIsLearnedFromTheCharacteristic(way: String) throws {
        let link = air.connect(Cast.phone, to: Cast.puck)
        link.discover(Self.layout)
        let handle = Handle(0x0003)
        switch way {
        case "read long": link.readLong(handle, Self.material)
        case "read":
            link.exchangeMTU(client: 64, server: 64)
            link.mtu = 64
            link.read(handle, Self.material)
        default:
            link.exchangeMTU(client: 64, server: 64)
            link.mtu = 64
            link.indicate(handle, Self.material)
        }
        link.disconnect()
        advertise()
        let (tracker, batch) = tracked([])
        let learned = try #require(tracker.keys.keys.first)
        #expect(learned.value == Self.given.value)
        #expect(learned.address == Cast.puck.address)
        #expect(opened(batch, air.recording.packets.count) == Self.plain)
    }

    @Test func theStructuresFollowTheDataInTheTree() {
        advertise()
        let batch = tracked([Self.given]).batch
        let frame = DissectedFrame()
        Dissector().dissect(batch.metadata[0], of: batch, into: frame)
        let names = frame.recorder.fields.filter { $0.field == GAP.Fields.deviceName }
        #expect(names.map(\.buffer) == [.sdu])
        #expect(names.map(\.offset) == [2])
        #expect(frame.diagnoses.isEmpty)
        let data = frame.recorder.fields.filter { $0.field == GAP.Fields.advertisingData }
        #expect(data.map(\.buffer) == [.frame, .sdu])
    }
}
