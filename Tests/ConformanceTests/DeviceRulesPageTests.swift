import Foundation
import PluginKit
import TestKit
import Testing

/// docs/device-rules.md lists every rule of the profiles. `GATTBENCH_REWRITE_GOLDEN=1` writes it anew instead.
struct DeviceRulesPageTests {
    @Test func thePageListsTheRulesOfTheProfiles() throws {
        let text = try Self.text()
        #expect(try Repository.text("docs/device-rules.md", madeAs: text) == text)
    }

    /// Every rule that is left to code is named in the plugin's code.
    @Test(arguments: ["Aquavate", "LifeCount", "BatteryTrace"])
    func rulesThatAreLeftToCodeHaveSome(_ plugin: String) throws {
        let files = Self.files(of: plugin, in: "Plugins/\(plugin)/Conformance")
        let rules = try ProfileUnderTest(plugin: plugin).profile.rules
        let missing = rules.filter { rule in
            if case .code = rule.kind { Self.file(naming: rule.id, among: files) == nil } else { false }
        }
        #expect(missing.map(\.id) == [])
    }

    // MARK: - The page

    private static func text() throws -> String {
        var lines = [
            "# Rules of devices", "",
            "Every rule that a device's profile declares, where it is judged and which test holds the judge to it.",
            "*declared* rules stand in the profile and are judged by the engine; the others have Swift code in the plugin.",
            "*twin* rules cannot be judged by traffic; active tests will run them. *oracle* rules compare a device with a twin",
            "that follows it, with `check --oracle`. Each other rule has two sessions, one that obeys it and one that breaks it",
            "and nothing else: `RulePairTests` of the plugin runs both.", "",
            "The test `DeviceRulesPageTests` holds this page to the profiles.",
        ]
        for plugin in ["Aquavate", "LifeCount", "BatteryTrace"] { try lines += section(plugin) }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func section(_ plugin: String) throws -> [String] {
        let profile = try ProfileUnderTest(plugin: plugin).profile
        let code = files(of: plugin, in: "Plugins/\(plugin)/Conformance")
        let tests = files(of: plugin, in: "Tests/\(plugin)Tests/Rules")
        let kinds = profile.rules.map { kind(of: $0) }
        let counts = ["declared", "code", "twin", "oracle"].map { kind in "\(kinds.count { $0 == kind }) \(kind)" }
        var lines = ["", "## \(plugin)", "", "\(profile.rules.count) rules: \(counts.joined(separator: ", ")).", ""]
        lines += ["| rule | who | severity | text | judged | test |", "|---|---|---|---|---|---|"]
        for rule in profile.rules {
            let place: String
            switch rule.kind {
            case .code: place = file(naming: rule.id, among: code) ?? "nowhere"
            case .twin: place = "twin" + (rule.hint.map { ": \($0)" } ?? "")
            case .oracle(let characteristic): place = "oracle: " + (rule.hint ?? characteristic)
            default: place = "declared"
            }
            let test = ["twin", "oracle"].contains(kind(of: rule)) ? "" : file(naming: rule.id, among: tests) ?? "none"
            let quirk = rule.quirk.map { " (\($0))" } ?? ""
            lines.append(
                "| \(rule.id) | \(rule.role.rawValue) | \(rule.severity.rawValue) | \(rule.text)\(quirk) | \(place) "
                    + "| \(test) |")
        }
        return lines
    }

    private static func kind(of rule: RuleDefinition) -> String {
        switch rule.kind {
        case .code: "code"
        case .twin: "twin"
        case .oracle: "oracle"
        default: "declared"
        }
    }

    // MARK: - Files

    /// Swift files of a folder, by their paths in it.
    private static func files(of plugin: String, in folder: String) -> [(path: String, text: String)] {
        let base = Repository.url(folder)
        let paths = FileManager.default.enumerator(atPath: base.path)?.compactMap { $0 as? String } ?? []
        return paths.filter { $0.hasSuffix(".swift") }.sorted().compactMap { path in
            (try? String(contentsOf: base.appending(path: path), encoding: .utf8)).map { (path, $0) }
        }
    }

    private static func file(naming rule: String, among files: [(path: String, text: String)]) -> String? {
        files.first { $0.text.contains("\"\(rule)\"") }.map { "`\($0.path)`" }
    }
}
