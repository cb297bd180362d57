import Bytes
import PDUTestKit
import PluginKit
import Profile
import Testing

@testable import Workbench

/// The command for reminders, `--notify`.
struct ReminderCommandTests {
    static let lines: [(text: String, words: [String]?)] = [
        ("/usr/local/bin/remind", ["/usr/local/bin/remind"]),
        ("  curl  -d x http://door/ ", ["curl", "-d", "x", "http://door/"]),
        ("sh -c 'echo \"$GATTBENCH_TEXT\"; \\true'", ["sh", "-c", "echo \"$GATTBENCH_TEXT\"; \\true"]),
        ("say \"a \\\" b\" '' c\\ d", ["say", "a \" b", "", "c d"]),
        ("a'b'\"c\"", ["abc"]),
        ("", nil), ("  ", nil), ("''", nil), ("say 'a", nil), ("say \"a", nil), ("say a\\", nil),
    ]

    @Test(arguments: lines)
    func wordsAreSplitAsByAShell(text: String, words: [String]?) {
        #expect(CommandLineWords.split(text) == words)
    }

    private static func reminder(_ text: String) -> DueReminder {
        DueReminder(
            kind: "goal_reached", text: text, time: Timestamp(seconds: 1_772_449_200, nanoseconds: 0),
            details: ["total_ml": .integer(2600), "device_name": .text("a;b")],
            change: .addNew([], to: "aquavate_reminders"))
    }

    /// Texts are no part of the command line, and control characters are escaped.
    @Test func textsAreInTheEnvironment() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("given")
        let variables = ["REMINDER", "TEXT", "TIME", "TOTAL_ML", "DEVICE_NAME"].map { "$GATTBENCH_\($0)" }
        let command = try #require(
            ReminderCommand("sh -c 'printf \"%s\\n\" \"\(variables.joined(separator: "|"))\" >>\"$0\"' \(path)"))
        command.enqueue(Self.reminder("first $(id)"), .utc)
        command.enqueue(Self.reminder("second\u{1B}[2J"), .utc)
        #expect(command.finish() == [])
        let lines = try folder.text("given").split(separator: "\n")
        #expect(lines.first == "goal_reached|first $(id)|2026-03-02T11:00:00Z|2600|a;b")
        #expect(lines.count == 2 && !lines[1].contains("\u{1B}"))
        #expect(!command.isRunning)
    }

    @Test func aFailureIsANote() throws {
        let failing = try #require(ReminderCommand("sh -c 'exit 7'"))
        failing.enqueue(Self.reminder("x"), .utc)
        #expect(failing.finish() == ["--notify: sh ended with 7 (goal_reached)"])
        let missing = try #require(ReminderCommand("/no/such/program"))
        missing.enqueue(Self.reminder("x"), .utc)
        let notes = missing.finish()
        #expect(notes.count == 1 && notes[0].contains("/no/such/program: cannot be started"), "\(notes)")
    }

    @Test func aCommandThatRunsOnIsEndedWithTheGateway() throws {
        let command = try #require(ReminderCommand("sleep 1000"))
        command.enqueue(Self.reminder("x"), .utc)
        #expect(command.proceed() == [])
        #expect(command.isRunning)
        #expect(command.finish() == ["--notify: sleep was ended with the gateway (goal_reached)"])
    }
}
