import Bluetooth
import Bytes
import Captures
import Conversation
import PDUTestKit
import TestKit
import Testing

@testable import Dissection

/// Assignment of advertised data to devices and profiles, and their decoding.
struct AdvertisedValueTests {
    /// A profile that decodes one byte of manufacturer data and two of service data.
    private static func profile(_ id: String, _ evidence: String) -> String {
        """
        profile: {id: \(id), title: \(id), version: 1.0.0, format: 1, licence: Apache-2.0}
        match: [\(evidence)]
        types:
          level: {type: u8}
          pair: {fields: [{name: one, type: u8}, {name: two, type: u8}]}
        advertising:
          - {manufacturer_data: 0xFFFF, value: level}
          - {service_data: 0xFFF0, value: pair}
        """
    }

    private let tag = profile("tag", "{manufacturer: {company: 0xFFFF, data: 01}, weight: 60}")
    private let lamp = profile("lamp", "{name: '^Lamp', weight: 60}")
    private let flags = GAP.AdvertisingStructure.flags([.leGeneralDiscoverable])
    private let level = GAP.AdvertisingStructure.manufacturerData(company: 0xFFFF, [0x02])

    /// The types decoded in the last frame of a session.
    private func readings(_ session: HCISession, _ profiles: [String]) throws -> [String] {
        let story = Story(session.recording, plugins: try PluginSet(profiles: profiles))
        return story.dissected(story.metadata.count).readings
    }

    @Test func dataTellWhoseTheyAre() throws {
        let session = HCISession()
        session.report(Cast.puck, [flags, .serviceData(0xFFF0, [1, 2])])
        #expect(try readings(session, [tag]) == ["tag.pair"])
    }

    @Test func manufacturerDataOfOthersAreNotRead() throws {
        let session = HCISession()
        session.report(Cast.puck, [level])
        #expect(try readings(session, [tag]) == [])
        #expect(try readings(session, [lamp]) == ["lamp.level"])
    }

    @Test func theDevicesPluginReadsWhatSeveralClaim() throws {
        let session = HCISession()
        session.report(Cast.puck, [.completeLocalName("Lamp")])
        session.report(Cast.puck, [.serviceData(0xFFF0, [1, 2])])
        #expect(try readings(session, [tag, lamp]) == ["lamp.pair"])
    }

    @Test func nobodyReadsWhatSeveralClaimOfAnUnknownDevice() throws {
        let session = HCISession()
        session.report(Cast.puck, [.serviceData(0xFFF0, [1, 2])])
        #expect(try readings(session, [tag, lamp]) == [])
    }

    @Test func aDeviceThatIsKnownMayAdvertiseOtherDataOfItsCompany() throws {
        let session = HCISession()
        session.report(Cast.puck, [.manufacturerData(company: 0xFFFF, [0x01])])
        session.report(Cast.puck, [level])
        #expect(try readings(session, [tag]) == ["tag.level"])
    }

    @Test func reportsOfOneEventAreToldApart() throws {
        let session = HCISession()
        session.report(Cast.puck, [.completeLocalName("Lamp")])
        let data = GAP.AdvertisingData([.serviceData(0xFFF0, [1, 2])]).encoded
        session.event(
            HCI.LEAdvertisingReport(
                reports: [Cast.counter, Cast.puck].map {
                    .init(eventType: 0, addressType: .randomDevice, address: $0.address, data: data, rssi: -60)
                }))
        let story = Story(session.recording, plugins: try PluginSet(profiles: [tag, lamp]))
        let frame = story.dissected(2)
        #expect(frame.readings == ["lamp.pair"])
        #expect(frame.values.map { story.batch.devices[$0.advertiser]?.address } == [Cast.puck])
    }

    @Test func anAnonymousReportTakesNobodysPlace() throws {
        let session = HCISession()
        let data = GAP.AdvertisingData([.serviceData(0xFFF0, [1, 2])]).encoded
        session.event(
            HCI.LEExtendedAdvertisingReport(reports: [
                .init(
                    eventType: 0, addressType: .anonymous, address: Address(value: 0), rssi: -60, data: data),
                .init(eventType: 0, addressType: .randomDevice, address: Cast.puck.address, rssi: -60, data: data),
            ]))
        let story = Story(session.recording, plugins: try PluginSet(profiles: [tag]))
        let devices = story.dissected(1).values.map { story.batch.devices[$0.advertiser]?.address }
        #expect(devices == [nil, Cast.puck])
    }

