import Bluetooth
import PDUTestKit
import TestKit

/// Devices that have a profile.
extension CaptureCase {
    static let plugins: [CaptureCase] = [
        CaptureCase(
            name: "soil-sensor",
            title: "A device that a profile of the user describes",
            shows: """
                The example of docs/writing-a-plugin.md: a phone finds a soil sensor, discovers it, asks for samples,
                changes the interval and names the bed. `profile.yaml` is written by hand. The last sample has a bit set
                that the profile does not know, and a moisture above its range; the one before is cut short.
                """,
            source: "docs/writing-a-plugin.md", file: "capture.btsnoop", options: ["--plugin", "profile.yaml"]
        ) {
            let session = HCISession()
            advertiseSoilSensor(session)
            let link = session.connect(to: Cast.soilSensor)
            link.discover(Cast.soil)
            link.subscribe(Cast.soil[Cast.sample, 0x2902])
            link.read(Cast.soil[Cast.interval], [0x3C, 0x00])
            link.write(Cast.soil[Cast.interval], [0x0A, 0x00])
            link.write(Cast.soil[Cast.command], [0x01])
            link.notify(Cast.soil[Cast.sample], [0x01, 0xEA, 0x00, 0x66, 0x08, 0x20, 0x4E, 0x5A])
            link.write(Cast.soil[Cast.command], [0x02] + Array("Bed 3".utf8))
            link.notify(Cast.soil[Cast.sample], [0x03, 0xE8, 0x03, 0x00, 0x80, 0x00, 0x00, 0x09])
            link.notify(Cast.soil[Cast.sample], [0x01, 0xEA, 0x00])
            link.notify(Cast.soil[Cast.sample], [0x81, 0x4C, 0x04, 0x66, 0x08, 0x20, 0x4E, 0x08])
            link.disconnect()
            return try session.recording.btsnoop()
        },
        CaptureCase(
            name: "soil-sensor-guessed",
            title: "Attributes that a profile knows by their handles",
            shows: """
                The same sensor, known by what it advertises, but its discovery was not captured: the phone remembers
                its table. The profile knows the handles, so the attributes are named by them, and every name says that
                it was guessed; `--no-guess` leaves them as numbers.
                """,
            source: "docs/writing-a-plugin.md", file: "capture.btsnoop",
            options: ["--plugin", "../soil-sensor/profile.yaml"]
        ) {
            let session = HCISession()
            advertiseSoilSensor(session)
            let link = session.connect(to: Cast.soilSensor)
            link.subscribe(Cast.soil[Cast.sample, 0x2902])
            link.notify(Cast.soil[Cast.sample], [0x01, 0xEA, 0x00, 0x66, 0x08, 0x20, 0x4E, 0x5A])
            link.read(Cast.soil[Cast.interval], [0x3C, 0x00])
            return try session.recording.btsnoop()
        },
        CaptureCase(
            name: "advertised-values",
            title: "Values that are advertised",
            shows: """
                A tag tells what it measures in service data and manufacturer data, a lamp its glow in manufacturer data
                under the same company identifier; `profile.yaml` and `lamp.yaml` are written by hand. Both are heard
                in one event with two reports, and one report has two values. One value is cut short, one is unknown.
                The host then advertises as a tag does.
                """,
            source: "Core 5.4, Vol 3, Part C, 11; Core Specification Supplement, Part A, 1.4 and 1.11",
            file: "capture.btsnoop", options: ["--plugin", "profile.yaml", "--plugin", "lamp.yaml"]
        ) {
            let session = HCISession()
            let flags = GAP.AdvertisingStructure.flags([.leGeneralDiscoverable, .bredrNotSupported])
            let climate = GAP.AdvertisingStructure.serviceData(0xFFF0, [0x66, 0x08, 0x37])
            let status = GAP.AdvertisingStructure.manufacturerData(company: 0xFFFF, [0x54, 0x47, 0x5A, 0x01])
            let glow = GAP.AdvertisingStructure.manufacturerData(company: 0xFFFF, [0x02, 0x28])
            session.report(Cast.tag, [flags, climate])
            session.report(Cast.tag, [.completeLocalName("Tag-3"), status], type: 4)
            session.report(Cast.lamp, [flags, .completeLocalName("Lamp-1")])
            session.event(
                HCI.LEAdvertisingReport(reports: [
                    report(Cast.lamp, [flags, glow]), report(Cast.tag, [flags, climate, status]),
                ]))
            session.event(
                HCI.LEExtendedAdvertisingReport(reports: [
                    .init(
                        eventType: 0x0013, addressType: .randomDevice, address: Cast.tag.address, rssi: -58,
                        data: GAP.AdvertisingData([flags, .serviceData(0xFFF0, [0x00, 0x80, 0x00])]).encoded)
                ]))
            session.report(Cast.tag, [flags, .serviceData(0xFFF0, [0x66])])
            session.report(Cast.counter, [flags, .manufacturerData(company: 0xFFFF, [0x01, 0x02, 0x03, 0x04])])
            session.run(HCI.LESetAdvertisingData(data: GAP.AdvertisingData([flags, climate]).encoded))
            return try session.recording.btsnoop()
        },
    ]

    private static func report(
        _ device: DeviceAddress, _ structures: [GAP.AdvertisingStructure]
    ) -> HCI.LEAdvertisingReport.Report {
        .init(
            eventType: 0, addressType: HCI.AddressType(rawValue: device.kind.rawValue), address: device.address,
            data: GAP.AdvertisingData(structures).encoded, rssi: -60)
    }

    static func advertiseSoilSensor(_ session: HCISession) {
        session.report(
            Cast.soilSensor,
            [.flags([.leGeneralDiscoverable, .bredrNotSupported]), .serviceUUIDs128([Cast.soilService])])
        session.report(Cast.soilSensor, [.completeLocalName("Meadow-07")], type: 4)
    }
}

extension Cast {
    static let soilSensor = device(0xC0_FFEE_000007, .random)
    static let tag = device(0xC0_FFEE_000008, .random)
    static let lamp = device(0xC0_FFEE_000009, .random)
    static let soilService = UUID(value: 0x4D454144_4F57_0001_8000_00534F494C00)
    static let sample = UUID(value: 0x4D454144_4F57_0002_8000_00534F494C00)
    static let interval = UUID(value: 0x4D454144_4F57_0003_8000_00534F494C00)
    static let command = UUID(value: 0x4D454144_4F57_0004_8000_00534F494C00)

    /// The soil sensor's table; the vendor service has the handles that the firmware assigns.
    static let soil = ServerLayout(
        first: 0x000F,
        .service(
            soilService, .characteristic(sample, [.read, .notify], descriptors: 0x2902),
            .characteristic(interval, [.read, .write]), .characteristic(command, [.write])))
}
