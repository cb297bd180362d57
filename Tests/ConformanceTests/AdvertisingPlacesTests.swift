import Bluetooth
import Bytes
import Captures
import Conformance
import PDUTestKit
import TestKit
import Testing

/// The rules of advertising data apply to every PDU, command and event that carries it.
struct AdvertisingPlacesTests {
    /// A carrier of advertising data, and a recording with it.
    struct Place: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let record: @Sendable ([UInt8]) -> Recording

        static func air(_ name: String, _ record: @escaping @Sendable (AirSession, [UInt8]) -> Void) -> Self {
            Self(testDescription: name) { data in
                let air = AirSession()
                record(air, data)
                return air.recording
            }
        }

        static func hci(_ name: String, _ record: @escaping @Sendable (HCISession, [UInt8]) -> Void) -> Self {
            Self(testDescription: name) { data in
                let session = HCISession()
                record(session, data)
                return session.recording
            }
        }
    }

    private static let info = LL.AdvertisingDataInfo(rawValue: 0x0123)

    private static func extended(_ data: some Sequence<UInt8>, isChained: Bool = false) -> LL.ExtendedAdvertising {
        LL.ExtendedAdvertising(
            mode: .nonconnectableNonscannable, advertiser: Cast.puck.address, dataInfo: info,
            auxPointer: isChained ? LL.AuxPointer(channelBits: 11, offsetBits: 20) : nil, data: Array(data))
    }

    private static func chain(_ data: some Sequence<UInt8>) -> LL.ExtendedAdvertising {
        LL.ExtendedAdvertising(mode: .nonconnectableNonscannable, dataInfo: info, data: Array(data))
    }

    /// LE Periodic Advertising Sync Established [v1].
    private static func synchronize(_ session: HCISession) {
        session.event(
            [0x3E, 0x10, 0x0E, 0x00, 0x05, 0x00, 0x01, 0x01] + ByteWriter.bytes { $0.write(Cast.puck.address) }
                + hex("01 5000 00"))
    }

    static let places: [Place] = [
        .air("ADV_IND") { air, data in
            let payload = LL.UndirectedAdvertising(advertiser: Cast.puck.address, data: data).encoded
            air.advertising(LL.AdvertisingHeader(type: .advInd, txAdd: .random, length: payload.count), payload)
        },
        .air("SCAN_RSP") { air, data in
            let payload = LL.UndirectedAdvertising(advertiser: Cast.puck.address, data: data).encoded
            air.advertising(LL.AdvertisingHeader(type: .scanRsp, txAdd: .random, length: payload.count), payload)
        },
        .air("AUX_ADV_IND") { air, data in air.advertiseExtended(Cast.puck, data) },
        .air("AUX_ADV_IND after ADV_EXT_IND with the address") { air, data in
            let pointer = LL.AuxPointer(channelBits: 11, offsetBits: 16)
            let primary = LL.ExtendedAdvertising(
                mode: .nonconnectableNonscannable, advertiser: Cast.puck.address, dataInfo: info, auxPointer: pointer
            ).encoded
            air.advertising(
                LL.AdvertisingHeader(type: .advExtInd, txAdd: .random, length: primary.count), primary)
            air.extended(chain(data), auxiliary: 0)
        },
        .air("AUX_ADV_IND and AUX_CHAIN_IND") { air, data in
            air.extended(extended(data.prefix(2), isChained: true), auxiliary: 0)
            air.extended(chain(data.dropFirst(2)), auxiliary: 1)
        },
        .air("AUX_SCAN_RSP") { air, data in air.extended(extended(data), auxiliary: 3) },
        .air("AUX_SCAN_RSP and AUX_CHAIN_IND") { air, data in
            air.extended(extended(data.prefix(2), isChained: true), auxiliary: 3)
            air.extended(chain(data.dropFirst(2)), auxiliary: 1)
        },
        .air("AUX_SYNC_IND") { air, data in
            air.advertiseExtended(Cast.puck, [], syncInfo: AirTrain().syncInfo(offset: 7500, event: 1))
            air.periodic(AirTrain(), data)
        },
        .hci("LE Advertising Report") { session, data in
            session.event(
                HCI.LEAdvertisingReport(reports: [
                    .init(
                        eventType: 0, addressType: HCI.AddressType(rawValue: 1), address: Cast.puck.address, data: data,
                        rssi: -60)
                ]))
        },
        .hci("LE Periodic Advertising Report [v1]") { session, data in
            synchronize(session)
            session.event(
                [0x3E, UInt8(8 + data.count), 0x0F] + hex("0500 7f c4 ff 00") + [UInt8(data.count)] + data)
        },
        .hci("LE Periodic Advertising Report [v1] in parts") { session, data in
            synchronize(session)
            session.event([0x3E, 10, 0x0F] + hex("0500 7f c4 ff 01 02") + data.prefix(2))
            session.event(
                [0x3E, UInt8(6 + data.count), 0x0F] + hex("0500 7f c4 ff 00") + [UInt8(data.count - 2)]
                    + data.dropFirst(2))
        },
        .hci("LE Periodic Advertising Report [v2]") { session, data in
            synchronize(session)
            session.event(
                [0x3E, UInt8(11 + data.count), 0x25] + hex("0500 7f c4 ff 0100 00 00") + [UInt8(data.count)] + data)
        },
        .hci("LE Set Advertising Data") { session, data in session.command(HCI.LESetAdvertisingData(data: data)) },
        .hci("LE Set Scan Response Data") { session, data in
            session.command(HCI.LESetScanResponseData(data: data))
        },
        .hci("LE Set Extended Advertising Data") { session, data in
            session.command(hex("3720") + [UInt8(4 + data.count), 0, 3, 0, UInt8(data.count)] + data)
        },
        .hci("LE Set Extended Advertising Data in parts") { session, data in
            session.command(hex("3720 06 00 01 00 02") + data.prefix(2))
            session.command(hex("3720") + [UInt8(2 + data.count), 0, 2, 0, UInt8(data.count - 2)] + data.dropFirst(2))
        },
        .hci("LE Set Extended Scan Response Data") { session, data in
            session.command(hex("3820") + [UInt8(4 + data.count), 0, 3, 0, UInt8(data.count)] + data)
        },
        .hci("LE Set Periodic Advertising Data") { session, data in
            session.command(hex("3f20") + [UInt8(3 + data.count), 0, 3, UInt8(data.count)] + data)
        },
        .hci("LE Set Periodic Advertising Subevent Data") { session, data in
            session.command(hex("8220") + [UInt8(6 + data.count), 0, 1, 0, 0, 1, UInt8(data.count)] + data)
        },
        .hci("LE Set Periodic Advertising Response Data") { session, data in
            session.command(
                hex("8320") + [UInt8(8 + data.count)] + hex("0500 0100 00 00 00") + [UInt8(data.count)] + data)
        },
    ]

    @Test(arguments: places)
    func dataThatOverrunFail(_ place: Place) {
        let recording = place.record(hex("0409416263 0916faff 010b03 5f"))
        let checked = CheckedCapture(recording, core: CoreRules.all)
        #expect(checked.verdicts("CORE-ADV-01") == [.fail])
        #expect(checked.frames("CORE-ADV-01") == [recording.packets.count])
    }

    @Test(arguments: places)
    func goodDataPass(_ place: Place) {
        let checked = CheckedCapture(place.record(hex("0409416263 0416faff01")), core: CoreRules.all)
        #expect(checked.verdicts("CORE-ADV-01") == [.pass])
        #expect(checked.broken == [])
    }

    @Test func flagsAreInNoScanResponse() {
        for name in [
            "SCAN_RSP", "AUX_SCAN_RSP", "LE Set Scan Response Data", "LE Set Extended Scan Response Data",
        ] {
            let place = Self.places.first { $0.testDescription == name }
            let recording = place?.record(hex("020106")) ?? Recording(.air)
            #expect(CheckedCapture(recording, core: CoreRules.all).verdicts("CORE-ADV-06") == [.fail], "\(name)")
        }
    }

    /// A host's own advertising data is not data received from it: device rules see neither.
    @Test func dataOfTheHostBelongToItsAdapter() {
        let session = HCISession()
        session.readAddress(Address(value: 0x00_1A7D_DA7101))
        session.command(HCI.LESetAdvertisingData(data: hex("0916faff 01")))
        let report = CheckedCapture(session.recording, core: CoreRules.all).report
        #expect(report.devices.map(\.address) == ["00:1a:7d:da:71:01"])
    }
}
