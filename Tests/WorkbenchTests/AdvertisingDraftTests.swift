import Bluetooth
import Captures
import Conformance
import Conversation
import Dissection
import PDUTestKit
import PluginKit
import Profile
import ProfileTools
import TestKit
import Testing
import Workbench

/// `plugins new --from-capture` for devices that advertise.
@Suite struct AdvertisingDraftTests {
    private static let tag = DeviceAddress(Address("c0:ff:ee:00:00:31")!, .random)
    private static let phone = DeviceAddress(Address("c0:ff:ee:00:00:32")!, .random)
    private static let own = Bluetooth.UUID("0000AAAA-1111-4000-8000-00805F9B34FB")!

    private static func survey(_ session: HCISession) throws -> CaptureSurvey {
        let folder = try TemporaryFolder()
        let path = try folder.file("x.btsnoop", session.recording.btsnoop())
        return try CaptureSurvey(CaptureReader(path: path)) { _ in true }
    }

    /// The text of the drafted profile, which must have no lint findings.
    private static func draft(_ session: HCISession, address: String? = nil) throws -> String {
        let general = try NewProfile.generalReaders()
        let device = try NewProfile.device(in: survey(session), address: address, file: "x", general: general)
        let text = try device.draft(id: "stranger", file: "x", general: general).text()
        let findings = ProfileLint.report(on: try ProfileReader.read(text, file: "x"), strict: true).findings
        #expect(findings == [], "\(text)")
        return text
    }

    private static func plugin(_ text: String) throws -> DevicePlugin {
        DevicePlugin(try CompiledProfile(ProfileReader.read(text, file: "profile.yaml")))
    }

    /// A session with one advertisement after the other.
    private static func session(_ advertisements: [(DeviceAddress, [GAP.AdvertisingStructure])]) -> HCISession {
        let session = HCISession()
        for (device, structures) in advertisements { session.report(device, structures, type: 3) }
        return session
    }

    @Test func signsAndTypesAreThoseOfTheAdvertisements() throws {
        let session = Self.session([
            (
                Self.tag,
                [
                    .manufacturerData(company: 0x0499, [5, 1, 2]),
                    .serviceData(Bluetooth.UUID(0xFFF0), [0x40, 7]),
                ]
            ),
            (Self.tag, [.serviceUUIDs16([Bluetooth.UUID(0xFD3D), Bluetooth.UUID(0x180F)])]),
            (Self.tag, [.completeLocalName("Tag-A3F2"), .manufacturerData(company: 0x0499, [5, 9, 9])]),
            (Self.tag, [.serviceUUIDs128([Self.own])]),
        ])
        let text = try Self.draft(session)
        let expected = """
            match:
              - {service: 0000AAAA-1111-4000-8000-00805F9B34FB, weight: 100}
              - {name: "^Tag-[0-9A-F]{4}$", weight: 60}
              - {manufacturer: {company: 0x0499, data: "05"}, weight: 30}
              - {service_data: {uuid: 0xFFF0, data: "40"}, weight: 30}
              - {service: 0xFD3D, weight: 30}

            types:
              manufacturer_data:
                fields:
                  - {name: data, type: bytes, length: 3}

              service_data:
                fields:
                  - {name: data, type: bytes, length: 2}

            advertising:
              # Manufacturer data of Ruuvi Innovations Ltd.
              - manufacturer_data: 0x0499
                value: manufacturer_data
              # Service data
              - service_data: 0xFFF0
                value: service_data

            # What every advertisement of the capture obeys; a longer one may show more.
            rules:
              - {id: STRANGER-01, text: "Manufacturer data have 3 bytes.", role: peripheral, severity: warning,
                 length: {on: advertise manufacturer_data, is: 3}}
              - {id: STRANGER-02, text: "Manufacturer data begin with 05.", role: peripheral, severity: warning,
                 check: {on: advertise manufacturer_data, holds: 'u8(0) == 0x05'}}
              - {id: STRANGER-03, text: "Service data have 2 bytes.", role: peripheral, severity: warning,
                 length: {on: advertise service_data, is: 2}}
              - {id: STRANGER-04, text: "Service data begin with 40.", role: peripheral, severity: warning,
                 check: {on: advertise service_data, holds: 'u8(0) == 0x40'}}

            """
        #expect(text.contains(expected), "\(text)")
        #expect(text.contains("{id: manufacturer_data_2, type: manufacturer_data, hex: \"05 09 09\","))
    }

