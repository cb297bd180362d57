import ArgumentParser
import Bytes
import Captures
import Conformance
import DeviceTesting
import Dissection
import Glibc
import Output
import PluginKit
import Profile
import Synchronization
import Transports
import Workbench

/// Exit codes, the same for every command.
enum Exit {
    static let findings: Int32 = 1
    static let usage: Int32 = 2
    static let unreadable: Int32 = 3
    static let inconclusive: Int32 = 4
}

/// The terminal, or whatever stands in its place: results go to standard output, all else to standard error.
enum Console {
    /// Writes all of `bytes` to standard output; throws when nobody reads it any more.
    static func write(_ bytes: RawSpan) throws {
        var failure: Int32 = 0
        unsafe bytes.withUnsafeBytes { buffer in
            var done = 0
            while done < buffer.count {
                let written = unsafe Glibc.write(STDOUT_FILENO, buffer.baseAddress! + done, buffer.count - done)
                if written > 0 {
                    done += written
                } else if errno != EINTR {
                    failure = errno
                    return
                }
            }
        }
        if failure != 0 { throw OutputClosed(errno: failure) }
    }

    static func write(_ text: String) throws {
        try write(Array(text.utf8).span.rawBytes)
    }

    /// Writes a text to a file, or to standard output where none is named.
    static func write(_ text: String, to path: String?) throws {
        guard let path, path != "-" else { return try write(text) }
        do throws(SystemError) {
            try FileDescriptor.writing(path).write(Array(text.utf8))
        } catch {
            throw CaptureError(.cannotWrite, file: path, error.text, advice: error.advice)
        }
    }

    /// Writes a report to a file, or to standard output if that is `-`.
    static func write(_ report: any ReportFormat, to path: String) throws {
        if path == "-" { return try report.write { try write($0.span.rawBytes) } }
        try TextFile.write(to: path) { try report.write($0) }
    }

    /// Asks a question that must be answered by yes; throws where it is not, or where nobody can be asked.
    static func ask(_ question: String) throws {
        guard isatty(STDIN_FILENO) == 1 else {
            throw UsageError("\(question) Say --yes; standard input is not a terminal")
        }
        try write("\(question) [y/N] ")
        guard let answer = readLine(), ["y", "yes"].contains(answer.lowercased()) else {
            throw UsageError("nothing was changed")
        }
    }

    /// Says something on standard error.
    static func note(_ text: String) { remark("gattbench: \(text)\n") }

    /// Writes a text to standard error as it is.
    static func remark(_ text: String) {
        Progress.clear()
        let line = Array(text.utf8)
        unsafe line.withUnsafeBytes { buffer in _ = unsafe Glibc.write(STDERR_FILENO, buffer.baseAddress, buffer.count)
        }
    }

    /// Says what a reader found wrong with its capture.
    static func note(_ reader: CaptureReader) {
        for warning in reader.warnings { note("warning: \(warning)") }
        if reader.furtherWarnings > 0 { note("warning: \(reader.file): and \(reader.furtherWarnings) more") }
    }

    /// Says which plugins speak for the same device, so that none reads its values.
    static func note(rivals: [[String]], in file: String) {
        for names in rivals {
            let list = names.joined(separator: " and ")
            note(
                "warning: \(file): a device matches the plugins \(list) equally, so neither decodes its values; choose one with --plugin \(names[0])"
            )
        }
    }

    /// Says what could not be judged.
    static func note(_ outcome: CheckJob.Outcome) {
        note(rivals: outcome.rivals, in: outcome.report.file)
        for plugin in outcome.withoutTwin {
            note("--oracle: \(plugin) has no oracle; its devices are not compared")
        }
        if outcome.hasMissed {
            note(
                "note: \(outcome.report.file) can be read only once: traffic before its device was identified is not checked; “gattbench check” checks it in a recording"
            )
        }
    }

    /// Says what a capture that was written does not hold.
    static func note(_ losses: [ConversionLoss]) {
        for loss in losses {
            let first = loss.firstFrame.map { ", first in frame \($0)" } ?? ""
            note("\(loss.kind.isLeftOut ? "left out" : "changed"): \(loss.count) × \(loss.kind.text)\(first)")
        }
    }

    /// Whether standard output is a terminal that wants colours.
    static var wantsColor: Bool {
        unsafe isatty(STDOUT_FILENO) == 1 && getenv("NO_COLOR") == nil
    }

