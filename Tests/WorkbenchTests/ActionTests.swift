import Foundation
import PDUTestKit
import TestKit
import Testing

/// action.yml installs a release, checks captures with it, and ends the job according to its inputs.
@Suite(.enabled(if: DocumentedPage.program != nil, "the program is not built"))
struct ActionTests {
    private static let version = "9.8.7"

    /// A server with one release, which contains the program of this build.
    private let server: TemporaryFolder
    private let workspace: TemporaryFolder

    init() throws {
        server = try TemporaryFolder()
        workspace = try TemporaryFolder()
        try addRelease(Self.version, program: #require(DocumentedPage.program))
    }

    /// Adds a release whose program is the file at a path.
    private func addRelease(_ version: String, program: String) throws {
        let release = "gattbench/gattbench/releases/download/v\(version)"
        try FileManager.default.createDirectory(atPath: server.path(release), withIntermediateDirectories: true)
        try shell(
            """
            mkdir -p gattbench-\(version)/bin
            ln -s '\(program)' gattbench-\(version)/bin/gattbench
            cd '\(release)'
            archive=gattbench-\(version)-linux-x86_64.tar.gz
            tar -C '\(server.path)' -czf "$archive" gattbench-\(version)
            sha256sum "$archive" >SHA256SUMS
            """, in: server)
    }

    /// Adds a release whose program prints a text, whatever its arguments are, and ends with an exit code; returns its
    /// version.
    private func addRelease(printing text: String, code: Int) throws -> String {
        let script = """
            #!/bin/sh
            [ "$*" != --version ] || exit 0
            echo "arguments: $*" >&2
            cat <<'END'
            \(text)
            END
            exit \(code)
            """
        let program = try server.file("printing", script.utf8)
        try shell("chmod +x printing", in: server)
        try addRelease("1.0.\(code)", program: program)
        return "1.0.\(code)"
    }

    private func shell(_ commands: String, in folder: TemporaryFolder) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-e", "-c", commands]
        process.currentDirectoryURL = URL(filePath: folder.path)
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
    }

    private func add(_ capture: String, as name: String) throws {
        try workspace.file(name, try Repository.bytes("captures/\(capture)/capture.btsnoop"))
        guard let table = try? Repository.bytes("captures/\(capture)/gatt.json") else { return }
        try workspace.file("gatt.json", table)
    }

    private func action(reference: String = "v\(version)") throws -> CompositeAction {
        try CompositeAction(workspace, server: "file://\(server.path)", reference: reference)
    }

    /// Annotations of one kind in the output of a step.
    private func annotations(_ kind: String, _ step: CompositeAction.Step?) -> [Substring] {
        (step?.output ?? "").split(separator: "\n").filter { $0.hasPrefix("::\(kind) ") }
    }

    @Test func keysAreReadAndNotPrinted() throws {
        try add("aquavate-sync", as: "drink.btsnoop")
        let key = "d1d2d3d4d5d6d7d8d9dadbdcdddedfe0"
        let green = try action()
        #expect(try green.run(with: ["captures": "drink.btsnoop", "keys": "# bonds\nltk:\(key)"]))
        let wrong = try action()
        #expect(try !wrong.run(with: ["captures": "drink.btsnoop", "keys": "ltk:\(key)0"]))
        let output = wrong.step("Run gattbench")?.output ?? ""
        #expect(output.contains("standard input:1: ltk: expected 32 hexadecimal digits"))
        #expect(!output.contains(key))
    }

