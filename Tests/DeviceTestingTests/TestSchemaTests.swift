import Bytes
import Foundation
import PDUTestKit
import Profile
import TestKit
import Testing

/// docs/tests.schema.json and docs/situations.schema.json accept the plugins' cases and reject invalid ones.
@Suite struct TestSchemaTests {
    private func faults(in yaml: String) throws -> [String] {
        let schema = yaml.contains("situations:") ? "situations" : "tests"
        let text = try Repository.bytes("docs/\(schema).schema.json")
        let node = try #require(YAMLDocument.read(yaml, FaultList()))
        return try JSONSchema(JSONValue(reading: text)).faults(in: JSONValue(node))
    }

    private static let files: [String] = {
        let plugins = (try? FileManager.default.contentsOfDirectory(atPath: Repository.path("Plugins"))) ?? []
        return plugins.sorted().flatMap { plugin in
            let folder = "Plugins/\(plugin)/Tests"
            let names = try? FileManager.default.contentsOfDirectory(atPath: Repository.path(folder))
            return (names ?? []).sorted().map { "\(folder)/\($0)" }
        }
    }()

    @Test(arguments: files)
    func everyPluginsCasesKeepToTheSchema(path: String) throws {
        #expect(try faults(in: Repository.text(path)) == [])
    }

    @Test(arguments: ["{do: 3}", "{read: name}", "{expect: Write name}", "{within: [1]}"])
    func whatASituationMayNotSayIsShown(step: String) throws {
        let text = "situations: x\nplugin: aquavate\ncases: [{id: a, title: b, steps: [\(step)]}]"
        #expect(try !faults(in: text).isEmpty)
    }

    @Test(arguments: [
        "{reed: name}", "{read: Name}", "{expect: write name}", "{repeat: 2, steps: connect}",
        "{lose_link: {before: 3}}",
    ])
    func whatACaseMayNotSayIsShown(step: String) throws {
        let text = "tests: x\nplugin: aquavate\ncases: [{id: a, title: b, steps: [\(step)]}]"
        #expect(try !faults(in: text).isEmpty)
    }
}
