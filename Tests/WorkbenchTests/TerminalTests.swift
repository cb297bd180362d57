import Foundation
import Glibc
import PDUTestKit
import TestKit
import Testing
import Workbench

/// The program's behaviour on a terminal, which `script` provides.
@Suite(
    .enabled(if: DocumentedPage.program != nil, "the program is not built"),
    .enabled(if: DocumentedPage.isInstalled("script"), "there is no script(1)"))
struct TerminalTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let capture = Repository.url("captures/aquavate-sync/capture.btsnoop")
        try FileManager.default.copyItem(at: capture, to: URL(filePath: folder.path("a.btsnoop")))
    }

    /// The output of commands on a terminal with this many columns, or into a pipe for nil.
    private func output(_ commands: String, columns: Int? = 80, _ variables: [String: String] = [:]) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        let script = columns.map { "stty cols \($0) rows 12; \(commands)" } ?? commands
        try folder.file("script", script.utf8)
        process.arguments = ["-c", columns == nil ? "sh script" : "exec script -qec 'sh script' /dev/null </dev/null"]
        process.currentDirectoryURL = URL(filePath: folder.path)
        let program = try #require(DocumentedPage.program)
        process.environment = [
            "PATH": URL(filePath: program).deletingLastPathComponent().path + ":/usr/bin:/bin", "TERM": "xterm",
            "SHELL": "/bin/sh", "LC_ALL": "C.UTF-8", "PAGER": "cat",
        ].merging(variables) { $1 }
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let printed = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: printed, as: UTF8.self).replacing("\r\n", with: "\n")
    }

    private func lines(_ text: String) -> [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }

    // MARK: Help

    /// Lines that are copied unwrapped: those below EXAMPLES.
    private func examples(_ help: String) -> [Substring] {
        Array(lines(help).drop { $0 != "EXAMPLES" }.dropFirst().prefix { $0.hasPrefix("  ") })
    }

    @Test(arguments: ["decode", "check", "emulate", "battery estimate", "store export"])
    func helpFitsTheTerminalAndItsExamplesAreWhole(command: String) throws {
        let whole = try output("gattbench \(command) --help", columns: nil, ["COLUMNS": "1000"])
        for columns in [60, 80, 130] {
            let help = try output("gattbench \(command) --help", columns: columns)
            let copied = examples(help)
            #expect(!copied.isEmpty)
            #expect(copied == examples(whole))
            // A word, like a long path, cannot be split.
            let wide = lines(help).filter {
                $0.count > columns && $0.split(separator: " ").count > 1 && !copied.contains($0)
            }
            #expect(wide.isEmpty, "\(columns) columns")
            // Wrapping loses no text.
            #expect(help.split { $0.isWhitespace } == whole.split { $0.isWhitespace })
        }
    }

    // MARK: Pager

    @Test func longOutputIsPaged() throws {
        let command = "gattbench decode a.btsnoop"
        let plain = try output(command, columns: nil)
        #expect(lines(plain).count > 60)
        let paged = try output(command, ["PAGER": "sed s/^/:/", "NO_COLOR": "1"])
        #expect(lines(paged).dropLast().allSatisfy { $0.hasPrefix(":") })
        #expect(lines(paged).count == lines(plain).count)
        let own = try output(command, ["PAGER": "sed s/^/:/", "GATTBENCH_PAGER": "sed s/^/,/"])
        #expect(own.hasPrefix(","))
    }

    @Test(arguments: [
        ("gattbench decode --no-pager a.btsnoop", "sed s/^/:/"), ("gattbench decode a.btsnoop | cat", "sed s/^/:/"),
        ("gattbench decode a.btsnoop", "cat"), ("gattbench decode a.btsnoop", ""),
        ("gattbench decode a.btsnoop", "no-such-pager"), ("gattbench sniff - <a.btsnoop", "sed s/^/:/"),
    ])
    func whatIsNotPaged(command: String, pager: String) throws {
        let text = try output(command, ["PAGER": pager, "NO_COLOR": "1"])
        #expect(text.contains("Aquavate-A3F2"))
        #expect(!lines(text).contains { $0.hasPrefix(":") })
    }

    /// The program ends after its pager, with its own exit code; if the pager quits, it ends at once.
    @Test func theProgramWaitsForItsPager() throws {
        let check = "gattbench check --strict a.btsnoop"
        let status = try output("\(check) >/dev/null; echo \"status $?\"", columns: nil)
        let paged = try output("\(check); echo \"status $?\"", ["PAGER": "sleep 0.5; sed s/^/:/"])
        #expect(lines(paged).dropLast().last == lines(status).dropLast().last)
        #expect(lines(paged).dropLast(2).last?.hasPrefix(":") == true)
        #expect(
            try output("gattbench decode a.btsnoop; echo \"status $?\"", ["PAGER": "head -n 1"]).hasSuffix("status 0\n")
        )
    }

    /// Ctrl-C reaches the program too; it still waits for its pager.
    @Test(arguments: [
        ("gattbench --help", "sed s/^/:/; kill -INT $PPID; echo left"),
        ("gattbench decode a.btsnoop", "sed -n 1q /dev/null; kill -INT $PPID; kill -INT $PPID; sed s/^/:/; echo left"),
    ])
    func theProgramWaitsForItsPagerAfterCtrlC(command: String, pager: String) throws {
        #expect(try output("\(command); echo \"status $?\"", ["PAGER": pager]).hasSuffix("left\nstatus 0\n"))
    }

    // MARK: Results

    @Test(arguments: [
        "decode a.btsnoop", "stats a.btsnoop", "check a.btsnoop", "fields", "plugins export lifecount --to markdown",
        "decode a.btsnoop a.btsnoop", "--help", "--version",
    ])
    func resultsThatCannotBeWrittenAreAnError(command: String) throws {
        let said = try output("gattbench \(command) >/dev/full; echo \"status $?\"", columns: nil)
        #expect(said == "gattbench: standard output: No space left on device; free disk space\nstatus 3\n")
    }

    /// A session with a warning that fails with `--strict`.
    private static let warned = Repository.path("captures/lifecount-session/capture.btsnoop")

    /// An open pipe that no process reads.
    @Test(arguments: [
        ("stats --gatt-out written a.btsnoop", 0),
        ("check --strict --junit written '\(warned)'", 1),
        ("check --junit - --sarif written a.btsnoop", 0),
        ("test peripheral lifecount --transport radio: --case 'table.*' --failures '' --junit written", 0),
        ("sniff --check --strict --junit written - <'\(warned)'", 1),
    ])
    func filesAreWrittenWhereNobodyReadsTheResults(command: String, status: Int) throws {
        let unread = "mkfifo unread; exec 3<>unread 4>unread 3>&-"
        let said = try output(
            "\(unread); gattbench \(command) >&4; echo \"status $?\"; test -s written && echo written", columns: nil)
        #expect(said.hasSuffix("status \(status)\nwritten\n"), "\(said)")
    }

    @Test(arguments: ["fields", "plugins list", "plugins export aquavate --to markdown"])
    func nobodyNeedsToReadTheResults(command: String) throws {
        let unread = "mkfifo unread; exec 3<>unread 4>unread 3>&-"
        #expect(try output("\(unread); gattbench \(command) >&4; echo \"status $?\"", columns: nil) == "status 0\n")
    }

    /// Another program may have made the pipe non-blocking; this pipe is smaller than the results.
    @Test func aPipeThatDoesNotBlockGetsAll() throws {
        let pipe = Pipe()
        let end = pipe.fileHandleForWriting.fileDescriptor
        let setPipeSize: CInt = 1031
        try #require(fcntl(end, setPipeSize, 4096) >= 0)
        try #require(fcntl(end, F_SETFL, O_NONBLOCK) == 0)
        let process = Process()
        process.executableURL = URL(filePath: try #require(DocumentedPage.program))
        process.arguments = ["decode", "-V", folder.path("a.btsnoop")]
        process.standardOutput = pipe
        try process.run()
        let printed = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        #expect(String(decoding: printed, as: UTF8.self) == (try output("gattbench decode -V a.btsnoop", columns: nil)))
    }

    @Test(arguments: [
        "check a.btsnoop --junit ./a.btsnoop", "check a.btsnoop --tap link",
        "check b.btsnoop --against a.btsnoop --sarif link", "check - --markdown a.btsnoop <a.btsnoop",
        "stats a.btsnoop --gatt-out ./a.btsnoop", "report a.btsnoop -o link",
        "stats b.btsnoop --gatt a.btsnoop --gatt-out link", "check b.btsnoop --waivers a.btsnoop --junit link",
        "sniff - -w link <a.btsnoop", "sniff - --gatt a.btsnoop -w link <b.btsnoop",
        "test peripheral lifecount --transport radio: --replay a.btsnoop --record link",
        "test client lifecount --transport radio: --expect-stored a.btsnoop --junit link",
        "emulate lifecount --transport radio: --scenario a.btsnoop --record link",
        "connect radio: --plugin a.btsnoop --record link", "hydration report --capture a.btsnoop --html link",
    ])
    func aCaptureThatIsReadIsNotOverwritten(command: String) throws {
        let said = try output(
            """
            cp a.btsnoop b.btsnoop
            ln -s a.btsnoop link
            gattbench \(command)
            echo "status $?"
            cmp a.btsnoop b.btsnoop
            """, columns: nil)
        #expect(said.contains(" is the file that is read; write to another file\n"))
        #expect(said.hasSuffix("status 2\n"))
    }

    /// The name is not repaired: a file with the repaired name would be a different one.
    @Test(arguments: ["stats \"$name\"", "convert a.btsnoop \"$name\"", "connect radio: --plugin \"$name\""])
    func aNameThatIsNotUTF8IsRefused(command: String) throws {
        let said = try output(
            """
            cp a.btsnoop '\u{FFFD}.btsnoop'
            name=$(printf '\\377').btsnoop
            gattbench \(command)
            echo "status $?"
            ls *.btsnoop
            """, columns: nil)
        #expect(said.contains("gattbench: \u{FFFD}.btsnoop: not UTF-8; rename the file"))
        #expect(said.hasSuffix("status 2\na.btsnoop\n\u{FFFD}.btsnoop\n"))
    }

    /// ArgumentParser takes a negative number for an option.
    @Test(arguments: [
        ("decode -c -1 a.btsnoop", "-c takes a number of frames, 1 at least"),
        ("emulate lifecount --transport radio: --duration -1s", "--duration -1s: expected a time"),
        ("emulate lifecount --transport radio: --seed -1", "The value '-1' is invalid for '--seed <seed>'"),
    ])
    func aNumberBelow0IsAValue(command: String, text: String) throws {
        let said = try output("gattbench \(command); echo \"status $?\"", columns: nil)
        #expect(said.contains(text) && said.hasSuffix("status 2\n"), "\(said)")
    }

    // MARK: Interruption

    /// A pipe that stays open and, once all is read (`FIONREAD`), silent: the first Ctrl-C ends the command with the
    /// results so far.
    @Test(
        arguments: [
            "decode live", "stats live", "check live", "convert live out --to pcapng", "convert live - --to btsnoop",
        ])
    func ctrlCEndsWithWhatThereIs(command: String) throws {
        let said = try output(
            """
            mkfifo live
            gattbench \(command) >printed 2>said &
            exec 3>live
            cat a.btsnoop >&3
            perl -e 'do { ioctl STDOUT, 0x541B, $unread = pack "i" } while unpack "i", $unread' >&3
            kill -INT $!
            wait $!
            echo "status $?"
            cat printed out 2>/dev/null | wc -c
            """, columns: nil)
        let found = try #require(said.firstMatch(of: #/status (\d+)\n *(\d+)\n/#), "\(said)")
        #expect(found.1 == "0")
        #expect(try #require(Int(found.2)) > 100)
    }

    // MARK: Color

    @Test(
        arguments: [
            ("gattbench decode a.btsnoop", 80, [:], true), ("gattbench decode a.btsnoop", nil, [:], false),
            ("gattbench decode a.btsnoop", 80, ["NO_COLOR": "1"], false),
            ("gattbench decode --color never a.btsnoop", 80, [:], false),
            ("gattbench decode --color always a.btsnoop", nil, [:], true),
            ("gattbench decode --color=always a.btsnoop", 80, ["NO_COLOR": "1"], true),
            ("gattbench stats --color always a.btsnoop", nil, [:], true),
            ("gattbench check --color always a.btsnoop", nil, [:], true),
        ] as [(String, Int?, [String: String], Bool)])
    func colors(command: String, columns: Int?, variables: [String: String], isColored: Bool) throws {
        #expect(try output(command, columns: columns, variables).contains("\u{1B}[") == isColored)
    }

    // MARK: Progress

    /// A capture that takes longer than a second to arrive.
    @Test func progressShowsOnATerminal() throws {
        let slowly = "(head -c 2000 a.btsnoop; sleep 1.3; tail -c +2001 a.btsnoop)"
        let shown = try output("\(slowly) | gattbench stats - >out; cat out")
        #expect(shown.contains(#/\r0\.0 MB  \d+ packets  \d+/s\x1B\[K\r\x1B\[K/#))
        #expect(try output("\(slowly) | gattbench stats - 2>&1 | cat").contains("packets  ") == false)
        #expect(try output("gattbench stats a.btsnoop >out").isEmpty)
    }

    @Test func progressInNumbers() {
        let half = ReadingProgress(packets: 1_234_567, bytes: 14_300_000, size: 28_600_000, seconds: 0.5)
        #expect(half.text == "50 %  14.3 of 28.6 MB  1,234,567 packets  2.5 M/s  0:01 left")
        let slow = ReadingProgress(packets: 999, bytes: 1_000_000, size: 4_000_000_000, seconds: 10)
        #expect(slow.text == "0 %  1.0 of 4000.0 MB  999 packets  100/s  11:06:30 left")
        #expect(ReadingProgress(packets: 45_000, bytes: nil, size: nil, seconds: 3).text == "45,000 packets  15.0 k/s")
        #expect(ReadingProgress(packets: 0, bytes: 0, size: 0, seconds: 0).text == "0.0 MB  0 packets")
    }

    // MARK: - Wording

    @Test func aMisspelledCommandIsFound() throws {
        let said = try output("gattbench decod a.btsnoop; echo $?", columns: nil)
        #expect(said.hasPrefix("gattbench: unknown command \"decod\"; did you mean decode?\n"))
        #expect(said.hasSuffix("\n2\n"))
        let below = try output("gattbench test periferal lifecount; echo $?", columns: nil)
        #expect(below.hasPrefix("gattbench: unknown command \"periferal\"; did you mean peripheral?\n"))
        #expect(below.hasSuffix("  See 'gattbench test --help' for the commands.\n2\n"))
    }

    @Test(arguments: ["-qc1", "-xVc1", "-nqw written=1.btsnoop", "-qwwritten=1.btsnoop", "-Yframe.number==1"])
    func shortOptionsOfLiveCommandsCanBeJoined(options: String) throws {
        let said = try output("gattbench sniff \(options) - <a.btsnoop; echo \"status $?\"", columns: nil)
        #expect(said.hasSuffix(" lost by the system\nstatus 0\n"), "\(said)")
    }

    @Test func verboseSaysWhatWasRead() throws {
        let said = try output("gattbench stats -v a.btsnoop >/dev/null", columns: nil)
        #expect(said.contains(#/gattbench: a\.btsnoop: btsnoop, \d+ packets, \d+ bytes, \d+\.\d+ s\n/#))
        #expect(said.contains("gattbench: plugins: aquavate, "))
        #expect(try output("gattbench stats a.btsnoop >/dev/null", columns: nil).isEmpty)
    }
}
