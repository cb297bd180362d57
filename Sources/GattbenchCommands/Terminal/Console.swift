import ArgumentParser
import Bytes
import Captures
import Conformance
import DeviceTesting
import Dissection
import Glibc
import Keys
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

/// Standard output for results, and standard error for all else; a terminal or a redirection.
enum Console {
    /// Writes all of `bytes` to standard output, or to the pager; throws `OutputClosed` when the reader has closed it.
    static func write(_ bytes: RawSpan) throws {
        Progress.clear()
        Pager.startIfWanted()
        var failure: Int32 = 0
        unsafe bytes.withUnsafeBytes { buffer in
            var done = 0
            while done < buffer.count {
                let written = unsafe Glibc.write(STDOUT_FILENO, buffer.baseAddress! + done, buffer.count - done)
                if written > 0 {
                    done += written
                } else if errno == EAGAIN {
                    waitUntilWritable()
                } else if errno != EINTR {
                    failure = errno
                    return
                }
            }
        }
        switch failure {
        case 0: return
        case EPIPE: if !worksUnread.load(ordering: .relaxed) { throw OutputClosed() }
        default: throw FileError(file: "standard output", SystemError(code: failure))
        }
    }

    /// Waits until a pipe that another program has made non-blocking is writable.
    private static func waitUntilWritable() {
        var request = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
        _ = unsafe poll(&request, 1, -1)
    }

    /// Discards output from now on if its reader has closed it: the work continues for its files and its exit code.
    static func workUnread() { worksUnread.store(true, ordering: .relaxed) }

    /// Writes a text to standard output; terminal control characters are escaped.
    static func write(_ text: String) throws { try write(painted: text.legibleText()) }

    /// Writes a text with colors; its parts must be escaped already.
    static func write(painted text: String) throws { try write(Array(text.utf8).span.rawBytes) }

    /// Writes a text to a file, or to standard output if there is no path.
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

    /// Throws if an output would overwrite an input file; nil stands for a file that was not named.
    static func refuse(_ output: String?, overwriting inputs: [String?]) throws {
        guard let output, inputs.contains(where: { $0.map { FileDescriptor.isSameFile($0, output) } ?? false }) else {
            return
        }
        throw ValidationError("\(output) is the file that is read; write to another file")
    }

    /// Asks a yes/no question; throws if the answer is not yes, or if there is no terminal.
    static func ask(_ question: String) throws {
        guard isatty(STDIN_FILENO) == 1 else {
            throw UsageError("\(question) Say --yes; standard input is not a terminal")
        }
        writeError("\(question) [y/N] ")
        guard let answer = readLine(), ["y", "yes"].contains(answer.lowercased()) else {
            throw UsageError("nothing was changed")
        }
    }

    /// Prints a message on standard error.
    static func note(_ text: String) { writeError("gattbench: \(text)\n") }

    /// Writes a text to standard error; terminal control characters are escaped.
    static func writeError(_ text: String) {
        Progress.clear()
        writeRaw(text.legibleText())
    }

    /// Writes a text to standard error without clearing the progress line.
    static func writeRaw(_ text: String) {
        let line = Array(text.utf8)
        unsafe line.withUnsafeBytes { buffer in _ = unsafe Glibc.write(STDERR_FILENO, buffer.baseAddress, buffer.count)
        }
    }

    /// Prints the warnings of a reader, and with --verbose the amount read.
    static func note(_ reader: CaptureReader) {
        if isVerbose {
            let seconds = (ContinuousClock.now - start) / .seconds(1)
            note(
                "\(reader.file): \(reader.format.name), \(reader.frameCount) packets, \(reader.bytesRead) bytes, "
                    + "\(Double(Int(seconds * 1000)) / 1000) s")
        }
        for warning in reader.warnings { note("warning: \(warning)") }
        if reader.furtherWarnings > 0 { note("warning: \(reader.file): and \(reader.furtherWarnings) more") }
    }

    /// Warns about plugins that match the same device equally well, so that none decodes its values.
    static func note(rivals: [[String]], in file: String) {
        for names in rivals {
            let list = names.joined(separator: " and ")
            note(
                "warning: \(file): a device matches the plugins \(list) equally, so neither decodes its values; choose one with --plugin \(names[0])"
            )
        }
    }

    /// Reports the devices and packets that could not be checked.
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

    /// Reports the losses of a written capture.
    static func note(_ losses: [ConversionLoss]) {
        for loss in losses {
            let first = loss.firstFrame.map { ", first in frame \($0)" } ?? ""
            note("\(loss.kind.isLeftOut ? "left out" : "changed"): \(loss.count) × \(loss.kind.text)\(first)")
        }
    }

    /// Whether standard output is a terminal, or a pager on one.
    static var isTerminal: Bool { Pager.isRunning || isatty(STDOUT_FILENO) == 1 }

    private static let chosenColor = Mutex(TerminalArguments.Color.auto)
    private static let verbosity = Atomic(false)
    private static let worksUnread = Atomic(false)
    /// Approximate start time of the program.
    private static let start = ContinuousClock.now

