import Bluetooth
import Bytes
import Captures
import Conversation
import Dissection
import Foundation
import PDUTestKit
import PluginKit
import Profile
import ProfileTools
import TestKit
import Testing
import Workbench

/// `plugins new`, `lint`, `list` and `show`, without command-line parsing.
@Suite struct PluginToolsTests {
    /// A capture's survey with a device that has a custom service.
    private static func survey(name: String = "Meadow-A3F2") throws -> CaptureSurvey {
        let uuids = ["0000AAAA", "0000AAA1", "0000AAA2", "0000AAA3"].compactMap {
            Bluetooth.UUID("\($0)-1111-4000-8000-00805F9B34FB")
        }
        let (own, state, text, log) = (uuids[0], uuids[1], uuids[2], uuids[3])
        let layout = ServerLayout(
            .service(Bluetooth.UUID(0x1800), .characteristic(Bluetooth.UUID(0x2A00), [.read])),
            .service(
                Bluetooth.UUID(0x180F),
                .characteristic(
                    Bluetooth.UUID(0x2A19), [.read, .notify], descriptors: Bluetooth.UUID(0x2902))),
            .service(
                own, .characteristic(state, [.read, .notify], descriptors: Bluetooth.UUID(0x2902)),
                .characteristic(text, [.read]), .characteristic(log, [.notify, .write])))
        let session = HCISession()
        let device = DeviceAddress(try #require(Address("c0:ff:ee:00:00:01")), .random)
        let link = session.connect(to: device)
        link.discover(layout)
        link.read(layout[Bluetooth.UUID(0x2A00)], Array(name.utf8))
        link.read(layout[Bluetooth.UUID(0x2A19)], [98])
        link.notify(layout[state], [0x34, 0x12])
        link.notify(layout[state], Array(1...14))
        link.read(layout[text], Array("field 7".utf8))
        link.write(layout[log], [1, 2, 3])
        let folder = try TemporaryFolder()
        let path = try folder.file("meadow.btsnoop", session.recording.btsnoop())
        return try CaptureSurvey(CaptureReader(path: path)) { _ in true }
    }

    @Test func aDraftOfACaptureIsComplete() throws {
        let device = try NewProfile.device(in: Self.survey(), address: nil, file: "x")
        let text = try device.draft(id: "meadow", file: "dir/x.btsnoop", general: NewProfile.generalReaders()).text()
        let profile = try ProfileReader.read(text, file: "profile.yaml")
        #expect(ProfileLint.report(on: profile, strict: true).findings == [])
        #expect(text.hasPrefix("# Made from x.btsnoop: what \"Meadow-A3F2\" (c0:ff:ee:00:00:01) showed there.\n"))
        #expect(text.contains("{name: \"^Meadow-[0-9A-F]{4}$\", weight: 60}"))
        #expect(
            profile.types.map(\.name) == [
                "characteristic_1_2_bytes", "characteristic_1_14_bytes", "characteristic_2", "characteristic_3",
            ])
        #expect(profile.services.map(\.name) == ["battery", "service_2"])
        #expect(profile.services[1].characteristics[0].properties == [.read, .notify])
        #expect(
            profile.vectors.map(\.bytes) == [[0x34, 0x12], Array(1...14), Array("field 7".utf8), [1, 2, 3]])
        #expect(text.contains("value: 4660}"))
    }

    @Test func theDraftReadsTheCaptureThatItCameFrom() throws {
        let device = try NewProfile.device(in: Self.survey(), address: "C0:FF:EE:00:00:01", file: "x")
        let compiled = try CompiledProfile(
            try ProfileReader.read(try device.draft(id: "meadow", file: "x").text(), file: "profile.yaml"))
        let layout = try #require(compiled.types["characteristic_2"])
        #expect(try layout.decode(Array("field 7".utf8)) == .text("field 7"))
    }

    /// A draft from a capture is usable without changes.
    @Test(arguments: ["soil-sensor", "aquavate-sync", "lifecount-session", "weather-station", "battery-charging"])
    func draftsOfCapturesReadThem(name: String) async throws {
        let path = Repository.path("captures/\(name)/capture.btsnoop")
        let survey = try CaptureSurvey(try CaptureReader(path: path)) { _ in true }
        let device = try NewProfile.device(in: survey, address: nil, file: path)
        let text = try device.draft(id: "stranger", file: path, general: NewProfile.generalReaders()).text()
        let profile = try ProfileReader.read(text, file: "profile.yaml")
        #expect(ProfileLint.report(on: profile, strict: true).findings == [])
        var options = DecodeOptions()
        options.plugins = PluginSet([DevicePlugin(try CompiledProfile(profile))], named: [0])
        options.format = .fields
        options.fields = ["device.message"]
        let messages = try await decode(path, options).split(separator: "\n")
        let seen = profile.types.isEmpty ? 0 : device.values.values.reduce(0) { $0 + $1.count }
        #expect(messages.isEmpty == (seen == 0), "\(text)")
    }

    /// Many manufacturers use the Nordic UART service.
    @Test func servicesOfManyMakersAreNoEvidence() throws {
        let path = Repository.path("captures/weather-station/capture.btsnoop")
        let survey = try CaptureSurvey(try CaptureReader(path: path)) { _ in true }
        let device = try NewProfile.device(in: survey, address: nil, file: path)
        let text = try device.draft(id: "weather", file: path, general: NewProfile.generalReaders()).text()
        #expect(text.contains("# Nothing there tells the device from others: correct section match.\n"))
        #expect(text.contains("match:\n  - {name: \"^weather\", weight: 60}\n"))
    }

    @Test(arguments: [
        ("Aquavate-A3F2", "^Aquavate-[0-9A-F]{4}$"), ("node 00aabb", "^node [0-9a-f]{6}$"),
        ("Bottle (2.0)", #"^Bottle \\(2\\.0\\)$"#), ("Cafe", "^Cafe$"), ("Sensor-BEEF", "^Sensor-BEEF$"),
        ("Meadow-07", "^Meadow-[0-9]{2}$"), ("Bed 3", "^Bed 3$"), ("(\u{301}", "^\\\\(\u{301}$"),
    ])
    func namesBecomePatterns(name: String, pattern: String) throws {
        let device = try NewProfile.device(in: Self.survey(name: name), address: nil, file: "x")
        #expect(try device.draft(id: "one", file: "x").text().contains("{name: \"\(pattern)\", weight: 60}"))
    }

    @Test func aWrongAddressNamesTheOthers() throws {
        let survey = try Self.survey()
        let error = #expect(throws: FileError.self) {
            try NewProfile.device(in: survey, address: "00:00:00:00:00:01", file: "x")
        }
        #expect(error?.description.contains("\"Meadow-A3F2\" (c0:ff:ee:00:00:01)") == true)
    }

    @Test func nothingIsWrittenOver() throws {
        let parent = try TemporaryFolder()
        let folder = parent.path("one")
        let path = try ProfileFolder.write(ProfileDraft.template(id: "one"), to: folder)
        #expect(path == "\(folder)/profile.yaml")
        let error = #expect(throws: FileError.self) { try ProfileFolder.write("", to: folder) }
        #expect(error?.text.contains("exists already") == true)
        #expect(try TextFile.read(path) == ProfileDraft.template(id: "one"))
        let outcome = try LintJob.run(folder, strict: true, environment: [:])
        #expect(outcome.findings == 0)
        #expect(outcome.summary == "\(path): nothing found")
    }

    @Test func lintNamesFileLineAndColumn() throws {
        let text = ProfileDraft.template(id: "one").replacing("type: i16, unit", with: "type: i61, unit")
        let folder = try TemporaryFolder()
        let file = try folder.file("profile.yaml", text.utf8)
        let outcome = try LintJob.run(file, strict: false, environment: [:])
        let found = "type: expected a type, found \"i61\"; did you mean \"i16\" or \"i64\"?"
        #expect(outcome.text == "\(file):27:35: error: \(found)\n")
        #expect(outcome.summary == "\(file): 1 finding")
    }

    /// Typical faults of a user who has not read the format's page, and the help in the messages.
    @Test func aBeginnersFaultsAreToldWithWhatToDo() throws {
        let profile = """
            profile: {id: Flower-Bed, title: Flower bed, version: "1", format: 1, vendr: Meadow}
            match:
              name: Bed
            types:
              sample:
                fields:
                  - {name: temperature, type: int16, unit: °C}
                  - {name: state, type: u8, values: [idle, busy]}
                  - {name: time, type: u32, timestamp: unix}
                  - {name: humidity, type: u8, range: 0-100}
                  - {name: age, type: u16, when: state = 1}
            gatt:
              - service: environmental
                name: bed
                characteristics:
                  - {uuid: 2A6E, name: sample, properties: notify, value: sample}
                  - {uuid: 2A6F, name: state, properties: [raed], value: sample}
            vectors:
              - {id: first, type: smaple, hex: "01 02", value: {}}
            """
        let folder = try TemporaryFolder()
        let file = try folder.file("profile.yaml", profile.utf8)
        let outcome = try LintJob.run(file, strict: false, environment: [:])
        let reported = outcome.text.replacing(file, with: "bed.yaml")
        let expected = """
            bed.yaml:1:15: error: id: expected a name of lower-case letters, digits and underscores that begins with \
            a letter, like "flower_bed", found "Flower-Bed"
            bed.yaml:1:71: error: unknown key "vendr"; did you mean "vendor"?
            bed.yaml:3:3: error: match: expected a list, found a mapping; each element begins with "- "
            bed.yaml:7:35: error: type: expected a type, found "int16"; did you mean "i16"?
            bed.yaml:8:41: error: values: expected names by value, like {0: idle, 1: busy}, found a list
            bed.yaml:9:44: error: timestamp: expected epoch and resolution of a time, like \
            {epoch: 1970-01-01, resolution: 1 s}, found "unix"
            bed.yaml:10:43: error: range: expected two bounds, [lower, upper], found "0-100"
            bed.yaml:11:44: error: when: expected a value or an operator, found "="; values are compared with ==
            bed.yaml:13:14: error: service: expected a UUID: 0x180F, 180F or all 36 characters, found \
            "environmental"
            bed.yaml:16:48: error: properties: expected a list, found "notify"; a list of one is [notify]
            bed.yaml:17:48: error: properties: expected broadcast, read, write_without_response, write, notify, \
            indicate, signed_write or extended, found "raed"; did you mean "read"?
            bed.yaml:19:23: error: type: expected the name of a type, found "smaple"; did you mean "sample"?

            """
        #expect(reported == expected)
        #expect(outcome.findings == 12)
    }

    @Test func unknownFilesAndPluginsAreSaid() {
        #expect(throws: FileError.self) { try LintJob.run("/nowhere/profile.yaml", strict: false, environment: [:]) }
        let error = #expect(throws: UnknownPlugin.self) { try LintJob.run("aquavat", strict: false, environment: [:]) }
        #expect(error?.description.hasSuffix("batterytrace; did you mean aquavate?") == true)
    }

    @Test func listAndShow() throws {
        let library = try PluginLibrary.builtIn()
        let list = PluginSummary.list(library)
        #expect(list.hasPrefix("ID "))
        #expect(list.contains("built in  Aquavate smart-bottle puck\n"))
        let shown = PluginSummary.show(try #require(library["lifecount"]))
        #expect(shown.hasPrefix("lifecount 1.0.0: LifeCount people counter\n"))
        #expect(shown.contains("write indicate  control_request, control_response\n"))
        let json = try JSONValue(reading: Array(PluginSummary.listJSON(library).utf8))
        guard case .array(let entries) = json else {
            Issue.record("no list")
            return
        }
        #expect(entries.count == library.entries.count)
        #expect(entries.first?["id"] == .string("aquavate"))
        let details = try JSONValue(
            reading: Array(PluginSummary.showJSON(try #require(library["aquavate"])).utf8))
        #expect(details["id"] == .string("aquavate"))
    }
}