    @Test func serviceDataAreASign() throws {
        let session = HCISession()
        session.report(Cast.puck, [.serviceData(0xFFF0, [1, 2])])
        session.report(Cast.puck, [level])
        session.report(Cast.counter, [.serviceData(0xFFF0, [2, 2])])
        let signed = Self.profile("sensor", "{service_data: {uuid: 0xFFF0, data: 01}, weight: 60}")
        let story = Story(session.recording, plugins: try PluginSet(profiles: [signed]))
        #expect(story.dissected(2).readings == ["sensor.level"])
        // Service data with another prefix does not belong to the sensor.
        #expect(story.dissected(3).readings == [])
    }

    /// A profile that describes no device decodes only data that no other profile claims.
    @Test func whoDescribesNoDeviceComesLast() throws {
        let general = Self.profile("general", "").replacing("match: []\n", with: "")
        let session = HCISession()
        session.report(Cast.puck, [.serviceData(0xFFF0, [1, 2])])
        #expect(try readings(session, [general]) == ["general.pair"])
        #expect(try readings(session, [general, lamp]) == ["lamp.pair"])
    }

    @Test func whatIsHeardOnTheAirIsRead() throws {
        let air = AirSession()
        air.advertise(Cast.puck, [flags, .serviceData(0xFFF0, [1, 2])])
        let story = Story(air.recording, plugins: try PluginSet(profiles: [tag]))
        let frame = story.dissected(1)
        #expect(frame.readings == ["tag.pair"])
        let device = frame.recorder.fields.first { $0.field == FrameFields.device }
        let packet = Array(story.batch.packets.bytes[story.metadata[0].packet.range])
        let range = device.map { Int($0.offset)..<Int($0.offset + $0.length) } ?? 0..<0
        #expect(Array(packet[range]) == [1, 2])
    }

    // MARK: - Fragmented data

    /// Reports the data of the puck's advertising set in two fragments; the first has more data to come.
    private func reportInParts(_ session: HCISession, _ data: [UInt8], cutAt end: Int, rest: UInt16 = 0x0001) {
        for (type, part) in [(0x0021, data[..<end]), (rest, data[end...])] as [(UInt16, ArraySlice<UInt8>)] {
            session.event(
                HCI.LEExtendedAdvertisingReport(reports: [
                    .init(
                        eventType: type, addressType: .randomDevice, address: Cast.puck.address, sid: 1, rssi: -60,
                        data: Array(part))
                ]))
        }
    }

    /// Flags in bytes 0 to 2, a name up to byte 8, service data up to byte 14.
    private let data = GAP.AdvertisingData([
        .flags([.leGeneralDiscoverable]), .completeLocalName("Lamp"), .serviceData(0xFFF0, [1, 2]),
    ]).encoded

    /// The bytes in the middle of a structure look like separate structures.
    private let misleading = GAP.AdvertisingData([
        .flags([.leGeneralDiscoverable]),
        .manufacturerData(company: 0xFFFF, hex("01 05 09 4c616d70 05 16 f0ff 0102")),
    ]).encoded

    /// The advertising data of a frame: the buffer, reassembled or not, and the length.
    private func advertisingData(_ frame: DissectedFrame) -> [String] {
        frame.recorder.fields.filter { $0.field == GAP.Fields.advertisingData }.map { "\($0.buffer) \($0.length)" }
    }

    /// Data Status, Incomplete, more data to come (Vol 4, Part E, 7.7.65.13).
    @Test(arguments: 1..<15)
    func theLastPartHasTheWhole(cutAt end: Int) throws {
        let session = HCISession()
        reportInParts(session, data, cutAt: end)
        let story = Story(session.recording, plugins: try PluginSet(profiles: [lamp]))
        let (first, second) = (story.dissected(1), story.dissected(2))
        #expect(first.diagnoses + second.diagnoses == [])
        #expect(first.readings == [])
        #expect(second.readings == ["lamp.pair"])
        #expect(advertisingData(first) == ["frame \(end)"])
        #expect(advertisingData(second) == ["sdu 15"])
        #expect(story.peer(ofFrame: 2)?.name == "Lamp")
        let value = try #require(second.recorder.fields.first { $0.field == FrameFields.device })
        #expect(Array(story.batch.bytes(of: value, in: story.metadata[1])) == [1, 2])
        let rest = try #require(second.recorder.fields.first { $0.field == GAP.Fields.continuation })
        #expect(Int(rest.length) == 15 - end && rest.buffer == .frame)
    }

