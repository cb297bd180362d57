import Foundation
import Testing

/// The commands of the documentation's pages print what stands there.
///
/// A block of `text` has lines that begin with `$ `, each with its output after it; a line `…` in the output stands for
/// any number of lines. The commands of a page run one after the other in a folder that has the repository's captures.
@Suite(.enabled(if: DocumentedPage.program != nil, "the program is not built"))
struct DocumentedCommandsTests {
    @Test(arguments: ["plugins.md"])
    func theCommandsPrintWhatStandsThere(name: String) throws {
        let page = try DocumentedPage(name)
        #expect(!page.commands.isEmpty)
        for command in page.commands where DocumentedPage.hasTshark || !command.text.contains("tshark") {
            let output = try page.run(command.text)
            #expect(command.isPrinted(by: output), "$ \(command.text)\n\(output)")
        }
    }
}

/// A page of the documentation with the commands that it shows.
final class DocumentedPage {
    /// What was built together with the tests.
    static let program: String? = {
        let path = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "gattbench").path
        return FileManager.default.isExecutableFile(atPath: path) ? path : nil
    }()
    static let hasTshark = ["/usr/bin/tshark", "/usr/local/bin/tshark"].contains(
        where: FileManager.default.isExecutableFile)

    private(set) var commands: [DocumentedCommand] = []
    /// Where the commands run.
    private let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

    init(_ name: String) throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for shown in ["captures", "docs"] {
            try FileManager.default.createSymbolicLink(
                at: folder.appending(path: shown), withDestinationURL: root.appending(path: shown))
        }
        let text = try String(contentsOf: root.appending(path: "docs/\(name)"), encoding: .utf8)
        // A header that a command reads stands in a block of its own.
        for header in Self.blocks("c", of: text) {
            try Data(header.utf8).write(to: folder.appending(path: "packets.h"))
        }
        for block in Self.blocks("text", of: text) {
            for line in block.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
                if line.hasPrefix("$ ") {
                    commands.append(DocumentedCommand(text: String(line.dropFirst(2)), output: []))
                } else if let last = commands.indices.last {
                    commands[last].output.append(line)
                }
            }
        }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private static func blocks(_ language: String, of text: String) -> [String] {
        text.components(separatedBy: "\n```\(language)\n").dropFirst().map { $0.components(separatedBy: "\n```")[0] }
    }

    /// What a command prints, results and messages.
    func run(_ command: String) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", command]
        process.currentDirectoryURL = folder
        let programs = URL(filePath: try #require(Self.program)).deletingLastPathComponent().path
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        process.environment = ["PATH": "\(programs):\(path)", "HOME": folder.path, "NO_COLOR": "1", "LC_ALL": "C.UTF-8"]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }
}

/// A command and what the page says that it prints.
struct DocumentedCommand {
    var text: String
    var output: [String]

    /// Whether an output is the page's: its lines in their order, with others only where the page leaves some out.
    func isPrinted(by printed: String) -> Bool {
        var rest = printed.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)[...]
        if rest.last == "" { rest.removeLast() }
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
