import Foundation
import Glibc
import PDUTestKit
import TestKit
import Testing

/// No output of a command that has keys has one of them, unless the user asks for it.
@Suite(.enabled(if: DocumentedPage.program != nil, "the program is not built"))
struct KeySecrecyTests {
    private static let given = "d1d2d3d4d5d6d7d8d9dadbdcdddedfe0"
    private static let fromFile = "a1a2a3a4a5a6a7a8a9aaabacadaeafb0"
    private static let fromLog = "b1b2b3b4b5b6b7b8b9babbbcbdbebfc0"
    private static let ofHost = "e1e2e3e4e5e6e7e8e9eaebecedeeeff0"
    private static let distributed = "f1f2f3f4f5f6f7f8f9fafbfcfdfeff01"
    private static let keys = [given, fromFile, fromLog, ofHost, distributed]

    private let folder: TemporaryFolder
    private let capture: Capture

    init() throws {
        folder = try TemporaryFolder()
        try folder.file("own.keys", "irk:\(Self.fromFile)\n".utf8)
        try folder.file("serial.log", "bt_keys: SC LTK: 0x\(Self.fromLog)\n".utf8)
        chmod(folder.path("own.keys"), 0o600)
        chmod(folder.path("serial.log"), 0o644)
        capture = try Capture([
            // LE Enable Encryption, Encryption Information, LE Connection Complete of the same handle.
            (.received, "04 3e13 01 00 4000 00 01 554433 2211c0 1800 0000 2a00 00"),
            (.sent, "01 1920 1c 4000 0000000000000000 0000 \(Self.reversed(Self.ofHost))"),
            (.received, "02 4020 1500 1100 0600 06 \(Self.reversed(Self.distributed))"),
        ])
    }

    private static func reversed(_ digits: String) -> String { hexText(hex(digits).reversed()) }

    /// The output of the program and its messages.
    private func run(_ arguments: [String], input: [UInt8] = [], keysVariable: String? = nil) throws -> String {
        let program = try RunningProgram(arguments, environment: keysVariable.map { ["GATTBENCH_KEYS": $0] } ?? [:])
        program.write(input)
        program.closeInput()
        let output = program.readAll()
        _ = program.finish()
        return output + program.messages
    }

    /// The keys in a text, in either order of bytes, with or without separators.
    private func keys(in text: String) -> [String] {
        let digits = text.lowercased().filter { $0.isHexDigit || $0.isLetter }.replacing("0x", with: "")
        return Self.keys.filter { digits.contains($0) || digits.contains(Self.reversed($0)) }
    }

    private static let commands: [[String]] = [
        ["decode"], ["decode", "-V", "-x"], ["decode", "-T", "ndjson", "-V"],
        ["decode", "-T", "fields", "-e", "btsmp.long_term_key", "-e", "bthci_cmd.le_long_term_key"],
        ["stats"], ["stats", "--json"], ["check"], ["check", "--json"], ["check", "--junit", "-"],
        ["keys"], ["keys", "--json"], ["keys", "--crack"], ["sniff", "-"], ["report"],
    ]

    @Test(arguments: commands)
    func noOutputHasAKey(command: [String]) throws {
        var arguments = command
        let isLive = command == ["sniff", "-"]
        if !isLive { arguments.append(capture.path) }
        arguments += [
            "--keys", folder.path("own.keys"), "--keys", folder.path("serial.log"), "--key", "ltk:\(Self.given)",
        ]
        let output = try run(arguments, input: isLive ? Array(Data(contentsOf: URL(filePath: capture.path))) : [])
        #expect(keys(in: output).isEmpty, "\(arguments)")
        // A report is written by the full program, which may not be built.
        if command == ["report"] { return }
        #expect(output.contains("serial.log: other users may read its keys"), "\(output)")
    }

    @Test func keysAreShownWhenTheUserAsks() throws {
        let output = try run(["keys", "--show", folder.path("own.keys"), "--key", "ltk:\(Self.given)"])
        #expect(Set(keys(in: output)) == [Self.given, Self.fromFile])
    }

    /// Command lines and files with a fault in or beside a key.
    @Test(arguments: [
        (["--keys", "ltk:\(given)"], "", "--keys: expected a file"),
        (["--key", "ltk:\(given)f"], "", "--key: ltk: expected 32 hexadecimal digits"),
        (["--key", "ltk:\(given)@puck"], "", "--key: ltk: expected an address after @"),
        (["--key", given], "", "--key: expected KIND:HEX[@ADDRESS]"),
        (["--key", "ltk:00000000000000000000000000000000"], "", "all bytes are zero"),
        (["--keys", "-"], "ltk:\(given)\nirk:\(fromFile)f\n", "standard input:2: irk: expected 32"),
        (["--keys", "-"], given, "standard input: no keys in a known form"),
        (
            ["--keys", "-"], "{\"n\": {\"c0:11:22:33:44:55\": {\"ltk\": {\"value\": \"\(given)0\"}}}}",
            "the value of ltk"
        ),
        (["--keys", "-", "--keys", "-"], "", "only one --keys can be standard input"),
    ])
    func noMessageHasAKey(options: [String], input: String, message: String) throws {
        let output = try run(["decode", capture.path] + options, input: Array(input.utf8))
        #expect(output.contains(message), "\(output)")
        #expect(keys(in: output).isEmpty, "\(output)")
    }

    @Test(arguments: [
        ("ltk:\(given)", "GATTBENCH_KEYS: expected the path of a file of keys"),
        ("/nowhere/\(given)", "GATTBENCH_KEYS: "),
    ])
    func theVariableIsNotPrinted(value: String, message: String) throws {
        let output = try run(["decode", capture.path], keysVariable: value)
        #expect(output.contains(message))
        #expect(keys(in: output).isEmpty)
    }

    @Test func aKeyIsNoFile() throws {
        let output = try run(["keys", "ltk:\(Self.given)"])
        #expect(output.contains("expected a FILE; a key itself goes with --key"))
        #expect(keys(in: output).isEmpty)
    }

    @Test func theVariableNamesAFile() throws {
        let output = try run(["keys", capture.path], keysVariable: folder.path("own.keys"))
        #expect(output.contains("irk") && output.contains("given"))
    }

    @Test func standardInputHasOneUse() throws {
        let output = try run(["decode", "-", "--keys", "-"])
        #expect(output.contains("--keys -: standard input is read as a capture already; name a file"))
    }

    @Test(arguments: ["btsmp.long_term_key", "btsmp.id_resolving_key == f1:f2", "len(bthci_cmd.le_long_term_key) > 1"])
    func noFilterAsksForAKey(filter: String) throws {
        let output = try run(["decode", "-Y", filter, capture.path])
        #expect(output.contains("is key material, which no filter can ask for"))
    }

    /// While keys are in memory, the process leaves no core dump.
    @Test func thereIsNoCoreDump() throws {
        let program = try RunningProgram(["sniff", "-", "-T", "fields", "-e", "frame.number"])
        program.write(Array(try Data(contentsOf: URL(filePath: capture.path))))
        #expect(program.readLine() == "1")
        let limits = try String(contentsOfFile: "/proc/\(program.pid)/limits", encoding: .utf8)
        let line = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") })
        #expect(line.split(separator: " ").suffix(3) == ["0", "0", "bytes"])
        program.closeInput()
        _ = program.finish()
    }
}
