import Bytes
import Foundation
import PDUTestKit
import PluginKit
import Profile
import TestKit
import Testing
import Workbench

/// Device data in the output of `decode -T ndjson` conforms to the exported schemas.
@Suite struct RecordSchemaTests {
    private static let captures = [
        "aquavate-sync", "aquavate-calibration", "aquavate-prd", "aquavate-activity", "aquavate-truncated-chunk",
        "aquavate-first-firmware", "lifecount-session", "lifecount-integrity", "battery-charging", "weather-station",
        "soil-sensor", "several-values", "advertised-values",
    ]

    @Test(arguments: captures)
    func messagesKeepToTheirSchemas(_ name: String) async throws {
        func path(_ file: String) -> String? {
            let path = Repository.path("captures/\(name)/\(file)")
            return FileManager.default.fileExists(atPath: path) ? path : nil
        }
        let library = try PluginLibrary.load(path("profile.yaml").map { [$0] } ?? [], environment: [:])
        var options = DecodeOptions()
        options.plugins = library.plugins
        options.format = .ndjson
        if let tables = path("gatt.json") { options.tables = try GATTFiles.read(tables) }
        var schemas: [String: JSONSchema] = [:]
        var messages = 0
        for line in try await decode(#require(path("capture.btsnoop")), options).split(separator: "\n") {
            for device in Self.devices(in: try JSONValue(reading: Array(line.utf8))) {
                guard case .string(let id)? = device["plugin"] else { continue }
                if schemas[id] == nil {
                    let text = ExportFormat.jsonSchema.text(of: try #require(library[id]).plugin)
                    schemas[id] = try JSONSchema(JSONValue(reading: Array(text.utf8)))
                }
                let faults = try #require(schemas[id]).faults(in: device)
                #expect(faults == [], "\(line)")
                messages += 1
            }
        }
        #expect(messages > 0)
    }

    @Test func everyPluginHasASchemaAPageAndAScript() throws {
        for entry in try PluginLibrary.builtIn().entries {
            let profile = entry.plugin.profile.profile
            let schema = try JSONValue(reading: Array(ExportFormat.jsonSchema.text(of: entry.plugin).utf8))
            #expect(throws: Never.self) { try JSONSchema(schema) }
            #expect(schema["title"] == .string("\(profile.header.title), profile \(profile.header.version)"))
            #expect(ExportFormat.markdown.text(of: entry.plugin).hasPrefix("# \(profile.header.title)\n"))
            #expect(ExportFormat.wiresharkLua.text(of: entry.plugin).contains("register_postdissector(protocol)"))
        }
    }

    /// The plugins' data for the value or values of a frame.
    private static func devices(in frame: JSONValue) -> [JSONValue] {
        ([frame] + (frame["values"]?.elements ?? [])).compactMap { $0["device"] }
    }

    /// Valid messages of a small profile, and invalid ones.
    @Test(arguments: [
        (#"{"level": 5, "state": "idle"}"#, true),
        (#"{"level": "unknown", "name": "Bed 3", "name_padding": "00"}"#, true),
        (#"{"state": 7}"#, true),
        (#"{"level": 256}"#, false),
        (#"{"state": "Idle"}"#, false),
        (#"{"name": 3}"#, false),
        (#"{"name_padding": "0"}"#, false),
        (#"{"levle": 5}"#, false),
    ])
    func onlyWhatADeviceSendsIsAccepted(fields: String, isRight: Bool) throws {
        let profile = try ProfileReader.read(
            """
            profile: {id: small, title: Small, version: "1", format: 1}
            types:
              sample:
                fields:
                  - {name: level, type: u8, special: {0xFF: unknown}}
                  - {name: state, type: u8, values: {0: {name: idle, title: Idle}, 1: busy}}
                  - {name: name, type: string, ends_at_nul: optional}
            gatt:
              - service: 0x180F
                name: battery
                characteristics: [{uuid: 0x2A19, name: level, properties: [read], value: sample}]
            """, file: "small.yaml")
        let plugin = DevicePlugin(try CompiledProfile(profile))
        let schema = try JSONSchema(JSONValue(reading: Array(ExportFormat.jsonSchema.text(of: plugin).utf8)))
        let device = #"{"plugin": "small", "message": "sample", "fields": \#(fields)}"#
        #expect(try schema.faults(in: JSONValue(reading: Array(device.utf8))).isEmpty == isRight)
    }
}
