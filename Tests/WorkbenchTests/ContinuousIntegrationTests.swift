import Foundation
import PDUTestKit
import Profile
import TestKit
import Testing

/// The program that was built together with the tests.
private let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "gattbench")

/// The recipes of docs/ci.md work as described.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: program.path), "gattbench is not built"))
struct ContinuousIntegrationTests {
    /// A folder of captures for running recipes.
    private struct Workplace {
        let folder: TemporaryFolder

        /// Creates `session.btsnoop` and the other files of a folder of captures/, or an empty capture, and the
        /// accepted session.
        init(_ session: String?) throws {
            folder = try TemporaryFolder()
            try copy(Repository.url("captures/aquavate-sync/capture.btsnoop"), "accepted.btsnoop")
            guard let session else {
                let header = Data("btsnoop\0".utf8) + [0, 0, 0, 1, 0, 0, 0x03, 0xEA]
                try folder.file("session.btsnoop", header)
                return
            }
            let source = Repository.url("captures/\(session)")
            try copy(source.appending(path: "capture.btsnoop"), "session.btsnoop")
            try? copy(source.appending(path: "gatt.json"), "gatt.json")
        }

        private func copy(_ file: URL, _ name: String) throws {
            try FileManager.default.copyItem(at: file, to: URL(filePath: folder.path(name)))
        }

        /// Runs commands like a CI system; returns the exit status and the output.
        func run(_ commands: String) throws -> (status: Int32, output: String) {
            let process = Process()
            process.executableURL = URL(filePath: "/bin/sh")
            process.arguments = ["-e", "-c", commands]
            process.currentDirectoryURL = URL(filePath: folder.path)
            process.environment = [
                "PATH": program.deletingLastPathComponent().path + ":/usr/bin:/bin",
                "GITHUB_STEP_SUMMARY": "summary.md",
            ]
            let output = Pipe()
            process.standardOutput = output
            process.standardError = output
            try process.run()
            let printed = output.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            return (process.terminationStatus, String(decoding: printed, as: UTF8.self))
        }
    }

    @Test func theTemplateForGitLabNeedsCaptures() throws {
        let faults = FaultList()
        let root = YAMLDocument.read(try Repository.text("Templates/gitlab-ci.yml"), faults)
        let script = try #require(root?[".gattbench"]?["script"]?.elements.first?.scalar?.text, "\(faults.faults)")
        let none = try Workplace(nil).run("CAPTURES=\n\(script)")
        #expect(none.status == 2)
        #expect(none.output == "CAPTURES is empty; name the captures to check\n")
        #expect(try Workplace(nil).run("CAPTURES=accepted.btsnoop\n\(script)").status == 0)
    }

    /// A recipe in YAML.
    private func document(_ section: String) throws -> YAMLNode {
        let faults = FaultList()
        let root = YAMLDocument.read(try recipe(section), faults)
        return try #require(root, "\(faults.faults)")
    }

    /// The code block of a section of docs/ci.md.
    private func recipe(_ section: String) throws -> String {
        let text = try Repository.text("docs/ci.md")
        let after = try #require(text.components(separatedBy: "## \(section)\n").dropFirst().first)
        let blocks = after.components(separatedBy: "```")
        return blocks[1].split(separator: "\n").dropFirst().joined(separator: "\n")
    }

    /// A session, nil for an empty capture, with the recipe's exit code; the second one needs its attribute table.
    static let sessions: [(capture: String?, status: Int32)] = [
        ("aquavate-sync", 0), ("aquavate-first-firmware", 1), (nil, 4),
    ]

    /// The commands of a recipe for a session.
    private func commands(_ recipe: String, for capture: String?) -> String {
        guard let capture else { return recipe }
        let needsTable = FileManager.default.fileExists(
            atPath: Repository.path("captures/\(capture)/gatt.json"))
        return needsTable ? recipe.replacing(" session.btsnoop", with: " --gatt gatt.json session.btsnoop") : recipe
    }

    @Test(arguments: sessions)
    func theShellRecipe(_ capture: String?, _ status: Int32) throws {
        let place = try Workplace(capture)
        let result = try place.run(commands(recipe("A plain shell"), for: capture))
        #expect(result.status == status, "\(result.output)")
        #expect(try place.folder.text("check.xml").hasPrefix("<?xml"))
        #expect(try place.folder.text("check.tap").hasPrefix("TAP version 14\n"))
        #expect(result.output.isEmpty == (status == 0))
    }

    @Test(arguments: sessions)
    func theGitHubRecipe(_ capture: String?, _ status: Int32) throws {
        let steps = try document("GitHub Actions").elements
        #expect(steps.count == 2)
        let place = try Workplace(capture)
        let result = try place.run(commands(#require(steps[0]["run"]?.scalar?.text), for: capture))
        #expect(result.status == status, "\(result.output)")
        #expect(result.output.hasPrefix("::notice title=Capture quality::"))
        #expect(result.output.contains("\n::error title=AQ-212 ") == (status == 1))
        #expect(try place.folder.text("summary.md").hasPrefix("# gattbench check: "))
        let report = try #require(steps[1]["with"]?["sarif_file"]?.scalar?.text)
        #expect(try place.folder.text(report).contains("\"version\": \"2.1.0\""))
    }

    @Test(arguments: sessions)
    func theGitLabRecipe(_ capture: String?, _ status: Int32) throws {
        let job = try #require(try document("GitLab")["check"])
        let report = try #require(job["artifacts"]?["reports"]?["junit"]?.scalar?.text)
        let place = try Workplace(capture)
        let result = try place.run(commands(#require(job["script"]?.scalar?.text), for: capture))
        #expect(result.status == status, "\(result.output)")
        #expect(try place.folder.text(report).hasPrefix("<?xml"))
    }

    @Test(arguments: [("aquavate-sync", 0 as Int32), ("aquavate-first-firmware", 1)])
    func theRecipeForWhatIsNew(_ capture: String, _ status: Int32) throws {
        let place = try Workplace(capture)
        let recipe = try recipe("Only what is new")
        let result = try place.run(commands(recipe, for: capture))
        #expect(result.status == status, "\(result.output)")
        #expect(result.output.contains("Against accepted.btsnoop\n"))
        // A rule that already failed in the accepted run is not a new failure.
        let again = recipe.replacing("accepted.btsnoop", with: "session.btsnoop")
        #expect(try place.run(commands(again, for: capture)).status == 0)
    }

    /// At most one report goes to standard output, and no report overwrites a capture.
    @Test func oneReportAtMostOnOutput() throws {
        let place = try Workplace("aquavate-sync")
        #expect(try place.run("gattbench check --json --junit - session.btsnoop").status == 2)
        #expect(try place.run("gattbench check --junit session.btsnoop session.btsnoop").status == 2)
        #expect(try place.run("gattbench check --junit no/where.xml session.btsnoop").status == 3)
        #expect(try place.run("gattbench check --against gone.json session.btsnoop").status == 3)
        #expect(
            try place.run("echo '{}' >other.json; gattbench check --against other.json session.btsnoop").status == 3)
        let junit = try place.run("gattbench check --junit - --github session.btsnoop 2>errors")
        #expect(junit.output.hasPrefix("<?xml") && junit.output.hasSuffix("</testsuites>\n"))
        #expect(try place.folder.text("errors").hasPrefix("::notice "))
    }
}