    @Test func aGreenRun() throws {
        try add("aquavate-sync", as: "captures/morning drink.btsnoop")
        let action = try action()
        #expect(try action.run(with: ["captures": "  captures/*.btsnoop\n", "arguments": "--require aquavate"]))
        #expect(action.steps.map(\.name) == ["Install gattbench", "Run gattbench", "Upload the findings", "Result"])
        #expect(action.output("result") == "passed")
        #expect(action.step("Run gattbench")?.summary.hasPrefix("# gattbench check: ") == true)
        let upload = try #require(action.step("Upload the findings")?.used)
        #expect(upload.action.hasPrefix("github/codeql-action/upload-sarif@"))
        let reports = try #require(upload.arguments["sarif_file"])
        #expect(reports == action.output("reports"))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: reports).filter { $0.hasSuffix(".sarif") } == [
                "1.sarif"
            ])
    }

    static let endings: [(capture: String?, failOn: String, result: String, goesOn: Bool)] = [
        ("aquavate-first-firmware", "inconclusive", "failed", false),
        ("aquavate-first-firmware", "failure", "failed", false),
        ("aquavate-first-firmware", "never", "failed", true),
        (nil, "inconclusive", "inconclusive", false), (nil, "failure", "inconclusive", true),
    ]

    /// A failing capture, or an empty one.
    @Test(arguments: endings)
    func itEndsAsAsked(capture: String?, failOn: String, result: String, goesOn: Bool) throws {
        if let capture {
            try add(capture, as: "a.btsnoop")
        } else {
            try workspace.file("a.btsnoop", Data("btsnoop\0".utf8) + [0, 0, 0, 1, 0, 0, 0x03, 0xEA])
        }
        let action = try action()
        let inputs = [
            "captures": "a.btsnoop", "fail-on": failOn, "sarif": "false",
            "arguments": capture == nil ? "" : "--gatt gatt.json",
        ]
        #expect(try action.run(with: inputs) == goesOn)
        #expect(action.output("result") == result)
        #expect(action.step("Upload the findings") == nil)
        #expect(annotations("error", action.step("Run gattbench")).isEmpty == (result != "failed"))
    }

    /// An unreadable capture fails the job whatever `fail-on` allows.
    @Test(arguments: ["inconclusive", "failure", "never"])
    func anUnreadableCaptureFailsTheJob(failOn: String) throws {
        try add("aquavate-first-firmware", as: "a.btsnoop")
        try workspace.file("b.btsnoop", Data("no capture".utf8))
        let action = try action()
        let inputs = ["captures": "*.btsnoop", "fail-on": failOn, "arguments": "--gatt gatt.json"]
        #expect(try !action.run(with: inputs))
        #expect(annotations("error", action.step("Run gattbench")).contains { $0.contains("b.btsnoop") })
    }

    /// Twelve failing captures: ten annotations of one kind, the last of which counts the others.
    @Test func asManyAnnotationsAsGitHubShows() throws {
        for number in 1...12 { try add("aquavate-first-firmware", as: "\(number).btsnoop") }
        let action = try action()
        #expect(try !action.run(with: ["captures": "*.btsnoop", "arguments": "--gatt gatt.json"]))
        let step = action.step("Run gattbench")
        for kind in ["error", "notice"] {
            let lines = annotations(kind, step)
            #expect(lines.count == 10)
            #expect(lines.last?.hasSuffix(" more; the summary has all") == true)
        }
        #expect(annotations("warning", step).count <= 10)
        #expect(step?.summary.components(separatedBy: "# gattbench check: ").count == 13)
    }

    @Test func nothingFailedInTheCapture() throws {
        try add("aquavate-sync", as: "a.btsnoop")
        let action = try action()
        #expect(try action.run(with: ["command": "why", "captures": "a.btsnoop"]))
        #expect(action.output("result") == "passed")
        let step = try #require(action.step("Run gattbench"))
        #expect(step.summary.hasPrefix("# gattbench why: a.btsnoop\n\n```\n"))
        #expect(annotations("error", step).isEmpty)
        #expect(action.step("Upload the findings") == nil)
    }

    private static let explanation = """
        a.btsnoop  50 frames

        connection 1 with ```Puck: disconnected, supervision_timeout (certain)
             nothing was heard for 100 % of the timeout
             ::warning::text of a device
             frames 40 and 44

        command failed, no cause found
             frame 46

        2 incidents: 1 certain, 1 without a cause
        """

    /// The text is in the summary, and an annotation of each capture counts and names its incidents.
    @Test(arguments: [
        (1, "inconclusive", "failed", false), (1, "never", "failed", true),
        (4, "inconclusive", "inconclusive", false), (4, "failure", "inconclusive", true),
    ])
    func incidentsAreInTheSummary(code: Int, failOn: String, result: String, goesOn: Bool) throws {
        for name in ["a.btsnoop", "b.btsnoop"] { try workspace.file(name, Data()) }
        let version = try addRelease(printing: Self.explanation, code: code)
        let action = try action()
        let inputs = ["command": "why", "captures": "a.btsnoop\nb.btsnoop", "version": version, "fail-on": failOn]
        #expect(try action.run(with: inputs) == goesOn)
        #expect(action.output("result") == result)
        let step = try #require(action.step("Run gattbench"))
        for name in ["a", "b"] {
            #expect(step.summary.contains("# gattbench why: \(name).btsnoop\n\n````\n\(Self.explanation)\n````\n"))
        }
        #expect(
            annotations("error", step)
                == ["a", "b"].map {
                    "::error file=\($0).btsnoop,title=gattbench why::2 incidents: 1 certain, 1 without a cause"
                        + "%0Aconnection 1 with ```Puck: disconnected, supervision_timeout (certain)"
                        + "%0Acommand failed, no cause found"
                })
        // The runner obeys no command between these two lines.
        let lines = step.output.split(separator: "\n")
        let stop = try #require(lines.firstIndex { $0.hasPrefix("::stop-commands::") })
        let token = lines[stop].dropFirst("::stop-commands::".count)
        let end = try #require(lines.firstIndex(of: "::\(token)::"))
        #expect(token.count == 32 && lines[stop...end].contains { $0.contains("::warning::text of a device") })
    }

    @Test func twoCapturesAreCompared() throws {
        for name in ["good.btsnoop", "bad.btsnoop"] { try workspace.file(name, Data()) }
        let version = try addRelease(printing: "1 difference", code: 1)
        let action = try action()
        let inputs = [
            "command": "diff", "captures": "good.btsnoop\nbad.btsnoop", "version": version,
            "arguments": "--tolerance 10%",
        ]
        #expect(try !action.run(with: inputs))
        #expect(action.output("result") == "failed")
        let step = try #require(action.step("Run gattbench"))
        #expect(step.output.contains("arguments: diff --tolerance 10% good.btsnoop bad.btsnoop\n"))
        #expect(step.summary == "# gattbench diff: good.btsnoop bad.btsnoop\n\n```\n1 difference\n```\n\n")
        #expect(annotations("error", step) == ["::error file=good.btsnoop,title=gattbench diff::1 difference"])
    }

    @Test func aTestOfADevice() throws {
        let action = try action()
        let arguments = "peripheral aquavate --transport radio: --quirks fixed --case table.services"
        #expect(try action.run(with: ["command": "test", "arguments": arguments]))
        #expect(action.output("result") == "passed")
    }

    @Test func anArchiveThatDiffersIsNotInstalled() throws {
        try add("aquavate-sync", as: "a.btsnoop")
        try shell("for file in gattbench/*/*/*/*/*.tar.gz; do echo x >>\"$file\"; done", in: server)
        let action = try action()
        #expect(try !action.run(with: ["captures": "a.btsnoop"]))
        #expect(action.steps.map(\.name) == ["Install gattbench", "Result"])
        #expect(action.steps[0].output.contains("differs from its checksum"))
        #expect(action.steps[1].status == 2)
    }

    static let mistakes: [(inputs: [String: String], message: String)] = [
        (["version": "1.0.0"], "release 1.0.0 cannot be fetched"),
        (["captures": "gone-*.btsnoop"], "no capture is named like this: gone-*.btsnoop"),
        ([:], "captures is empty"),
        (["command": "decode"], "command is 'decode'; it is check, why, diff or test"),
        (["command": "test", "keys": "ltk:00"], "keys goes with check, why and diff"),
        (["command": "diff", "captures": "a.btsnoop"], "captures names 1; diff compares two"),
        (["command": "why", "captures": "a.btsnoop", "arguments": "--connection 0"], "--connection 0"),
        (["captures": "a.btsnoop", "fail-on": "sometimes"], "fail-on is 'sometimes'"),
        (["captures": "a.btsnoop", "arguments": "--waivers 'my"], "arguments have an unmatched quote"),
        (["captures": "a.btsnoop", "arguments": "--waivers gone.yaml"], "gone.yaml"),
    ]

    @Test(arguments: mistakes)
    func mistakesAreNamed(inputs: [String: String], message: String) throws {
        try add("aquavate-sync", as: "a.btsnoop")
        let action = try action()
        #expect(try !action.run(with: inputs))
        let errors = action.steps.flatMap { annotations("error", $0) }
        #expect(errors.contains { $0.contains(message) }, "\(action.steps)")
    }

    @Test func withoutATagItAsksForAVersion() throws {
        let action = try action(reference: "main")
        #expect(try !action.run(with: ["captures": "a.btsnoop"]))
        #expect(
            action.steps[0].output.contains("version is missing, and the action's 'main' is not the tag of a release"))
    }
}
