import Bytes
import Captures
import Conformance
import Conversation
import Foundation
import Output
import PDUTestKit
import PluginKit
import Profile
import TestKit
import Testing
import Workbench

/// Texts of a profile cannot control a terminal or forge a line, whichever command prints them.
struct ProfileTextTests {
    /// ESC, BEL, CSI as C1, a right-to-left override and line breaks, escaped for YAML.
    private static let text = #"x\e]0;t\a\e[31m\x9b\u202e\r\n# forged \u2028y"#
    private static let legible = #"x\u{1B}]0;t\u{7}\u{1B}[31m\u{9B}\u{202E} # forged  y"#
    private static let capture = Repository.path("captures/soil-sensor/capture.btsnoop")

    /// The profile of the soil sensor with that text in every text field.
    private static func yaml() throws -> String {
        let plain = try String(contentsOfFile: Repository.path("captures/soil-sensor/profile.yaml"), encoding: .utf8)
        var yaml = plain
        for (old, new) in [
            ("title: Meadow soil sensor", "title: \"\(text)\"\n  doc: \"\(text)\""),
            ("title: Soil Sample", "title: \"\(text)\""), ("title: Soil Command", "title: \"\(text)\""),
            ("name: measure_now", "name: measure_now, title: \"\(text)\""),
            ("°C", "\"\(text)\""), ("unknown}", "\"\(text)\"}"), ("temperature: unknown", "temperature: 0"),
        ] {
            #expect(yaml.contains(old))
            yaml = yaml.replacingOccurrences(of: old, with: new)
        }
        return yaml + """

            rules:
              - {id: M-1, text: "\(text)", source: "\(text)", hint: "\(text)", role: peripheral, severity: error,
                 check: {on: notify sample, holds: "u8(0) == 99"}}

            """
    }

    private static func plugins() throws -> PluginSet {
        let profile = try ProfileReader.read(yaml(), file: "profile.yaml")
        return PluginSet([DevicePlugin(try CompiledProfile(profile))], named: [0])
    }

    /// Labels, units and value names are sanitized at their declaration.
    @Test func declaredFieldsHaveNone() throws {
        let profile = try CompiledProfile(ProfileReader.read(Self.yaml(), file: "profile.yaml"))
        let fields = profile.fields
        #expect(fields.contains { $0.label == Self.legible })
        #expect(fields.contains { $0.unit == Self.legible })
        let names = fields.compactMap(\.names).flatMap { names in names.values?.compactMap { names[$0] } ?? [] }
        #expect(names.contains(Self.legible))
        for field in fields { #expect(Self.controls(in: field.label + (field.unit ?? "")).isEmpty, "\(field.name)") }
    }

    private static func controls(in text: String) -> [Unicode.Scalar] {
        text.unicodeScalars.filter { $0.isControl && $0 != "\n" }
    }

    private static func hasForgedLine(_ text: String) -> Bool {
        text.split(separator: "\n").contains { $0.hasPrefix("# forged") }
    }

    @Test(arguments: [DecodeOptions.Format.text, .fields, .ndjson, .csv], [false, true])
    func decodingPrintsNone(_ format: DecodeOptions.Format, showsTree: Bool) async throws {
        var options = DecodeOptions()
        options.plugins = try Self.plugins()
        options.format = format
        options.showsTree = showsTree && format == .text
        options.fields = ["gatt.characteristic", "device.message"]
        var text = try await decode(Self.capture, options).replacingOccurrences(of: "\r\n", with: "\n")
        // Tabs separate columns.
        if format == .fields || format == .csv { text = text.replacingOccurrences(of: "\t", with: " ") }
        #expect(Self.controls(in: text) == [])
        #expect(!Self.hasForgedLine(text))
        if format == .text { #expect(text.contains("Write Response  \(Self.legible)  (7.5 ms)")) }
    }

    @Test func aSummaryPrintsNone() throws {
        let folder = try TemporaryFolder()
        let path = try folder.file("profile.yaml", Array(Self.yaml().utf8))
        let library = try PluginLibrary.load([path], environment: [:])
        let shown = PluginSummary.show(try #require(library["meadow"]))
        #expect(Self.controls(in: shown) == [])
        #expect(shown.hasPrefix("meadow 1.0.0: \(Self.legible)\n"))
        #expect(Self.controls(in: PluginSummary.list(library)) == [])
        #expect(Self.controls(in: PluginSummary.showJSON(try #require(library["meadow"]))) == [])
    }

    @Test func reportsOfACheckPrintNone() async throws {
        var job = CheckJob()
        job.plugins = try Self.plugins()
        let report = try await job.run(CaptureReader(path: Self.capture)) { _ in true }.report
        #expect(report.results.contains { report.rules[$0.rule].id == "M-1" && $0.verdict == .fail })
        let formats: [any ReportFormat] = [
            JUnitReport(report), SARIFReport(report), TAPReport(report), MarkdownReport(report), JSONReport(report),
            AnnotationReport(report),
        ]
        for text in try formats.map({ try $0.text() }) + [CheckSummary(report).text()] {
            #expect(Self.controls(in: text) == [])
            #expect(!Self.hasForgedLine(text))
        }
    }
}