    /// The user's choice of colored output.
    static var color: TerminalArguments.Color {
        get { chosenColor.withLock { $0 } }
        set { chosenColor.withLock { $0 = newValue } }
    }

    /// Whether to report the files and plugins read.
    static var isVerbose: Bool {
        get { verbosity.load(ordering: .relaxed) }
        set {
            if newValue { _ = start }
            verbosity.store(newValue, ordering: .relaxed)
        }
    }

    /// Whether output is colored.
    static var wantsColor: Bool {
        switch color {
        case .auto: unsafe isTerminal && getenv("NO_COLOR") == nil
        case .always: true
        case .never: false
        }
    }

    /// Columns for help: those of the terminal, or the value of COLUMNS.
    static var helpWidth: Int {
        let named = unsafe getenv("COLUMNS").flatMap { Int(unsafe String(cString: $0)) }
        // Terminals wrap a line that fills their width.
        return max(40, named ?? width ?? 80) - 1
    }

    /// Columns of the terminal on standard output; nil if it is not a terminal.
    static var width: Int? {
        var size = winsize()
        guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col >= 40 else { return nil }
        return Int(size.ws_col)
    }

    /// Prints an error's message on standard error, and ends the program with its exit code.
    static func exit(for error: any Error) -> Never {
        switch error {
        case let error as CaptureError:
            note("\(error)")
            Glibc.exit(error.kind == .wrongTarget ? Exit.usage : Exit.unreadable)
        case let error as FilterError:
            // On a separate line, so that the caret points at the fault.
            note("invalid filter\n\(error)")
            Glibc.exit(Exit.usage)
        case let error as ProfileFaults:
            note("invalid profile\n\(error)")
            Glibc.exit(Exit.usage)
        case .unreadable(let text) as CommandError:
            note(text)
            Glibc.exit(Exit.unreadable)
        case is GATTFileError, is KeyFileError, is FileError, is KeptFileError, is StoreFault, is AmbiguousDevice,
            is TransportError:
            note("\(error)")
            Glibc.exit(Exit.unreadable)
        case .usage(let text) as CommandError:
            note(text)
            Glibc.exit(Exit.usage)
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
            if code == .success { show(message(of: error)) } else { note(usage(error)) }
            Glibc.exit(code == .success ? 0 : Exit.usage)
        }
    }

    /// Prints help or a version requested instead of a command.
    private static func show(_ text: String) {
        Pager.use()
        do {
            try write(text + "\n")
        } catch {
            exit(for: error)
        }
    }

    /// ArgumentParser's message; help is wrapped to the terminal's width.
    private static func message(of error: any Error) -> String {
        let message = Gattbench.fullMessage(for: error, columns: HelpText.unwrapped)
        let isHelp = message.hasPrefix("OVERVIEW: ") || message.hasPrefix("USAGE: ")
        return isHelp ? HelpText.wrapped(message, to: helpWidth) : message
    }

    private static func usage(_ error: any Error) -> String {
        let message = message(of: error)
        return message.hasPrefix("Error: ") ? String(message.dropFirst(7)) : message
    }
}

/// The reader of standard output has closed it, which is not an error of this program.
struct OutputClosed: Error {}

/// The options contradict each other, or name something that does not exist.
struct UsageError: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) {
        self.description = description
    }
}

/// The only state that a signal handler touches.
private let interruptionWasAsked = Atomic(false)

/// Whether Ctrl-C was pressed; commands poll it between batches and end with the results so far.
enum Interruption {
    @Sendable static func check() -> Bool { isAsked }

    static var isAsked: Bool { interruptionWasAsked.load(ordering: .relaxed) }

    /// Installs handlers: the first SIGINT, SIGTERM or SIGHUP ends the work cleanly, a second one ends the program at
    /// once, except that SIGINT never ends it before its pager. The signals are unblocked, because a parent process
    /// that blocks them passes its mask on.
    static func watch() {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        let numbers = [SIGINT, SIGTERM] + (isIgnored(SIGHUP) ? [] : [SIGHUP])
        for number in numbers { unsafe sigaddset(&signals, number) }
        unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        for number in numbers {
            signal(number) { number in
                interruptionWasAsked.store(true, ordering: .relaxed)
                if number != SIGINT || !Pager.isRunning { signal(number, SIG_DFL) }
            }
        }
    }

    /// Whether the program was started with a signal ignored, as by nohup.
    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard unsafe sigaction(number, nil, &action) == 0 else { return false }
        return unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    }

    /// The result of work that is cancelled on an interruption; `then` runs after the cancellation, unless the work
    /// ends first.
    static func value<Success: Sendable>(
        of work: Task<Success, any Error>, then: @escaping @Sendable () async throws -> Void = {}
    ) async throws -> Success {
        let watch = Task {
            while !isAsked { try await Task.sleep(for: .milliseconds(100)) }
            work.cancel()
            try await then()
        }
        defer { watch.cancel() }
        return try await work.value
    }
}
