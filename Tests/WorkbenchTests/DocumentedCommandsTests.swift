import Foundation
import PDUTestKit
import TestKit
import Testing

/// The commands on the documentation's pages print the documented output.
///
/// In a block, a line that begins with `$ ` is a command, followed by its output; a line `…` stands for any number of
/// lines. The commands of a page run one after the other in a folder with the repository's captures. Commands that need
/// special hardware or do not end are in blocks of the language `console`, and do not run.
@Suite(.enabled(if: DocumentedPage.program != nil, "the program is not built"))
struct DocumentedCommandsTests {
    @Test(arguments: [
        "battery.md", "check.md", "connecting.md", "controlling.md", "decode.md", "diff.md", "emulating.md",
        "extract.md", "gateway.md", "hydration.md", "keys.md", "live.md", "merge.md", "plugins.md", "redact.md",
        "serial-devices.md", "sync.md", "testing-a-client.md", "testing-a-device.md", "trace-reading.md", "why.md",
        "../README.md", "../Plugins/Aquavate/README.md", "../Plugins/LifeCount/README.md",
    ])
    func theCommandsPrintWhatStandsThere(name: String) throws {
        let page = try DocumentedPage(name)
        #expect(!page.commands.isEmpty)
        for command in page.commands where command.needs.allSatisfy(DocumentedPage.isInstalled) {
            let output = try page.run(command.text)
            #expect(command.isPrinted(by: output), "$ \(command.text)\n\(output)")
        }
    }
}

/// A documentation page with its commands.
final class DocumentedPage {
    /// The program that was built together with the tests.
    static let program: String? = {
        let path = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "gattbench").path
        return FileManager.default.isExecutableFile(atPath: path) ? path : nil
    }()
    /// Whether a third-party program is installed.
    static func isInstalled(_ program: String) -> Bool {
        ["/usr/bin/", "/usr/local/bin/"].contains { FileManager.default.isExecutableFile(atPath: $0 + program) }
    }

    private(set) var commands: [DocumentedCommand] = []
    /// The working directory of the commands.
    private let folder: TemporaryFolder

    init(_ name: String) throws {
        folder = try TemporaryFolder()
        for shown in ["captures", "docs"] {
            try FileManager.default.createSymbolicLink(
                atPath: folder.path(shown), withDestinationPath: Repository.path(shown))
        }
        let text = try Repository.text("docs/\(name)")
        // A header that a command reads is in a separate block.
        for block in Self.blocks(of: text) where block.language == "c" {
            try folder.file("packets.h", block.lines.joined(separator: "\n").utf8)
        }
        for block in Self.blocks(of: text) where ["", "text"].contains(block.language) {
            var inBlock: [DocumentedCommand] = []
            var isOpen = false
            for line in block.lines {
                if isOpen {
                    inBlock[inBlock.count - 1].text += "\n" + line
                } else if line.hasPrefix("$ ") {
                    inBlock.append(DocumentedCommand(text: String(line.dropFirst(2)), output: []))
                } else {
                    if !inBlock.isEmpty { inBlock[inBlock.count - 1].output.append(line) }
                    continue
                }
                isOpen = line.hasSuffix("\\")
            }
            commands += inBlock
        }
    }

    /// Blocks between lines of three backquotes.
    private static func blocks(of text: String) -> [(language: String, lines: [String])] {
        let parts = text.components(separatedBy: "\n```")
        return stride(from: 1, to: parts.count, by: 2).map { index in
            let lines = parts[index].split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            return (lines[0], Array(lines.dropFirst()))
        }
    }

    /// The output of a command, including standard error.
    func run(_ command: String) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", command]
        process.currentDirectoryURL = URL(filePath: folder.path)
        let programs = URL(filePath: try #require(Self.program)).deletingLastPathComponent().path
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        process.environment = [
            "PATH": "\(programs):\(path)", "HOME": folder.path, "NO_COLOR": "1", "LC_ALL": "C.UTF-8",
        ]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self).replacing("\r\n", with: "\n")
    }
}

/// A command and its documented output.
struct DocumentedCommand {
    var text: String
    var output: [String]

    /// Third-party programs that the command needs.
    var needs: [String] { ["jq", "tshark"].filter(text.contains) }

    /// Whether an output matches the page: the same lines in order, with others only where the page omits some.
    func isPrinted(by printed: String) -> Bool {
        var rest = printed.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)[...]
        var output = output[...]
        // Trailing empty lines are for readability: between commands, or after a tree.
        while rest.last == "" { rest.removeLast() }
        while output.last == "" { output.removeLast() }
        let pieces = output.split(separator: "…", omittingEmptySubsequences: false).map(Array.init)
        for (index, piece) in pieces.enumerated() {
            if index == 0 {
                guard rest.starts(with: piece) else { return false }
                rest.removeFirst(piece.count)
            } else if index == pieces.count - 1 {
                return rest.count >= piece.count && Array(rest.suffix(piece.count)) == piece
            } else {
                let start = rest.indices.first { rest[$0...].starts(with: piece) }
                guard let start else { return false }
                rest = rest[(start + piece.count)...]
            }
        }
        return rest.isEmpty
    }
}
