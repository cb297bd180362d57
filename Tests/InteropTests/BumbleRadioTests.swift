import Captures
import Foundation
import Synchronization
import Testing
import Transports
import Workbench

/// Two hosts that others wrote, on our radio: they find each other, connect, exchange, pair and come back.
@Suite(.serialized, .enabled(if: Bumble.python != nil, "no Python here has bumble: pip install bumble"))
struct BumbleRadioTests {
    @Test(arguments: [
        "legacy-advertising+secure-connections", "legacy-advertising+passkey", "extended-advertising+legacy-pairing",
        "extended-advertising+numeric-comparison",
    ])
    func twoHostsMeet(mode: String) async throws {
        let capture = NSTemporaryDirectory() + "/gattbench-radio-\(getpid()).btsnoop"
        defer { try? FileManager.default.removeItem(atPath: capture) }
        let radio = try RunningRadio(record: capture)
        let (status, output) = try Bumble.run(radio.clients + [mode])
        try await radio.end()
        #expect(status == 0, "\(output)")
        #expect(output.split(separator: "\n").count { $0.hasPrefix("ok ") } >= 11, "\(output)")
        var packets = 0
        let reader = try CaptureReader(path: capture)
        while let batch = try reader.next() { packets += batch.packets.count }
        #expect(packets > 500)
        if Tshark.path != nil {
            #expect(try Tshark.rows(capture, ["frame.number"], where: "_ws.malformed").isEmpty)
        }
    }
}

/// `gattbench radio` with two controllers, in a thread of this process.
private final class RunningRadio: Sendable {
    private let isInterrupted = Mutex(false)
    private let outcome: Task<Void, any Error>
    /// What Bumble attaches to.
    let clients: [String]

    init(record: String) throws {
        var options = RadioOptions()
        options.hosts = [.tcpServer(host: nil, port: 0), .tcpServer(host: nil, port: 0)]
        options.record = record
        let job = try Handover(RadioJob(options))
        clients = job.value.names.map { $0.replacing("tcp-server:_", with: "tcp-client:127.0.0.1") }
        let (stream, continuation) = AsyncThrowingStream<Void, any Error>.makeStream()
        outcome = Task { for try await _ in stream {} }
        Thread { [self] in
            do {
                try job.value.run(isInterrupted: { isInterrupted.withLock { $0 } }, tell: { _ in })
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
        }.start()
    }

    func end() async throws {
        isInterrupted.withLock { $0 = true }
        try await outcome.value
    }

    /// A job on its way into the thread that alone uses it from then on.
    private final class Handover: @unchecked Sendable {
        var value: RadioJob

        init(_ value: RadioJob) {
            self.value = value
        }
    }
}

/// Bumble, a Bluetooth host in Python (https://google.github.io/bumble).
private enum Bumble {
    /// A Python that has it.
    static let python: String? = [environment, "python3"].first { python in
        (try? run(python, ["-c", "import bumble.device"]).status) == 0
    }

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    private static let script = folder.appending(path: "bumble_pair.py")
    /// Where `make test` puts it.
    private static let environment = folder.appending(path: "../../.build/python/bin/python3").standardized.path

    /// How the script ends, and what it says.
    static func run(_ arguments: [String]) throws -> (status: Int32, output: String) {
        try run(python ?? "python3", [script.path] + arguments)
    }

    private static func run(_ program: String, _ arguments: [String]) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [program] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }
}