    /// The draft decodes its own capture, and later advertisements of the device.
    @Test func theDraftRecognizesTheDevice() async throws {
        let path = Repository.path("captures/ruuvi-tag/capture.btsnoop")
        let general = try NewProfile.generalReaders()
        let survey = try CaptureSurvey(CaptureReader(path: path)) { _ in true }
        let device = try NewProfile.device(in: survey, address: nil, file: path, general: general)
        let text = try device.draft(id: "stranger", file: path, general: general).text()
        #expect(text.contains("  - {manufacturer: {company: 0x0499, data: \"05\"}, weight: 60}\n"))
        #expect(text.contains("  - {id: STRANGER-02, text: \"Manufacturer data of 24 bytes begin with 05.\", "))
        #expect(ProfileLint.report(on: try ProfileReader.read(text, file: "x"), strict: true).findings == [])
        var options = DecodeOptions()
        options.plugins = PluginSet([try Self.plugin(text)], named: [0])
        options.format = .fields
        options.fields = ["device.plugin", "device.message", "stranger.manufacturer_data_9_bytes.data"]
        let rows = try await decode(path, options).split(separator: "\n")
        #expect(rows.count == 6)
        #expect(rows[0] == "stranger\tmanufacturer_data_24_bytes\t")
        #expect(rows[4] == "stranger\tmanufacturer_data_9_bytes\t0512fc5394c37c0004")
        let later = Self.session([(Self.tag, [.manufacturerData(company: 0x0499, [5, 0xFF, 0])])])
        let checked = CheckedCapture(later.recording, plugins: [try Self.plugin(text)])
        #expect(checked.report.devices.map(\.plugin) == ["stranger"])
    }

    /// The rules of a draft pass for its own capture, and fail for deviations.
    @Test func theDraftJudges() throws {
        let name = GAP.AdvertisingStructure.completeLocalName("Tag-A3F2")
        func session(_ values: [[UInt8]]) -> HCISession {
            Self.session([(Self.tag, [name])] + values.map { (Self.tag, [.manufacturerData(company: 0x0499, $0)]) })
        }
        let plugin = try Self.plugin(Self.draft(session([[5, 1, 2], [5, 9, 9], [8, 0, 0]])))
        func broken(_ values: [UInt8]...) -> [String] {
            let report = CheckedCapture(session(values).recording, plugins: [plugin]).report
            #expect(report.results.contains { report.rules[$0.rule].plugin == "stranger" && $0.verdict == .pass })
            return report.results.filter { $0.verdict == .warning }.map { report.rules[$0.rule].id }
        }
        #expect(broken([5, 7, 7], [8, 7, 7]) == [])
        #expect(broken([5, 7, 7], [5, 7]) == ["STRANGER-01"])
        #expect(broken([5, 7, 7], [6, 7, 7]) == ["STRANGER-02"])
    }

    @Test func dataThatBeginInManyWaysAreNotEnoughAlone() throws {
        let counts = (0..<5).map { (Self.tag, [GAP.AdvertisingStructure.manufacturerData(company: 0x0499, [$0, 1])]) }
        let text = try Self.draft(Self.session(counts))
        #expect(text.contains("  - {manufacturer: {company: 0x0499}, weight: 40}\n"))
        #expect(text.contains("  - {name: \"^stranger\", weight: 60}\n"))
        #expect(text.contains("# Nothing there tells the device from others: correct section match.\n"))
    }

    /// A 128-bit UUID belongs to its manufacturer; any device may use an unassigned 16-bit one.
    @Test(arguments: [(own, "0000AAAA-1111-4000-8000-00805F9B34FB", 60), (0xFFF0, "0xFFF0", 40)])
    func dataOfAnOwnServiceAreEnoughAlone(_ uuid: Bluetooth.UUID, _ name: String, _ weight: Int) throws {
        let counts = (0..<5).map { (Self.tag, [GAP.AdvertisingStructure.serviceData(uuid, [$0, 1])]) }
        let text = try Self.draft(Self.session(counts))
        #expect(text.contains("  - {service_data: {uuid: \(name)}, weight: \(weight)}\n"), "\(text)")
    }

    /// A service that many manufacturers use, such as the Nordic UART service, does not identify a device.
    @Test func knownServicesAreNoSigns() throws {
        let uart = Bluetooth.UUID("6E400001-B5A3-F393-E0A9-E50E24DCCA9E")!
        let text = try Self.draft(
            Self.session([(Self.tag, [.serviceUUIDs128([uart])]), (Self.tag, [.serviceData(Self.own, [1])])]))
        #expect(!text.contains("- {service: "))
        let sign = "{uuid: 0000AAAA-1111-4000-8000-00805F9B34FB, data: \"01\"}"
        #expect(text.contains("  - {service_data: \(sign), weight: 60}"))
    }

