import Foundation
import PDUTestKit

/// `Tests/Players/monitor_player.py`, which speaks a firmware's side of a serial port.
final class FirmwarePlayer {
    /// The terminal to read.
    let path: String
    /// Sequence numbers of the packets that a reader must find, in order.
    let expected: [Int]

    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    static let canRun = isInstalled("python3")

    static func isInstalled(_ program: String) -> Bool {
        let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
        return folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
    }

    init(_ scenario: String, stack: String) throws {
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "python3", Repository.path("Tests/Players/monitor_player.py"), scenario, "--stack", stack,
        ]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        path = Self.line(from: output.fileHandleForReading)
        expected = Self.line(from: output.fileHandleForReading).split(separator: ",").flatMap { range in
            let ends = range.split(separator: "-").compactMap { Int($0) }
            return ends.count == 2 ? Array(ends[0]...ends[1]) : []
        }
    }

    deinit {
        end()
        process.waitUntilExit()
    }

    /// Waits until a reader has taken everything.
    func waitUntilRead() { _ = Self.line(from: output.fileHandleForReading) }

    /// Ends the player, which hangs up the terminal.
    func end() { try? input.fileHandleForWriting.close() }

    private static func line(from handle: FileHandle) -> String {
        var bytes: [UInt8] = []
        while let byte = (try? handle.read(upToCount: 1))?.first, byte != UInt8(ascii: "\n") { bytes.append(byte) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
