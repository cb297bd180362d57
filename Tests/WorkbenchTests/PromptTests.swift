import Bluetooth
import Foundation
import Glibc
import PDUTestKit
import PluginKit
import Profile
import TestKit
import Testing
import Workbench

/// TAB completion at the prompt of `connect`.
struct RequestCompletionTests {
    private func outcome(_ line: String) throws -> RequestCompletion.Outcome {
        let profile = try #require(try PluginLibrary.builtIn()["aquavate"]).plugin.profile.profile
        let completion = RequestCompletion(
            [
                .init("current_state", [.read, .notify]), .init("calibration_state", [.read, .notify]),
                .init("bottle_config", [.read, .write], types: ["bottle_config"]),
                .init("command", .write, types: ["command"]), .init("2a00", .read),
            ], types: profile.types)
        return completion.outcome(for: line)
    }

    /// Lines, and their content after TAB; with several candidates, their common prefix.
    @Test(arguments: [
        ("re", "read "), ("read cur", "read current_state "), ("read c", "read c"), ("read comm", "read comm"),
        ("write ", "write "), ("write b", "write bottle_config "),
        ("subscribe current_state cal", "subscribe current_state calibration_state "),
        ("write command ", "write command {\""), ("write command {\"", "write command {\"opcode\":"),
        ("write command {\"opcode\":\"set_t", "write command {\"opcode\":\"set_time\""),
        ("write command {\"opcode\":\"set_time\"", "write command {\"opcode\":\"set_time\","),
        ("write command {\"opcode\": \"set_time\", ", "write command {\"opcode\": \"set_time\", \"time\":"),
        ("write command {\"opcode\":\"set_time\",\"time\":", "write command {\"opcode\":\"set_time\",\"time\":\"now\""),
        ("write command {\"opcode\":\"ping\"", "write command {\"opcode\":\"ping\"}"),
        ("write bottle_config {\"tare\":5", "write bottle_config {\"tare\":5,"),
        // No completion
        ("write command {\"opcode\":\"ping\"}", "write command {\"opcode\":\"ping\"}"),
        ("write command [", "write command ["), ("frobnicate x", "frobnicate x"), ("read 2a00 ", "read 2a00 "),
        ("write 2a00 {", "write 2a00 {"), ("write command }}}", "write command }}}"),
        ("write command {\"a\\\"", "write command {\"a\\\""), ("write command {{", "write command {{"),
        ("write command {:", "write command {:"), ("write command {,", "write command {,"),
    ])
    func lineIsCompleted(_ line: String, _ completed: String) throws {
        let outcome = try outcome(line)
        #expect(line.hasSuffix(outcome.typed))
        #expect(line.dropLast(outcome.typed.count) + outcome.common == completed)
    }

    @Test func candidatesFitTheRequest() throws {
        #expect(try outcome("read c").candidates == ["current_state ", "calibration_state "])
        #expect(try outcome("write ").candidates == ["bottle_config ", "command "])
        #expect(try outcome("").candidates.count == RequestCompletion.verbs.count)
        #expect(
            try outcome("write bottle_config {\"tare\":1,").candidates
                == ["\"scale\":", "\"capacity\":", "\"goal\":"])
    }
}

/// The prompt of `connect` at a terminal.
@Suite(.serialized, .enabled(if: DocumentedPage.program != nil, "the program is not built"))
struct PromptTests {
    @Test func tabCompletesAndHistoryIsKept() throws {
        let folder = try TemporaryFolder()
        let first = try Terminal(["connect", "radio:", "--plugin", "aquavate"], state: folder.path)
        first.type("read cur\t\r", until: "read current_state  {")
        first.type("write command {\"opcode\":\"set_ti\t,\t\"now\"}\r", until: "\"now\"")
        first.type(" read bottle_config\r", until: "read bottle_config  {")
        #expect(first.end("quit\r") == 0)
        let path = folder.path("gattbench/history")
        #expect(
            try String(contentsOfFile: path, encoding: .utf8) == """
                read current_state 
                write command {"opcode":"set_time","time":"now"}
                quit

                """)
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)

        // Another run starts with the history of the first: go back three lines.
        let second = try Terminal(["connect", "radio:", "--plugin", "aquavate"], state: folder.path)
        second.type("\u{1B}[A\u{1B}[A\u{1B}[A\r", until: "read current_state  {")
        #expect(second.end("quit\r") == 0)
    }

    /// Values arrive while the prompt waits.
    @Test func valuesAreShownAboveThePrompt() throws {
        let folder = try TemporaryFolder()
        let terminal = try Terminal(["connect", "radio:", "--plugin", "lifecount"], state: folder.path)
        terminal.type("subscribe control_point\r", until: "control_point")
        terminal.type("write control_point 04\r", until: "indicate control_point  {")
        #expect(terminal.end("quit\r") == 0)
    }
}

/// A child process on a pseudo-terminal.
private final class Terminal {
    private let process = Process()
    private let number: Int32
    private(set) var output = ""

    init(_ arguments: [String], state: String) throws {
        number = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        // Linux's TIOCSPTLCK and TIOCGPTN: unlock the slave, and get its number.
        var (lock, name): (CInt, CUnsignedInt) = (0, 0)
        try #require(number >= 0 && ioctl(number, 0x4004_5431, &lock) == 0 && ioctl(number, 0x8004_5430, &name) == 0)
        let slave = FileHandle(
            fileDescriptor: open("/dev/pts/\(name)", O_RDWR | O_NOCTTY | O_CLOEXEC), closeOnDealloc: true)
        process.executableURL = URL(filePath: try #require(DocumentedPage.program))
        process.arguments = arguments
        process.environment = ["HOME": state, "XDG_STATE_HOME": state, "TERM": "xterm", "LC_ALL": "C.UTF-8"]
        (process.standardInput, process.standardOutput, process.standardError) = (slave, slave, slave)
        try process.run()
        wait(until: "> ")
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        close(number)
    }

    /// Types keys, then waits for a text and the prompt.
    func type(_ keys: String, until text: String) {
        output = ""
        write(keys)
        wait(until: text)
        output = String(output.suffix(from: output.range(of: text)?.upperBound ?? output.startIndex))
        wait(until: "> ")
    }

    /// Types the last keys; returns the exit status, or nil if the program continues.
    func end(_ keys: String) -> Int32? {
        write(keys)
        wait(until: nil)
        return process.isRunning ? nil : process.terminationStatus
    }

    private func write(_ keys: String) { _ = Glibc.write(number, keys, keys.utf8.count) }

    /// Reads output until the text appears; without a text, all of it. Gives up after half a minute.
    private func wait(until text: String?) {
        var bytes = [UInt8](repeating: 0, count: 4096)
        for _ in 0..<300 {
            if let text, output.contains(text) { return }
            if text == nil, !process.isRunning { return }
            var ready = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
            guard poll(&ready, 1, 100) > 0 else { continue }
            let count = read(number, &bytes, bytes.count)
            guard count > 0 else { return }
            output += String(decoding: bytes[..<count], as: UTF8.self)
        }
        if let text { Issue.record("no \(text) in \(output)") }
    }
}