    private static let beacon = GAP.AdvertisingStructure.manufacturerData(
        company: 0x004C, hex("0215E2C56DB5DFFB48D2B060D0F5A71096E000010002C5"))

    /// `standard` decodes data that many manufacturers advertise: the profile only identifies the device.
    @Test func whatThePluginStandardReadsIsLeftToIt() async throws {
        let session = Self.session([(Self.phone, [Self.beacon])])
        let text = try Self.draft(session)
        #expect(text.contains("# Advertised data without a type here are read by the plugin \"standard\".\n"))
        #expect(!text.contains("advertising:"))
        let all = "02 15 E2 C5 6D B5 DF FB 48 D2 B0 60 D0 F5 A7 10 96 E0 00 01 00 02 C5"
        #expect(text.contains("{manufacturer: {company: 0x004C, data: \"\(all)\"}, weight: 60}"))
        let checked = CheckedCapture(session.recording, plugins: [try Self.plugin(text)])
        #expect(checked.report.devices.map(\.plugin) == ["stranger"])
    }

    /// Fields with the same prefix as those of a frame's peers belong to the plugin.
    @Test func fieldsOfBeaconsAreColumns() async throws {
        var options = DecodeOptions()
        options.plugins = try PluginLibrary.load([], environment: [:]).plugins
        options.format = .fields
        options.filter = "bluetooth.apple.ibeacon.uuid128 == e2c56db5-dffb-48d2-b060-d0f5a71096e0"
        options.fields = ["frame.number", "bluetooth.apple.ibeacon.uuid128"]
        let printed = try await decode(Repository.path("captures/beacons/capture.btsnoop"), options)
        #expect(printed == "1\te2c56db5dffb48d2b060d0f5a71096e0\n")
    }

    @Test func ofSeveralDevicesTheUserChooses() throws {
        let session = Self.session([
            (Self.phone, [Self.beacon]), (Self.phone, [.manufacturerData(company: 0x004C, [0x10, 0])]),
            (Self.tag, [.manufacturerData(company: 0x0499, [5, 1])]),
        ])
        #expect(try Self.draft(session).contains("what c0:ff:ee:00:00:31 showed there"))
        #expect(try Self.draft(session, address: "C0:FF:EE:00:00:32").contains("what c0:ff:ee:00:00:32 showed there"))
        let error = #expect(throws: FileError.self) {
            try NewProfile.device(in: Self.survey(session), address: "00:00:00:00:00:01", file: "x")
        }
        #expect(error?.description.contains("others do: c0:ff:ee:00:00:32, c0:ff:ee:00:00:31") == true)
    }

    /// A device with known attributes comes before devices that only advertise, whatever the amount of their data.
    @Test func serversComeFirst() throws {
        let session = Self.session(
            (0..<20).map { (Self.tag, [.manufacturerData(company: 0x0499, [5, $0])]) }
                + [(Self.phone, [.manufacturerData(company: 0x0499, [5, 0xFF])])])
        let layout = ServerLayout(.service(Self.own, .characteristic(Bluetooth.UUID(0x2A19), [.read])))
        session.connect(to: Self.phone).discover(layout)
        let survey = try Self.survey(session)
        #expect(survey.devices.map(\.address) == [Self.phone, Self.tag])
        #expect(survey.devices[0].advertised.map(\.values) == [[[5, 0xFF]]])
        #expect(survey.devices[1].advertised.map(\.values.count) == [20])
    }

    @Test func whatAdvertisesNoDataIsNotTaken() throws {
        let survey = try Self.survey(Self.session([(Self.tag, [.completeLocalName("Tag")])]))
        let error = #expect(throws: FileError.self) {
            try NewProfile.device(in: survey, address: nil, file: "x")
        }
        #expect(error?.text.hasPrefix("no device here has discovered attributes or advertises service data") == true)
    }

    /// The number of stored values is limited.
    @Test func valuesAreBounded() throws {
        let flood = (0..<100).map { (Self.tag, [GAP.AdvertisingStructure.manufacturerData(company: 0x0499, [5, $0])]) }
        #expect(try Self.survey(Self.session(flood)).devices[0].advertised[0].values.count == 64)
    }
}
