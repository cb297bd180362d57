import Bytes
import Foundation
import PDUTestKit
import TestKit
import Testing

@testable import Profile

/// docs/scenario.schema.json accepts the plugins' scenarios and rejects invalid ones.
@Suite struct ScenarioSchemaTests {
    private func faults(in yaml: String) throws -> [String] {
        let text = try Repository.bytes("docs/scenario.schema.json")
        let node = try #require(YAMLDocument.read(yaml, FaultList()))
        return try JSONSchema(JSONValue(reading: text)).faults(in: JSONValue(node))
    }

    private static let scenarios: [String] = {
        let plugins = (try? FileManager.default.contentsOfDirectory(atPath: Repository.path("Plugins"))) ?? []
        return plugins.sorted().flatMap { plugin in
            let folder = "Plugins/\(plugin)/Scenarios"
            let names = try? FileManager.default.contentsOfDirectory(atPath: Repository.path(folder))
            return (names ?? []).sorted().map { "\(folder)/\($0)" }
        }
    }()

    @Test(arguments: scenarios)
    func everyPluginsScenarioKeepsToTheSchema(path: String) throws {
        let text = try Repository.text(path)
        #expect(try faults(in: text) == [])
    }

    @Test(arguments: [
        "{at: 5 s, do: sip}", "{after: connected, do: {sip: 50 ml}, within: 500 ms}",
        "{do: [sip, {battery: 12 %, time_passes: 8 h}, drop_link]}", "{do: {client: {calibrate: 500 ml}}}",
        "{do: {fault: truncate}}", "{do: {fault: {kind: drop, of: drink_data, count: 3}}}",
        "{say: A pause, expect: client notify drink_data, where: count > 2}", "{never: failed}",
    ])
    func whatAScenarioMaySayIsTaken(step: String) throws {
        #expect(try faults(in: "scenario: x\nplugin: aquavate\nsteps: [\(step)]") == [])
    }

    @Test(arguments: [
        "{when: 5 s}", "{do: Sip}", "{do: 5}", "{expect: tell drink_data}", "{do: {fault: {kind: cut}}}",
        "{do: {fault: {of: drink_data}}}", "{expect: [a, b]}", "{say: {a: b}}",
    ])
    func whatItMayNotSayIsShown(step: String) throws {
        #expect(try !faults(in: "scenario: x\nplugin: aquavate\nsteps: [\(step)]").isEmpty)
    }
}
