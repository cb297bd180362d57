import Bytes
import Foundation
import PDUTestKit
import Profile
import ProfileTools
import TestKit
import Testing

/// docs/profile-format.md: its examples form one profile, and it names every lint check.
@Suite struct ProfileDocumentTests {
    private func page() throws -> String { try Repository.text("docs/profile-format.md") }

    /// The examples, each on the same lines as in the page.
    private func examples() throws -> String {
        var isExample = false
        let lines = try page().split(separator: "\n", omittingEmptySubsequences: false).map { line in
            if line.hasPrefix("```") {
                isExample = line == "```yaml"
                return ""
            }
            return isExample ? String(line) : ""
        }
        return lines.joined(separator: "\n")
    }

    @Test func theExamplesAreOneProfile() throws {
        let profile = try ProfileReader.read(examples(), file: "docs/profile-format.md")
        let report = ProfileLint.report(on: profile, strict: true)
        #expect(report.findings.map { $0.line(in: profile.file) } == [])
        #expect(report.accepted.map(\.finding.check) == ["payload-exceeds-mtu"])
        #expect(profile.types.count == 13 && profile.rules.count == 14 && profile.vectors.count == 14)
    }

    @Test(arguments: ProfileCheck.allCases)
    func everyCheckIsListed(check: ProfileCheck) throws {
        #expect(try page().contains("| `\(check.rawValue)` |"))
    }
}
