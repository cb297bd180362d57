import BluetoothTypes
import Bytes
import Captures
import Conversation
import GAP
import HCI
import LinkLayer
import TestKit
import Testing

@testable import Dissection

/// Whose advertised data are, and where they are read.
struct AdvertisedValueTests {
    /// A profile that reads a byte of manufacturer data and two of service data.
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

    /// What the last frame of a session is read as.
    private func readings(_ session: HCISession, _ profiles: [String]) throws -> [String] {
        let story = Story(session.recording, plugins: try PluginSet(profiles: profiles))
        return story.dissected(story.facts.count).readings
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
        // Data of the service that begin otherwise are not the sensor's.
        #expect(story.dissected(3).readings == [])
    }

    /// A profile that describes no device reads what no other one does.
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
        let packet = Array(story.batch.packets.bytes[story.facts[0].packet.range])
        let range = device.map { Int($0.offset)..<Int($0.offset + $0.length) } ?? 0..<0
        #expect(Array(packet[range]) == [1, 2])
    }

    // MARK: - Data in parts

    /// Reports the data of the puck's advertising set in two parts: the first one has more data to come.
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

    /// The bytes in the middle of a structure look like structures of their own.
    private let misleading = GAP.AdvertisingData([
        .flags([.leGeneralDiscoverable]),
        .manufacturerData(company: 0xFFFF, hex("01 05 09 4c616d70 05 16 f0ff 0102")),
    ]).encoded

    /// Data Status, Incomplete, more data to come (Vol 4, Part E, 7.7.65.13).
    @Test func aPartOfTheDataIsBytesAndNoError() throws {
        let session = HCISession()
        reportInParts(session, misleading, cutAt: 8)
        let story = Story(session.recording, plugins: try PluginSet(profiles: [tag, lamp]))
        let (first, second) = (story.dissected(1), story.dissected(2))
        #expect(first.diagnoses + second.diagnoses == [])
        #expect(second.readings == [])
        let rest = try #require(second.recorder.fields.first { $0.field == GAP.Fields.continuation })
        #expect(Int(rest.length) == misleading.count - 8)
        #expect(!second.recorder.fields.contains { $0.field == GAP.Fields.advertisingData })
        #expect(story.peer(ofFrame: 2)?.name == "")
        #expect(story.batch.advertisers[story.facts[1].sender]?.plugin ?? -1 == -1)
    }

    /// A report that has the last part is followed by one that has all.
    @Test(arguments: [(0x0001, true), (0x0041, true), (0x0021, false)] as [(UInt16, Bool)])
    func dataAreWholeAfterTheLastPart(rest: UInt16, isWhole: Bool) {
        let session = HCISession()
        reportInParts(session, misleading, cutAt: 8, rest: rest)
        reportInParts(session, GAP.AdvertisingData([.completeLocalName("Lamp")]).encoded, cutAt: 6)
        #expect(Story(session.recording).peer(ofFrame: 3)?.name == (isWhole ? "Lamp" : ""))
    }

    @Test func aCutStructureOfCompleteDataIsAnError() {
        let session = HCISession()
        session.event(
            HCI.LEExtendedAdvertisingReport(reports: [
                .init(
                    eventType: 0x0001, addressType: .randomDevice, address: Cast.puck.address, sid: 1, rssi: -60,
                    data: Array(misleading.prefix(8)))
            ]))
        #expect(Story(session.recording).dissected(1).diagnoses.map(\.layer) == ["bthci_evt"])
    }

    /// AUX_ADV_IND with an AuxPtr, and the AUX_CHAIN_IND that it leads to (Vol 6, Part B, 2.3.4.9).
    @Test func aChainOfTheAirContinuesTheData() throws {
        let air = AirSession()
        let info = LL.AdvertisingDataInfo(rawValue: 0x1123)
        let parts = [
            LL.ExtendedAdvertising(
                mode: .nonconnectableNonscannable, advertiser: Cast.puck.address, dataInfo: info,
                auxPointer: LL.AuxPointer(channelBits: 11, offsetBits: 20), data: Array(misleading.prefix(8))),
            LL.ExtendedAdvertising(
                mode: .nonconnectableNonscannable, dataInfo: info, data: Array(misleading.dropFirst(8))),
        ]
        for (auxiliaryType, pdu) in parts.enumerated() {
            let header = LL.AdvertisingHeader(type: .advExtInd, txAdd: .random, length: pdu.encoded.count)
            // PDU type 1 of the pseudo-header is auxiliary advertising, whose type is in bits 12 and 13.
            air.record(
                header.encoded + pdu.encoded, address: .advertising, crcInit: LL.advertisingCRCInit,
                channel: LL.Channel(rawValue: 10), traffic: 1 | UInt16(auxiliaryType) << 5)
        }
        let story = Story(air.recording, plugins: try PluginSet(profiles: [tag, lamp]))
        let (first, second) = (story.dissected(1), story.dissected(2))
        #expect(first.diagnoses + second.diagnoses == [])
        #expect(second.readings == [])
        #expect(second.recorder.fields.contains { $0.field == GAP.Fields.continuation })
    }
}
