import Foundation
import Output
import PDUTestKit
import TestKit
import Testing

/// The release scripts.
struct ReleaseTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The exit status and output of a command.
    private func run(_ command: String, _ variables: [String: String] = [:]) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", command]
        process.currentDirectoryURL = URL(filePath: folder.path)
        process.environment = ["PATH": "/usr/bin:/bin", "HOME": folder.path].merging(variables) { $1 }
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }

    @Test func theVersionHasOnePlace() throws {
        #expect(try run("'\(Repository.path("scripts/version"))'").output == "\(Program.version)\n")
    }

    // MARK: Notes

    private static let changelog = """
        # Changelog

        ## [Unreleased]

        ### Added

        - Not yet.

        ## [1.1.0] - 2026-12-01

        ### Fixed

        - A fault that takes
          two lines.

        ## [1.0.1]

        - Without a date.

        ## [1.0.0] - 2026-11-01

        """

    static let releases: [(version: String, status: Int32, output: String)] = [
        ("v1.1.0", 0, "### Fixed\n\n- A fault that takes two lines.\n"),
        ("1.0.1", 1, "release-notes: the section [1.0.1] of CHANGELOG.md has no date: ## [1.0.1] - YYYY-MM-DD\n"),
        ("1.0.0", 1, "release-notes: the section [1.0.0] of CHANGELOG.md is empty\n"),
        ("1.1", 1, "release-notes: CHANGELOG.md has no section [1.1]; rename Unreleased to it\n"),
    ]

    @Test(arguments: releases)
    func notesAreTheSectionOfTheVersion(version: String, status: Int32, output: String) throws {
        try folder.file("CHANGELOG.md", Self.changelog.utf8)
        try folder.file("scripts/release-notes", try Repository.bytes("scripts/release-notes"))
        let result = try run("python3 scripts/release-notes \(version)")
        #expect(result.status == status)
        #expect(result.output == output)
    }

    // MARK: Checksums

    @Test(.enabled(if: DocumentedPage.isInstalled("gpg"), "there is no gpg"))
    func checksumsAreSigned() throws {
        try folder.file("dist/a.tar.gz", [1, 2, 3])
        try folder.file("dist/b.deb", [4])
        let script = Repository.path("scripts/checksums")
        let unsigned = try run("'\(script)' dist")
        #expect(unsigned.status == 1)
        #expect(unsigned.output == "scripts/checksums: RELEASE_SIGNING_KEY is not set; a release is signed\n")
        let made = try run(
            """
            set -e
            mkdir -m 700 keys
            export GNUPGHOME="$PWD/keys"
            gpg --batch --quiet --passphrase '' --quick-generate-key 'Release <release@example.org>' ed25519 sign never
            RELEASE_SIGNING_KEY=$(gpg --batch --armor --export-secret-keys) '\(script)' dist
            gpg --batch --verify dist/SHA256SUMS.asc dist/SHA256SUMS
            (cd dist && sha256sum --check --quiet SHA256SUMS)
            echo x >>dist/SHA256SUMS
            ! gpg --batch --verify dist/SHA256SUMS.asc dist/SHA256SUMS
            gpgconf --kill all
            """)
        #expect(made.status == 0, "\(made.output)")
        #expect(try folder.text("dist/SHA256SUMS").split(separator: "\n").count == 3)
    }

    // MARK: Hooks

    /// A pre-commit hook runs its command for each file, and fails if one run fails.
    @Test func aHookTakesFilesOneByOne() throws {
        try folder.file("check", "#!/bin/sh\nshift\necho \"$*\"\n[ \"$3\" != bad ]\n".utf8)
        let hook = "'\(Repository.path("packaging/hooks/each"))' sh check x --require aquavate"
        let good = try run("\(hook) -- a 'b c'")
        #expect(good == (0, "--require aquavate a\n--require aquavate b c\n"))
        #expect(try run("\(hook) -- bad a").status == 1)
        let mistake = try run("\(hook) a b")
        #expect(mistake.status == 2)
        #expect(mistake.output == "gattbench: the args of the hook end with --, like args: [--require, aquavate, --]\n")
    }
}