    /// Columns of the terminal that standard output is; nil where it is none.
    static var width: Int? {
        var size = winsize()
        guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col >= 40 else { return nil }
        return Int(size.ws_col)
    }

    /// Ends the program as an error demands, with its message on standard error.
    static func exit(for error: any Error) -> Never {
        switch error {
        case let error as CaptureError:
            note("\(error)")
            Glibc.exit(error.kind == .wrongTarget ? Exit.usage : Exit.unreadable)
        case let error as GATTFileError:
            note("\(error)")
            Glibc.exit(Exit.unreadable)
        case let error as FilterError:
            // On lines of its own, so that the caret stands under the fault.
            note("invalid filter\n\(error)")
            Glibc.exit(Exit.usage)
        case let error as FileError:
            note("\(error)")
            Glibc.exit(Exit.unreadable)
        case let error as ProfileFaults:
            note("invalid profile\n\(error)")
            Glibc.exit(Exit.usage)
        case .unreadable(let text) as CommandError:
            note(text)
            Glibc.exit(Exit.unreadable)
        case is KeptFileError:
            note("\(error)")
            Glibc.exit(Exit.unreadable)
        case .usage(let text) as CommandError:
            note(text)
            Glibc.exit(Exit.usage)
        case let error as TransportError:
            note("\(error)")
            Glibc.exit(Exit.unreadable)
        case let error as SpecError:
            note("invalid transport\n\(error)")
            Glibc.exit(Exit.usage)
        case is UnknownField, is LayoutError, is LiveOptionError, is UsageError, is UnknownPlugin, is WaiverFaults,
            is UnknownScenario, is ScenarioFaults, is TestScriptFaults, is TwinFault, is QuirkSelection.Fault:
            note("\(error)")
            Glibc.exit(Exit.usage)
        case let outcome as PluginOutcome: Glibc.exit(outcome.code)
        case is OutputClosed: Glibc.exit(0)
        case let code as ExitCode: Glibc.exit(code.rawValue)
        default:
            let code = Gattbench.exitCode(for: error)
            if code == .success { print(Gattbench.fullMessage(for: error)) } else { note(usage(error)) }
            Glibc.exit(code == .success ? 0 : Exit.usage)
        }
    }

    private static func usage(_ error: any Error) -> String {
        let message = Gattbench.fullMessage(for: error)
        return message.hasPrefix("Error: ") ? String(message.dropFirst(7)) : message
    }
}

/// Nobody reads standard output any more: not an error of ours.
struct OutputClosed: Error {
    var errno: Int32
}

/// The options contradict each other, or name something that does not exist.
struct UsageError: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) {
        self.description = description
    }
}

/// The only thing that a signal handler touches.
private let interruptionWasAsked = Atomic(false)

/// Whether Ctrl-C was pressed: commands look here between batches and end with what there is.
enum Interruption {
    static var isAsked: Bool { interruptionWasAsked.load(ordering: .relaxed) }

    /// From now on the first Ctrl-C, or request to end, ends the work cleanly; a second one ends the program at once.
    /// When nobody reads the output any more, writing fails instead of ending the program.
    static func watch() {
        signal(SIGPIPE, SIG_IGN)
        for number in [SIGINT, SIGTERM] {
            signal(number) { number in
                interruptionWasAsked.store(true, ordering: .relaxed)
                signal(number, SIG_DFL)
            }
        }
    }
}

/// A line on standard error that tells how far the work has come, when somebody looks and it takes long.
struct Progress {
    private var next = ContinuousClock.now + .seconds(1)
    private let isVisible = isatty(STDERR_FILENO) == 1 && isatty(STDOUT_FILENO) == 0

    mutating func show(_ frames: Int) {
        guard isVisible, ContinuousClock.now >= next else { return }
        next = ContinuousClock.now + .milliseconds(200)
        let line = Array("\r\(frames) frames".utf8)
        unsafe line.withUnsafeBytes { buffer in _ = unsafe Glibc.write(STDERR_FILENO, buffer.baseAddress, buffer.count)
        }
    }

    /// Takes the line away.
    static func clear() {
        guard isatty(STDERR_FILENO) == 1 else { return }
        let line = Array("\r\u{1B}[K".utf8)
        unsafe line.withUnsafeBytes { buffer in _ = unsafe Glibc.write(STDERR_FILENO, buffer.baseAddress, buffer.count)
        }
    }
}
