import Bytes
import Foundation
import PDUTestKit
import TestKit
import Testing

@testable import Profile
@testable import ProfileTools

/// The profiles of the plugins, by their paths in the repository.
private let profiles: [String] = {
    let folders = (try? FileManager.default.contentsOfDirectory(atPath: Repository.path("Plugins"))) ?? []
    let paths = folders.sorted().map { "Plugins/\($0)/profile.yaml" }
    return paths.filter { FileManager.default.fileExists(atPath: Repository.path($0)) }
}()

/// docs/profile.schema.json against the reader: both accept the same profiles.
@Suite struct ProfileSchemaTests {
    private func schema() throws -> JSONSchema {
        let text = try Repository.bytes("docs/profile.schema.json")
        return try JSONSchema(JSONValue(reading: text))
    }

    private func faults(in yaml: String) throws -> [String] {
        let node = try #require(YAMLDocument.read(yaml, FaultList()))
        return try schema().faults(in: JSONValue(node))
    }

    @Test func theSampleKeepsToTheSchema() throws {
        #expect(try faults(in: SampleProfile.bottle) == [])
    }

    @Test(arguments: profiles)
    func everyPluginsProfileKeepsToTheSchema(path: String) throws {
        let text = try Repository.text(path)
        #expect(try faults(in: text) == [])
    }

    /// The profiles next to captures, which docs/writing-a-plugin.md explains.
    @Test(arguments: ["soil-sensor", "jbd-battery", "obd-adapter"])
    func profilesOfTheDocumentsKeepToTheSchema(name: String) throws {
        #expect(try faults(in: Repository.text("captures/\(name)/profile.yaml")) == [])
    }

    @Test(arguments: ["soil-sensor", "jbd-battery", "obd-adapter"])
    func profilesOfTheDocumentsAreClean(name: String) throws {
        let path = "captures/\(name)/profile.yaml"
        let profile = try ProfileReader.read(Repository.text(path), file: path)
        #expect(
            ProfileLint.report(on: profile, strict: name != "soil-sensor").findings.map { $0.line(in: path) }
                == [])
    }

    @Test func timesKeepToTheSchema() throws {
        let text = ProfileSamples.profile("times: {push: {time: 0.45 s, doc: d, source: s}, wait: {time: 2, doc: d}}")
        #expect(ProfileSamples.faults(text) == [])
        #expect(try faults(in: text) == [])
    }

    /// Faults that the schema detects, so that an editor shows them during typing.
    @Test(arguments: [
        "match: {weight: 5}",
        "match: [{name: X, weight: 0}]",
        "match: [{name: X, service: 180F, weight: 60}]",
        "match: [{service: 18F, weight: 60}]",
        "match: [{service_data: {data: 01}, weight: 60}]",
        "rules: [{id: R, text: t, role: client, severity: error, length: {on: advertise a b, is: 3}}]",
        "types: {Upper: {fields: []}}",
        "types: {a: {fields: [{name: x}]}}",
        "types: {a: {fields: [{name: x, type: u8, scal: {d: 1}}]}}",
        "types: {a: {fields: [{name: x, type: u8, endian: middle}]}}",
        "types: {a: {fields: [{name: x, type: u8, values: {one: two}}]}}",
        "types: {a: {fields: [{name: x, type: u8, bits: [{name: p}]}]}}",
        "types: {a: {switch: {name: o, type: i8}, cases: []}}",
        "types: {a: {title: A}}",
        "gatt: [{service: 180F, name: b, characteristics: [{uuid: 2A19, name: l, properties: [reed]}]}]",
        "gatt: [{service: 180F, name: b, charakteristics: []}]",
        "messages: [{name: m, characteristic: c, operation: notify, type: t}]",
        "messages: [{name: m, characteristic: c, operation: notify, type: t, stream: {start: DD}}]",
        "messages: [{name: m, characteristic: c, operation: notify, type: t, stream: {end: 0D, escape: {byte: 7D}}}]",
        "messages: [{name: m, characteristic: c, operation: notify, type: t, stream: {length: {type: u8}}}]",
        "messages: [{name: m, characteristic: c, operation: notify, type: t, stream: {end: 0D, at_most: 70000}}]",
        "types: {a: {fields: [{name: x, type: u8, checksum: {algorithm: addition}}]}}",
        "types: {a: {fields: [{name: x, type: u8, checksum: {algorithm: sum, form: a}}]}}",
        "types: {a: {fields: [{name: x, type: ascii_decimal, decimals: 0}]}}",
        "types: {a: {fields: [{name: x, type: u8, bits: [{name: p, bit: 0, scale: {d: x}}]}]}}",
        "sequences: [{name: s, type: t, state: x, transitions: [a, b]}]",
        "times: [{name: a, time: 2 s, doc: d}]",
        "times: {A: {time: 2 s, doc: d}}",
        "times: {a: {time: 2 s}}",
        "times: {a: {time: 2 d, doc: d}}",
        "times: {a: {time: 2 s, doc: d, unit: s}}",
        "rules: [{id: R, text: t, role: puck, severity: error, code: true}]",
        "rules: [{id: R, text: t, role: client, severity: error}]",
        "rules: [{id: R, text: t, role: client, severity: error, code: true, twin: true}]",
        "rules: [{id: R, text: t, role: client, severity: error, check: {on: notfy x, holds: a == 1}}]",
        "emulate: {interval: soon}",
        "emulate: {reactions: [{do: []}]}",
        "emulate: {reactions: [{on: advertise, do: []}]}",
        "emulate: {reactions: [{on: connect, chance: 2, do: []}]}",
        "emulate: {reactions: [{on: connect, do: [{disconnect: false}]}]}",
        "emulate: {advertising: [{manufacturer_data: 1, structure: 2, bytes: 00}]}",
        "gatt: [{service: 180F, name: b, characteristics: [{uuid: 2A19, name: l, properties: [read], security: high}]}]",
        "vectors: [{id: V, type: state, hex: 0g, error: x}]",
        "vectors: [{id: V, type: state, hex: '00'}]",
        "gat: []",
    ])
    func faultsOfTheReaderAreFaultsOfTheSchema(sections: String) throws {
        let text = ProfileSamples.profile(sections)
        #expect(!ProfileSamples.faults(text).isEmpty)
        #expect(try !faults(in: text).isEmpty)
    }

    @Test(arguments: ["id: 5", "title: ~", "format: 2", "mtu: 10", "mtu: '247'", "vendr: x", "dialects: [a]"])
    func faultsOfTheHeaderAreFaultsOfTheSchema(line: String) throws {
        let keys = ["id: test", "title: T", "version: 1", "format: 1"]
        let name = line.prefix { $0 != ":" }
        let text = "profile: {\((keys.filter { !$0.hasPrefix(name) } + [line]).joined(separator: ", "))}"
        #expect(!ProfileSamples.faults(text).isEmpty)
        #expect(try !faults(in: text).isEmpty)
    }
}