    @Test func aContinuationIsNoStructure() {
        let session = HCISession()
        reportInParts(session, misleading, cutAt: 8)
        let story = Story(session.recording)
        #expect(story.dissected(1).diagnoses + story.dissected(2).diagnoses == [])
        #expect(story.peer(ofFrame: 2)?.name == "")
    }

    /// Two sets in turn, with both in one event.
    @Test func setsAreToldApart() throws {
        let session = HCISession()
        let other = GAP.AdvertisingData([.completeLocalName("Other Lamp")]).encoded
        for (type, parts) in [(0x0021, (data[..<7], other[..<4])), (0x0001, (data[7...], other[4...]))] {
            session.event(
                HCI.LEExtendedAdvertisingReport(
                    reports: [(Cast.puck, parts.0), (Cast.counter, parts.1)].map { device, part in
                        .init(
                            eventType: UInt16(type), addressType: .randomDevice, address: device.address, sid: 1,
                            rssi: -60, data: Array(part))
                    }))
        }
        let story = Story(session.recording, plugins: try PluginSet(profiles: [lamp]))
        let last = story.dissected(2)
        #expect(last.diagnoses == [])
        #expect(advertisingData(last) == ["sdu 15", "sdu 12"])
        #expect(last.readings == ["lamp.pair"])
        #expect(last.values.map { story.batch.devices[$0.advertiser]?.address } == [Cast.puck])
        #expect(Set(story.batch.devices.values.map(\.name)).isSuperset(of: ["Lamp", "Other Lamp"]))
    }

    /// Data Status, Incomplete, data truncated: the last structure is cut.
    @Test func truncatedDataHaveACutStructure() {
        let session = HCISession()
        reportInParts(session, Array(data.dropLast(2)), cutAt: 7, rest: 0x0041)
        let story = Story(session.recording)
        #expect(story.dissected(1).diagnoses + story.dissected(2).diagnoses == [])
        #expect(advertisingData(story.dissected(2)) == ["sdu 13"])
        #expect(story.peer(ofFrame: 2)?.name == "Lamp")
    }

    /// A complete report follows the one with the last fragment.
    @Test(arguments: [0x0001, 0x0041] as [UInt16])
    func dataAreWholeAfterTheLastPart(rest: UInt16) {
        let session = HCISession()
        reportInParts(session, misleading, cutAt: 8, rest: rest)
        session.event(
            HCI.LEExtendedAdvertisingReport(reports: [
                .init(
                    eventType: 0x0001, addressType: .randomDevice, address: Cast.puck.address, sid: 1, rssi: -60,
                    data: data)
            ]))
        let story = Story(session.recording)
        #expect(advertisingData(story.dissected(3)) == ["frame 15"])
        #expect(story.peer(ofFrame: 3)?.name == "Lamp")
    }

    @Test func aCutStructureOfCompleteDataIsAnError() {
        let session = HCISession()
        session.event(
            HCI.LEExtendedAdvertisingReport(reports: [
                .init(
                    eventType: 0x0001, addressType: .randomDevice, address: Cast.puck.address, sid: 1, rssi: -60,
                    data: Array(misleading.prefix(8)))
            ]))
        reportInParts(session, Array(data.dropLast(2)), cutAt: 7)
        let story = Story(session.recording)
        #expect(story.dissected(1).diagnoses.map(\.layer) == ["bthci_evt"])
        #expect(story.dissected(2).diagnoses == [])
        #expect(story.dissected(3).diagnoses.map(\.layer) == ["bthci_evt"])
    }

