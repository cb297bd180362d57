import Foundation
import PDUTestKit
import TestKit

/// Bumble, a Bluetooth host in Python (https://google.github.io/bumble).
enum Bumble {
    /// A Python interpreter with Bumble installed.
    static let python: String? = interpreter(importing: "bumble.device")

    /// A Python interpreter with a module.
    static func interpreter(importing module: String) -> String? {
        [environment, "python3"].first { python in
            guard let process = try? Script(python, ["-c", "import \(module)"]) else { return false }
            return process.finish().status == 0
        }
    }

    static let isMissing: String = "no Python here has bumble: pip install bumble"

    private static let folder = Repository.url("Tests/InteropTests")
    /// The environment that `make test` creates.
    private static let environment = Repository.path(".build/python/bin/python3")

    /// The exit status and the output of a script in this folder.
    static func run(
        _ script: String, _ arguments: [String], python: String? = Bumble.python
    ) throws -> (status: Int32, output: String) {
        try start(script, arguments, python: python).finish()
    }

    static func start(_ script: String, _ arguments: [String], python: String? = Bumble.python) throws -> Script {
        try Script(python ?? "python3", [folder.appending(path: script).path] + arguments)
    }

    /// A running script.
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

        /// Ends the script early, when nothing that it waits for will come.
        func stop() {
            process.terminate()
        }

        /// Waits until the script exits.
        func finish() -> (status: Int32, output: String) {
            let text = output.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            return (process.terminationStatus, String(decoding: text, as: UTF8.self))
        }
    }
}
