import Foundation
import PDUTestKit
import TestKit

/// Bumble, a Bluetooth host in Python (https://google.github.io/bumble).
enum Bumble {
    /// A Python that has it.
    static let python: String? = [environment, "python3"].first { python in
        guard let process = try? Script(python, ["-c", "import bumble.device"]) else { return false }
        return process.finish().status == 0
    }

    static let isMissing: String = "no Python here has bumble: pip install bumble"

    private static let folder = Repository.url("Tests/InteropTests")
    /// Where `make test` puts it.
    private static let environment = Repository.path(".build/python/bin/python3")

    /// How a script of this folder ends, and what it says.
    static func run(_ script: String, _ arguments: [String]) throws -> (status: Int32, output: String) {
        try start(script, arguments).finish()
    }

    static func start(_ script: String, _ arguments: [String]) throws -> Script {
        try Script(python ?? "python3", [folder.appending(path: script).path] + arguments)
    }

    /// A script that runs.
    final class Script {
        private let process = Process()
        private let input = Pipe()
        private let output = Pipe()

        fileprivate init(_ program: String, _ arguments: [String]) throws {
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = [program] + arguments
            process.standardInput = input
            process.standardOutput = output
            process.standardError = output
            try process.run()
        }

        func type(_ line: String) {
            input.fileHandleForWriting.write(Data("\(line)\n".utf8))
        }

        /// Ends it before its time, as nothing that it waits for will come.
        func stop() {
            process.terminate()
        }

        /// Waits for its end.
        func finish() -> (status: Int32, output: String) {
            let text = output.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            return (process.terminationStatus, String(decoding: text, as: UTF8.self))
        }
    }
}
