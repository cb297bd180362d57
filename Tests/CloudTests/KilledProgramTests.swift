import Foundation
import Glibc
import PDUTestKit
import Store
import TestKit
import Testing

/// The program that was built together with the tests.
private let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(
    path: "gattbench-full")

/// The real program, stopped with SIGKILL.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: program.path), "gattbench-full is not built"))
struct KilledProgramTests {
    private func start(_ store: CounterStore, _ double: FirestoreDouble) throws -> Process {
        let process = Process()
        process.executableURL = program
        process.arguments = [
            "publish", "lifecount", "--store", store.path, "--firestore", "door", "--firestore-url", double.address,
            "--once",
        ]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }

    /// The publisher may start before the gateway has made its store.
    @Test func aStoreThatIsNotThereYetIsWaitedFor() async throws {
        let folder = try TemporaryFolder()
        let double = try FirestoreDouble()
        let notes = try folder.file("notes", [])
        let process = Process()
        process.executableURL = program
        process.arguments = [
            "publish", "lifecount", "--store", folder.path("store.sqlite"), "--firestore", "door", "--firestore-url",
            double.address,
        ]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = try FileHandle(forWritingTo: URL(filePath: notes))
        try process.run()
        defer { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
        let end = Date(timeIntervalSinceNow: 600)
        func waits(until isDone: () async throws -> Bool) async throws -> Bool {
            while process.isRunning, Date() < end {
                if try await isDone() { return true }
                try await Task.sleep(for: .milliseconds(50))
            }
            return false
        }
        let isWaiting = try await waits {
            try String(contentsOfFile: notes, encoding: .utf8).contains("there is no store yet; waiting")
        }
        #expect(isWaiting)
        let store = try CounterStore(entries: 5, in: folder)
        let isPublished = try await waits { try await double.contents().collection("entries").count == 5 }
        #expect(isPublished)
        kill(process.processIdentifier, SIGTERM)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        #expect(try store.position(of: "firestore:door/(default)") == PublishingPosition(confirmed: 5))
    }

    /// Wherever the program is stopped, every entry is published in the end, and no commit takes effect twice.
    @Test func nothingIsLostAndNothingIsTwice() async throws {
        let store = try CounterStore(entries: 200)
        let double = try FirestoreDouble()
        let begin = ContinuousClock.now
        let first = try start(store, double)
        first.waitUntilExit()
        #expect(first.terminationStatus == 0)
        let whole = ContinuousClock.now - begin
        var total = 200
        for _ in 0..<40 {
            try store.add(total..<total + 7)
            total += 7
            let process = try start(store, double)
            try await Task.sleep(for: whole * Double.random(in: 0.3...1))
            if process.isRunning { kill(process.processIdentifier, SIGKILL) }
            process.waitUntilExit()
        }
        let last = try start(store, double)
        last.waitUntilExit()
        #expect(last.terminationStatus == 0)
        let contents = try await double.contents()
        #expect(contents.collection("entries").count == total)
        #expect(contents.rewritten == [])
        #expect(contents.commits == contents.collection("publications").count)
        #expect(try store.position(of: "firestore:door/(default)") == PublishingPosition(confirmed: Int64(total)))
    }
}
