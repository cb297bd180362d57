import Bytes
import PluginKit
import Profile
import Transports

/// The user's command for reminders, `--notify`. It runs beside the gateway, one reminder after the other. Its arguments are
/// the user's; the texts of reminders and devices are in its environment only.
package final class ReminderCommand {
    private let words: [String]
    private var current: (kind: String, process: ChildProcess, end: ContinuousClock.Instant, isKilled: Bool)?
    /// Kind and environment of the reminders to come.
    private var waiting = FIFO<(kind: String, environment: [String: String])>()

    private static let timeLimit = Duration.seconds(30)
    /// Time for commands that still run or wait when the gateway ends.
    private static let finalTime = Duration.seconds(5)
    /// Maximum number of waiting reminders; the oldest ones are dropped.
    private static let capacity = 64

    /// Reads a command line; nil if it has no word, or a quote is not closed.
    package init?(_ text: String) {
        guard let words = CommandLineWords.split(text) else { return nil }
        self.words = words
    }

    /// Whether a command runs or a reminder waits for it.
    var isRunning: Bool { current != nil || !waiting.isEmpty }

    func enqueue(_ reminder: DueReminder, _ zone: TimeZoneTable) {
        var environment = [
            "REMINDER": reminder.kind, "TEXT": reminder.text,
            "TIME": zone.text(reminder.time.nanoseconds / 1_000_000_000),
        ]
        for (name, value) in reminder.details.fields {
            switch value {
            case .integer(let number): environment[name.uppercased()] = "\(number)"
            case .text(let text): environment[name.uppercased()] = text
            default: break
            }
        }
        if waiting.count >= Self.capacity { waiting.popFirst() }
        let own = environment.map { ("GATTBENCH_\($0.key)", $0.value.legible()) }
        waiting.append((reminder.kind, Dictionary(own) { first, _ in first }))
    }

    /// Looks after the running command, and starts the next one; returns messages for people.
    func proceed() -> [String] {
        var notes: [String] = []
        if let (kind, process, end, isKilled) = current {
            guard let status = process.exitStatus() else {
                if !isKilled, ContinuousClock.now >= end {
                    process.kill(force: true)
                    current?.isKilled = true
                }
                return []
            }
            current = nil
            if isKilled {
                notes.append("--notify: \(words[0]) was ended after \(Self.timeLimit.components.seconds) s (\(kind))")
            } else if status != 0 {
                notes.append("--notify: \(words[0]) ended with \(status) (\(kind))")
            }
        }
        while current == nil, let (kind, environment) = waiting.popFirst() {
            do throws(TransportError) {
                let process = try ChildProcess(words[0], arguments: Array(words.dropFirst()), environment: environment)
                current = (kind, process, ContinuousClock.now + Self.timeLimit, false)
            } catch {
                notes.append("--notify: \(error)")
            }
        }
        return notes
    }

    /// Waits some seconds for the commands that still run or wait, then ends them; returns messages for people.
    package func finish() -> [String] {
        let end = ContinuousClock.now + Self.finalTime
        var notes = proceed()
        while isRunning, ContinuousClock.now < end {
            SystemThread.pause(milliseconds: 10)
            notes += proceed()
        }
        if let current {
            current.process.kill(force: true)
            notes.append("--notify: \(words[0]) was ended with the gateway (\(current.kind))")
        }
        return notes
    }
}
