import Foundation
import PDUTestKit
import TestKit
import Testing

/// Gateways as processes, on controllers of `gattbench radio` over TCP, with counters that are processes too.
@Suite(.enabled(if: BuiltPrograms.areThere, "gattbench is not built"))
struct GatewayCommandTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// A child process, killed at the end of the test.
    private final class Program {
        private let process = Process()
        let path: String

        init(_ arguments: [String], in folder: TemporaryFolder, _ name: String, environment: [String: String] = [:])
            throws
        {
            path = try folder.file(name, [])
            let output = try FileHandle(forWritingTo: URL(filePath: path))
            process.executableURL = URL(filePath: "\(BuiltPrograms.folder)/gattbench")
            process.arguments = arguments
            process.environment = ["PATH": "\(BuiltPrograms.folder):/usr/bin:/bin", "HOME": folder.path].merging(
                environment
            ) { $1 }
            process.currentDirectoryURL = URL(filePath: folder.path)
            (process.standardInput, process.standardOutput, process.standardError) =
                (FileHandle.nullDevice, output, output)
            try process.run()
        }

        deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

        /// The output so far.
        var output: String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }

        /// Waits until the output satisfies a condition; false if the process exits first, or after a minute.
        func waits(until isEnough: (String) -> Bool) -> Bool {
            goOn { !isEnough(output) }
            return isEnough(output)
        }

        /// Waits while the process runs and `isWanted` holds, for at most a minute.
        private func goOn(while isWanted: () -> Bool = { true }) {
            let end = Date(timeIntervalSinceNow: 60)
            while process.isRunning, Date() < end, isWanted() { usleep(20_000) }
        }

        /// Sends a signal and waits for the exit; returns the exit code, or the number of the signal.
        func end(_ signal: Int32 = SIGTERM) -> Int32 {
            kill(process.processIdentifier, signal)
            return finish()
        }

        /// Stops the process temporarily, while others continue.
        func pause(seconds: UInt32) {
            kill(process.processIdentifier, SIGSTOP)
            sleep(seconds)
            kill(process.processIdentifier, SIGCONT)
        }

        /// Waits at most a minute for the exit, then kills the process.
        func finish() -> Int32 {
            goOn()
            if process.isRunning { kill(process.processIdentifier, SIGKILL) }
            process.waitUntilExit()
            return process.terminationStatus
        }
    }

    /// The controllers of one radio, with a counter on each of the first ones; `controllers` are the free ones.
    private struct Site {
        let radio: Program
        let counters: [Program]
        let controllers: [String]
    }

    /// Thirty people pass each second.
    private static let crowd = """
        scenario: A crowd
        plugin: lifecount
        steps:
          - do: [{rate: 600 /min}, {time_passes: 12 h}]
        """

    private func site(counters count: Int, controllers: Int) throws -> Site {
        let number = count + controllers
        let radio = try Program(
            ["radio", "--immediate"] + (0..<number).flatMap { _ in ["--hci", "tcp-server:_:0"] }, in: folder, "radio")
        let hasAll = { (text: String) in text.components(separatedBy: "tcp-server").count == number + 1 }
        try #require(radio.waits(until: hasAll))
        let specs = radio.output.matches(of: /tcp-server:_:(\d+)/).map { "tcp-client:127.0.0.1:\($0.1)" }
        try folder.file("crowd.yaml", Self.crowd.utf8)
        let counters = try (0..<count).map { index in
            try Program(
                [
                    "emulate", "lifecount", "--transport", specs[index], "--seed", "\(index + 1)", "--scenario",
                    "crowd.yaml", "--speed", "3",
                ], in: folder, "counter\(index)")
        }
        return Site(radio: radio, counters: counters, controllers: Array(specs[count...]))
    }

    private func gateway(
        _ controller: String, _ name: String, _ options: [String] = [], environment: [String: String] = [:]
    ) throws -> Program {
        try Program(
            ["gateway", "lifecount", "--transport", controller, "--store", "counts.sqlite", "--json"] + options,
            in: folder, name, environment: environment)
    }

    private func rows(of table: String) throws -> [[String: Any]] {
        let export = try Program(
            ["store", "export", "--to", "ndjson", "--table", table, "--store", "counts.sqlite"], in: folder, "export")
        #expect(export.finish() == 0)
        return try export.output.split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
    }

    private func numbers(of device: Int) throws -> [Int] {
        try rows(of: "lifecount_entries").filter { $0["device_id"] as? Int == device }
            .compactMap { $0["sequence_number"] as? Int }.sorted()
    }

    /// Waits until this many events of a counter are stored without a gap: events from times without a gateway are
    /// replayed after a while. Returns the stored numbers after at most a minute.
    private func wholeNumbers(of device: Int, atLeast count: Int) throws -> [Int] {
        let end = Date(timeIntervalSinceNow: 60)
        while true {
            let numbers = try numbers(of: device)
            if Date() > end || numbers.count >= count && numbers == Array(0..<numbers.count) { return numbers }
            usleep(200_000)
        }
    }

    /// A bottle that somebody has just picked up, on a controller of the radio.
    private func bottle(_ controller: String, _ name: String) throws -> Program {
        let scenario = """
            scenario: A bottle
            plugin: aquavate
            steps:
              - do: [{history: 30}, motion, {time_passes: 12 h}]
            """
        try folder.file("bottle.yaml", scenario.utf8)
        return try Program(
            ["emulate", "aquavate", "--transport", controller, "--scenario", "bottle.yaml", "--speed", "1"],
            in: folder, name)
    }

    /// A gateway without a known bottle takes the first one. One that knows it waits for it, and takes another bottle only
    /// with `--new`; both are synced beside each other.
    @Test func bottlesAreKeptSynced() throws {
        let site = try site(counters: 0, controllers: 3)
        let first = try bottle(site.controllers[0], "first")
        let arguments = [
            "gateway", "aquavate", "--transport", site.controllers[2], "--store", "counts.sqlite", "--json",
        ]
        let gateway = try Program(arguments, in: folder, "gateway")
        #expect(gateway.waits { $0.contains("sync_done") }, "\(gateway.output)")
        #expect(gateway.end() == 0)
        let drinks = try rows(of: "aquavate_drinks")
        #expect(drinks.compactMap { $0["record_id"] as? Int }.sorted() == Array(1...30))
        let known = try #require(drinks.first?["device"] as? String)

        let second = try bottle(site.controllers[1], "second")
        let refused = try Program(arguments + ["--devices", "2"], in: folder, "refused")
        #expect(refused.finish() == 2)
        #expect(refused.output.contains("--new waits for others, too"), "\(refused.output)")
        let both = try Program(arguments + ["--new"], in: folder, "both")
        let isSynced = { (text: String) in text.contains(#""event":"sync_done","fields":{"records":30"#) }
        #expect(both.waits(until: isSynced), "\(both.output)")
        #expect(both.end(SIGINT) == 0)
        let records = Dictionary(grouping: try rows(of: "aquavate_drinks")) { $0["device"] as? String ?? "" }
            .mapValues { rows in rows.compactMap { $0["record_id"] as? Int }.sorted() }
        #expect(records.count == 2 && records[known] == Array(1...30))
        #expect(records.values.allSatisfy { $0 == Array(1...30) })
        _ = (first.end(), second.end())
    }

    /// The reminders of a day without a drink; a command that fails does not end the gateway.
    @Test func remindersRunACommand() throws {
        let command = "sh -c 'echo $GATTBENCH_REMINDER $GATTBENCH_DEFICIT_ML $GATTBENCH_GOAL_ML >>given; exit 3'"
        let gateway = try Program(
            [
                "gateway", "aquavate", "--transport", "radio:", "--store", "counts.sqlite", "--duration", "16h",
                "--notify", command,
            ], in: folder, "gateway", environment: ["TZ": "UTC"])
        #expect(gateway.finish() == 0, "\(gateway.output)")
        #expect(try folder.text("given") == "attention 150 2500\noverdue 500 2500\n")
        #expect(gateway.output.contains("--notify: sh ended with 3 (attention)"), "\(gateway.output)")
        #expect(try rows(of: "aquavate_reminders").compactMap { $0["kind"] as? String } == ["attention", "overdue"])
        let refused = try Program(
            ["gateway", "lifecount", "--transport", "radio:", "--duration", "1s", "--notify", "true"], in: folder,
            "refused")
        #expect(refused.finish() == 2)
        #expect(refused.output.contains("--notify: lifecount has no reminders"), "\(refused.output)")
    }

    /// The command of the package's systemd unit, with the variables of a file in /etc/default.
    @Test(arguments: ["aquavate", "lifecount"])
    func theUnitStartsAGateway(plugin: String) throws {
        let unit = try Repository.text("packaging/debian/gattbench-gateway@.service").split(separator: "\n")
        let line = try #require(unit.first { $0.hasPrefix("ExecStart=") })
        let state = folder.path("gattbench-gateway")
        try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: false)
        let words = line.dropFirst("ExecStart=".count).split(separator: " ").flatMap { word -> [String] in
            switch word {
            case "%i": [plugin]
            case "${TRANSPORT}": ["radio:"]
            case "$OPTIONS": ["--duration", "1min"]
            default: [word.replacingOccurrences(of: "%S/gattbench-gateway", with: state)]
            }
        }
        #expect(words.first == "/usr/bin/gattbench")
        let gateway = try Program(Array(words.dropFirst()), in: folder, "gateway")
        #expect(gateway.finish() == 0, "\(gateway.output)")
        #expect(FileManager.default.fileExists(atPath: state + "/store.sqlite"))
    }

    @Test(
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: GatewayCommandTests.systemdAnalyze),
            "there is no systemd-analyze"))
    func systemdReadsTheUnit() throws {
        try folder.file(
            "gattbench-gateway@.service", try Repository.bytes("packaging/debian/gattbench-gateway@.service"))
        let output = try folder.file("verified", [])
        let process = Process()
        process.executableURL = URL(filePath: Self.systemdAnalyze)
        process.arguments = ["verify", "--man=no", folder.path("gattbench-gateway@.service")]
        (process.standardOutput, process.standardError) = (
            FileHandle.nullDevice, try FileHandle(forWritingTo: URL(filePath: output))
        )
        try process.run()
        process.waitUntilExit()
        let complaints = try folder.text("verified").split(separator: "\n")
            // The program need not be installed where the tests run.
            .filter { $0.contains("gattbench-gateway@") && !$0.contains("/usr/bin/gattbench") }
        #expect(complaints.isEmpty)
    }

    private static let systemdAnalyze = "/usr/bin/systemd-analyze"

    private static func stored(_ device: Int, in text: String) -> Int {
        text.components(separatedBy: #""event":"event_stored","fields":{"device_id":\#(device)"#).count - 1
    }

    /// Two counters at once through one controller. On SIGTERM, the gateway exits with code 0, all reported events are
    /// on disk, and the lock is released.
    @Test func severalCountersAtOnceAreOnDiskWhenItEnds() throws {
        let site = try site(counters: 2, controllers: 1)
        let gateway = try gateway(site.controllers[0], "gateway", ["--devices", "2"])
        let devices = [504_341_955, 504_341_956]
        #expect(gateway.waits { text in devices.allSatisfy { Self.stored($0, in: text) >= 1 } }, "\(gateway.output)")
        gateway.pause(seconds: 3)
        #expect(gateway.waits { text in devices.allSatisfy { Self.stored($0, in: text) >= 120 } }, "\(gateway.output)")
        #expect(gateway.end() == 0)
        for device in devices {
            let numbers = try numbers(of: device)
            #expect(numbers.count >= Self.stored(device, in: gateway.output))
            #expect(numbers == Array(0..<numbers.count), "an event is missing or was stored twice")
        }
        let counters = try rows(of: "lifecount_counters")
        #expect(counters.compactMap { $0["device_id"] as? Int }.sorted() == devices)
        #expect(counters.allSatisfy { $0["is_active"] as? Int == 0 })
        // One run of the gateway is one session, so there is no conflict.
        #expect(Set(try rows(of: "lifecount_entries").compactMap { $0["gateway_session"] as? Int }).count == 1)
        let sessions = try rows(of: "sessions")
        #expect(sessions.map { $0["outcome"] as? String } == ["complete", "complete"])
        // The events of the pause were committed together.
        #expect(try rows(of: "journal").count < rows(of: "lifecount_entries").count)
    }

    /// A gateway refuses to start while another one of the same store is receiving, unless `--take-over` is given. One of
    /// this machine that was killed is not waited for.
    @Test func oneGatewayReceivesAtATime() throws {
        let site = try site(counters: 1, controllers: 2)
        let first = try gateway(site.controllers[0], "first")
        #expect(first.waits { Self.stored(504_341_955, in: $0) >= 20 }, "\(first.output)")
        let second = try gateway(site.controllers[1], "second")
        #expect(second.finish() == 3)
        #expect(second.output.contains("another gateway receives for it"), "\(second.output)")
        #expect(second.output.contains("--take-over"))
        _ = first.end(SIGKILL)
        let before = try numbers(of: 504_341_955).count
        let third = try gateway(site.controllers[1], "third")
        #expect(third.waits { Self.stored(504_341_955, in: $0) >= 20 }, "\(third.output)")
        #expect(third.output.contains("ended without notice; taking over"), "\(third.output)")
        let numbers = try wholeNumbers(of: 504_341_955, atLeast: before + 20)
        #expect(numbers.count >= before + 20)
        #expect(numbers == Array(0..<numbers.count), "an event is missing or was stored twice")
        #expect(third.end() == 0)
        // A gateway that has exited does not block others.
        let fourth = try gateway(site.controllers[1], "fourth")
        #expect(fourth.waits { Self.stored(504_341_955, in: $0) >= 1 }, "\(fourth.output)")
        #expect(fourth.end(SIGINT) == 0)
    }

    private func status() throws -> String {
        let status = try Program(["lifecount", "status", "--store", "counts.sqlite"], in: folder, "status")
        #expect(status.finish() == 4)
        return status.output
    }

    /// A gateway that has found no counter yet is shown while it runs.
    @Test func aSearchingGatewayIsShown() throws {
        let site = try site(counters: 0, controllers: 1)
        let gateway = try gateway(site.controllers[0], "gateway")
        #expect(gateway.waits { $0.contains("scanning") }, "\(gateway.output)")
        #expect(try status() == "No event was received yet; a gateway is searching.\n")
        _ = gateway.end(SIGKILL)
        #expect(try status() == "No event was received yet.\n")
    }

    /// A library that shifts a program's clock by the number of seconds in the file CLOCK_FILE.
    private static let clock = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <time.h>
        int clock_gettime(clockid_t id, struct timespec *time) {
            static int (*original)(clockid_t, struct timespec *);
            if (!original) original = dlsym(RTLD_NEXT, "clock_gettime");
            int result = original(id, time);
            if (id != CLOCK_REALTIME || result != 0) return result;
            FILE *file = fopen(getenv("CLOCK_FILE"), "r");
            long seconds = 0;
            if (file) {
                if (fscanf(file, "%ld", &seconds) == 1) time->tv_sec += seconds;
                fclose(file);
            }
            return 0;
        }
        """

    /// The gateway's machine clock is set forward and back by an hour: the gateway starts a new session, sets the
    /// counter's time, and stores each event once.
    @Test(arguments: [3600, -3600])
    func aClockThatIsSetIsFollowed(seconds: Int) throws {
        try folder.file("clock.c", Self.clock.utf8)
        try folder.file("offset", "0".utf8)
        let compiler = Process()
        compiler.executableURL = URL(filePath: "/usr/bin/env")
        compiler.arguments = ["cc", "-shared", "-fPIC", "-O1", "-o", folder.path("clock.so"), folder.path("clock.c")]
        try compiler.run()
        compiler.waitUntilExit()
        try #require(compiler.terminationStatus == 0, "cc cannot compile")
        let site = try site(counters: 1, controllers: 1)
        let gateway = try gateway(
            site.controllers[0], "gateway",
            environment: ["LD_PRELOAD": folder.path("clock.so"), "CLOCK_FILE": folder.path("offset")])
        #expect(gateway.waits { Self.stored(504_341_955, in: $0) >= 20 }, "\(gateway.output)")
        try folder.file("offset", "\(seconds)".utf8)
        #expect(gateway.waits { $0.contains("the clock was set") }, "\(gateway.output)")
        let before = Self.stored(504_341_955, in: gateway.output)
        let numbers = try wholeNumbers(of: 504_341_955, atLeast: before + 40)
        #expect(numbers.count >= before + 40)
        #expect(numbers == Array(0..<numbers.count), "an event is missing or was stored twice")
        #expect(gateway.end() == 0)
        let rows = try rows(of: "lifecount_entries").sorted {
            ($0["sequence_number"] as? Int ?? 0) < ($1["sequence_number"] as? Int ?? 0)
        }
        let received = rows.compactMap { $0["received_ms"] as? Int }
        let jump = (try #require(received.last) - (try #require(received.first))) / 1000
        #expect(abs(jump - seconds) < 120)
        #expect(Set(rows.compactMap { $0["gateway_session"] as? Int }).count == 2)
    }
}
