import Foundation
import PDUTestKit
import TestKit
import Testing

/// The program that was built together with the tests.
private let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "gattbench")

/// The exit code of a command line: 0 done, 1 findings, 2 wrong usage, 3 unreadable input, 4 inconclusive.
private let cases: [(arguments: [String], status: Int32)] = [
    (["decode", "captures/aquavate-sync/capture.btsnoop"], 0),
    (["decode", "-Y", "btatt", "captures/aquavate-sync/capture.btsnoop"], 0),
    (["decode", "-Y", "btatt.opcode ==", "captures/aquavate-sync/capture.btsnoop"], 2),
    (["decode", "-Y", "btatt.opcod == 0x1b", "captures/aquavate-sync/capture.btsnoop"], 2),
    (["decode", "-Y", "btatt.opcode == \"x\"", "captures/aquavate-sync/capture.btsnoop"], 2),
    (["decode", "-T", "fields", "-e", "btatt.nothing", "captures/aquavate-sync/capture.btsnoop"], 2),
    (["decode", "--no-such-option", "captures/aquavate-sync/capture.btsnoop"], 2),
    (["decode", "captures/no-such-file.btsnoop"], 3),
    (["decode", "README.md"], 3),
    (["stats", "captures/no-such-file.btsnoop"], 3),
    (["stats", "captures/format-gzip/capture.btsnoop.gz", "captures/format-pcap-201/capture.pcap"], 0),
    (["stats", "captures/no-such-file.btsnoop", "captures/format-pcap-201/capture.pcap"], 3),
    (["stats", "--list", "captures/format-pcap-201/capture.pcap", "captures/format-pcap-201/capture.pcap"], 2),
    (["check", "captures/format-pcap-201/capture.pcap", "captures/format-gzip/capture.btsnoop.gz"], 0),
    (["check", "captures/format-pcap-201/capture.pcap", "captures/no-such-file.btsnoop"], 3),
    (["check", "--tap", "-", "captures/format-pcap-201/capture.pcap", "captures/format-pcap-201/capture.pcap"], 2),
    (["check", "--join", "captures/format-pcap-201/capture.pcap", "captures/no-such-file.btsnoop"], 3),
    (["decode", "--as", "h5", "captures/aquavate-sync/capture.btsnoop"], 0),
    (["decode", "--as", "h6", "captures/aquavate-sync/capture.btsnoop"], 2),
    (["decode", "--as", "h4", "README.md"], 3),
    (["test", "peripheral", "lifecount", "--transport", "radio:", "--case", "table.*", "--failures", ""], 0),
    (["test", "peripheral", "lifecount", "--transport", "radio:", "--case", "tabel.services"], 2),
    (["test", "peripheral", "standard", "--transport", "radio:"], 2),
    (["test", "peripheral", "standard", "--transport", "radio:", "--list"], 0),
    (["test", "peripheral", "standard", "--list"], 0),
    (["test", "client", "lifecount", "--list"], 0),
    (["test", "peripheral", "lifecount"], 2),
    (["test", "peripheral", "lifecount", "--transport", "tcp-client:127.0.0.1:1"], 3),
    (["connect", "radio:", "--plugin", "lifecount", "read", "counter_info"], 0),
    (["connect", "radio:", "--plugin", "lifecount", "read", "control_point"], 1),
    (["connect", "radio:", "--plugin", "lifecount", "red", "control_point"], 2),
    (["connect", "radio:", "--plugin", "lifecount", "write", "control_point", "zz"], 2),
    (["connect", "radio:", "--plugin", "lifecount", "write", "control_point", "{\"opcode\":\"zz\"}"], 2),
    (["connect", "tcp-client:127.0.0.1:1", "read", "counter_info"], 3),
    (["test", "peripheral", "lifecount", "--transport", "radio:", "--case", "table.services", "--repeat", "0"], 2),
    (["test", "peripheral", "lifecount", "--transport", "radio:", "--case", "table.services", "--timeout", "0s"], 2),
    (["test", "peripheral", "lifecount", "--transport", "radio:", "--case", "table.services", "--record", "x.foo"], 2),
    (["scan", "--transport", "tcp-client:127.0.0.1:1", "--duration", "nan"], 2),
    (["scan", "--transport", "tcp-client:127.0.0.1:1", "--duration", "0s"], 2),
    (["scan", "--transport", "tcp-client:127.0.0.1:1", "--duration", "500ms"], 3),
    (["emulate", "aquavate", "--transport", "radio:", "--speed", "virtual", "--duration", "2"], 0),
    (["emulate", "aquavate", "--transport", "radio:", "--speed", "virtual", "--duration", "3min"], 0),
    (["plugins", "new", "x", "--from-capture", "captures/aquavate-sync/capture.btsnoop", "--address", "zz"], 2),
    (["extract", "captures/aquavate-sync/capture.btsnoop", "-o", "x.btsnoop"], 2),
    (["extract", "captures/aquavate-sync/capture.btsnoop", "-o", "x.btsnoop", "--connection", "9"], 2),
    (["extract", "captures/aquavate-sync/capture.btsnoop", "-o", "x.btsnoop", "-Y", "btatt.opcode == 0x99"], 4),
    (
        [
            "extract", "captures/aquavate-sync/capture.btsnoop", "--connection", "1", "-o",
            "captures/aquavate-sync/capture.btsnoop",
        ], 2
    ),
    (["shrink", "captures/aquavate-sync/capture.btsnoop", "-o", "x.btsnoop"], 2),
    (["shrink", "captures/aquavate-sync/capture.btsnoop", "-o", "x.btsnoop", "--rule", "CORE-ATT-999"], 2),
    (["shrink", "captures/aquavate-sync/capture.btsnoop", "-o", "x.btsnoop", "--rule", "CORE-L2CAP-12"], 4),
    (["shrink", "captures/aquavate-sync/capture.btsnoop", "-o", "x.btsnoop", "--why", "mtu_to_small"], 2),
    (["shrink", "captures/aquavate-sync/capture.btsnoop", "-o", "x.btsnoop", "--why", "mic_failure"], 4),
    (["shrink", "captures/aquavate-sync/capture.btsnoop", "-o", "x.btsnoop", "--command", "false"], 4),
    (["shrink", "captures/aquavate-sync/capture.btsnoop", "-o", "x.btsnoop", "--command", "'"], 2),
    (["redact", "captures/format-pcap-201/capture.pcap"], 2),
    (["redact", "captures/format-pcap-201/capture.pcap", "-o", "x.txt"], 2),
    (["redact", "captures/format-pcap-201/capture.pcap", "-o", "captures/format-pcap-201/capture.pcap"], 2),
    (["redact", "captures/format-pcap-201/capture.pcap", "-o", "x.pcap", "--undo", "m", "--map", "n"], 2),
    (["redact", "captures/no-such-file.pcap", "-o", "x.pcapng"], 3),
    (["merge", "captures/format-pcap-201/capture.pcap", "-o", "x.pcapng"], 2),
    (["merge", "captures/format-pcap-201/capture.pcap", "captures/format-pcap-256/capture.pcap"], 2),
    (["merge", "captures/format-pcap-201/capture.pcap", "captures/format-pcap-256/capture.pcap", "-o", "x.pcap"], 2),
    (
        [
            "merge", "captures/format-pcapng-201/capture.pcapng", "captures/format-pcap-256/capture.pcap", "-o",
            "captures/format-pcapng-201/capture.pcapng",
        ], 2
    ),
    (["merge", "captures/format-pcap-201/capture.pcap", "captures/beacons/capture.btsnoop", "-o", "x.pcapng"], 4),
    (["merge", "captures/format-pcap-201/capture.pcap", "captures/no-such-file.pcap", "-o", "x.pcapng"], 3),
    (["diff", "captures/aquavate-sync/capture.btsnoop", "captures/aquavate-sync/capture.btsnoop"], 0),
    (["diff", "captures/aquavate-sync/capture.btsnoop", "captures/aquavate-prd/capture.btsnoop"], 1),
    (["diff", "captures/aquavate-sync/capture.btsnoop"], 2),
    (["diff", "--pair", "1", "captures/aquavate-sync/capture.btsnoop", "captures/aquavate-prd/capture.btsnoop"], 2),
    (["diff", "--pair", "1:9", "captures/aquavate-sync/capture.btsnoop", "captures/aquavate-prd/capture.btsnoop"], 2),
    (
        [
            "diff", "--tolerance", "x", "captures/aquavate-sync/capture.btsnoop",
            "captures/aquavate-prd/capture.btsnoop",
        ], 2
    ),
    (["diff", "captures/aquavate-sync/capture.btsnoop", "captures/no-such-file.btsnoop"], 3),
    (["diff", "captures/beacons/capture.btsnoop", "captures/beacons/capture.btsnoop"], 4),
    (["report", "captures/aquavate-sync/capture.btsnoop", "--tolerance", "10%"], 2),
    (["convert", "captures/aquavate-sync/capture.btsnoop"], 2),
    (["convert", "captures/aquavate-sync/capture.btsnoop", "captures/aquavate-sync/capture.btsnoop"], 2),
    (["publish", "lifecount", "--mqtt", "broker.invalid", "--mqtt-user", "u", "--mqtt-password-file", "p"], 2),
    (["publish", "lifecount", "--mqtt", "broker.invalid", "--mqtt-plain-password"], 2),
    (["keys", "captures/aquavate-sync/capture.btsnoop", "--key", "passkey:1"], 0),
    (["keys", "README.md"], 3),
    (["keys", "captures/no-such-file.btsnoop"], 3),
    (["decode", "--key", "passkey:x", "captures/aquavate-sync/capture.btsnoop"], 2),
    (["decode", "--keys", "no-such.keys", "captures/aquavate-sync/capture.btsnoop"], 3),
    (["help", "decode"], 0),
    (["help", "nosuch"], 2),
    (["help", "plugins", "list"], 0),
    (["help", "plugins", "nosuch"], 2),
    (["plugins", "nosuch"], 2),
    (["help", "test", "nosuch"], 2),
    (["fields", "--color", "never", "--no-pager", "btatt.handle"], 0),
    (["--color", "never", "fields", "btatt.handle"], 0),
    (["--no-pager", "--color=never", "plugins", "list"], 0),
    (["decode", "-Yframe.number==1", "captures/aquavate-sync/capture.btsnoop"], 0),
    (["decode", "-Tfields", "-eframe.number", "-Eheader=y", "captures/aquavate-sync/capture.btsnoop"], 0),
    (["decode", "-xVc1", "-rcaptures/aquavate-sync/capture.btsnoop"], 0),
    (["decode", "-qc1", "captures/aquavate-sync/capture.btsnoop"], 2),
]

@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: program.path), "gattbench is not built"))
struct ExitCodeTests {
    @Test(arguments: cases.indices)
    func commandLineEndsWithItsExitCode(index: Int) throws {
        let (arguments, status) = cases[index]
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        process.currentDirectoryURL = Repository.url(".")
        process.standardOutput = FileHandle.nullDevice
        let errors = Pipe()
        process.standardError = errors
        try process.run()
        let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == status, "\(arguments.joined(separator: " ")): \(said)")
        // What 1 and 4 mean may be in the output.
        if ![1, 4].contains(status) { #expect(said.isEmpty == (status == 0), "\(said)") }
    }
}