    /// LE Periodic Advertising Report of both versions, and responses (Vol 4, Part E, 7.7.65.15 and 7.7.65.37): Data
    /// Status 1, then 0. LE Set Extended Advertising Data and LE Set Periodic Advertising Data (7.8.54, 7.8.62): the
    /// first and the last fragment, then one of other data.
    @Test(arguments: [
        ["04 3e0f 0f 0500 7f c4 ff 01 07 020102 0509 4c61", "04 3e10 0f 0500 7f c4 ff 00 08 6d70 0516 f0ff 0102"],
        [
            "04 3e12 25 0500 7f c4 ff 0900 02 01 07 020102 0509 4c61",
            "04 3e13 25 0500 7f c4 ff 0a00 02 00 08 6d70 0516 f0ff 0102",
        ],
        [
            "04 3e12 28 01 02 00 01 7f c4 ff 03 01 07 020102 0509 4c61",
            "04 3e13 28 01 02 00 01 7f c4 ff 03 00 08 6d70 0516 f0ff 0102",
        ],
        ["01 3720 0b 01 01 01 07 020102 0509 4c61", "01 3720 0c 01 02 01 08 6d70 0516 f0ff 0102"],
        ["01 3f20 0a 01 01 07 020102 0509 4c61", "01 3f20 0b 01 02 08 6d70 0516 f0ff 0102"],
    ])
    func periodicAndOwnDataComeInPartsToo(packets: [String]) throws {
        let session = HCISession()
        for packet in packets + packets.suffix(1) {
            session.record(hex(packet), packet.hasPrefix("01") ? .sent : .received)
        }
        let story = Story(session.recording)
        #expect(story.dissected(1).diagnoses + story.dissected(2).diagnoses == [])
        #expect(advertisingData(story.dissected(1)) == ["frame 7"])
        #expect(advertisingData(story.dissected(2)) == ["sdu 15"])
        #expect(Array(story.batch.bytes(of: story.metadata[1].sdu)) == data)
        #expect(story.metadata[2].sdu == .none)
    }

    /// AUX_ADV_IND with an AuxPtr, and the AUX_CHAIN_INDs that it points to (Vol 6, Part B, 2.3.4.9).
    private func chain(_ air: AirSession, _ parts: [ArraySlice<UInt8>], withoutPart missing: Int? = nil) {
        let info = LL.AdvertisingDataInfo(rawValue: 0x1123)
        for (index, part) in parts.enumerated() where index != missing {
            let pdu = LL.ExtendedAdvertising(
                mode: .nonconnectableNonscannable, advertiser: index == 0 ? Cast.puck.address : nil, dataInfo: info,
                auxPointer: index == parts.count - 1
                    ? nil : LL.AuxPointer(channelBits: UInt8(11 + index), offsetBits: 20), data: Array(part))
            let header = LL.AdvertisingHeader(type: .advExtInd, txAdd: .random, length: pdu.encoded.count)
            // PDU type 1 of the pseudo-header is auxiliary advertising, whose type is in bits 12 and 13.
            air.record(
                header.encoded + pdu.encoded, address: .advertising, crcInit: LL.advertisingCRCInit,
                channel: LL.Channel(rawValue: UInt8(10 + index)), traffic: 1 | (index == 0 ? 0 : 1 << 5))
        }
    }

    @Test func aChainOfTheAirHasTheWhole() throws {
        let air = AirSession()
        chain(air, [data[..<5], data[5..<8], data[8...]])
        let story = Story(air.recording, plugins: try PluginSet(profiles: [lamp]))
        let frames = (1...3).map(story.dissected)
        #expect(frames.flatMap(\.diagnoses) == [])
        #expect(frames.flatMap(\.readings) == ["lamp.pair"])
        #expect(frames.map(advertisingData) == [["frame 5"], [], ["sdu 15"]])
        #expect(story.peer(ofFrame: 3)?.name == "Lamp")
        #expect(story.metadata[2].sender == story.metadata[0].sender)
    }

    /// After a missing PDU of the chain, the later ones continue nothing.
    @Test(arguments: [0, 1])
    func aChainWithoutAPartIsBytes(missing: Int) {
        let air = AirSession()
        chain(air, [data[..<5], data[5..<8], data[8...]], withoutPart: missing)
        let story = Story(air.recording)
        let last = story.dissected(2)
        #expect(last.diagnoses == [])
        #expect(advertisingData(last) == [])
        #expect(last.recorder.fields.contains { $0.field == GAP.Fields.continuation })
    }
}
