import Captures
import Glibc
import Synchronization
import Workbench

/// A progress line on standard error, shown on a terminal for work of more than a second:
///
///     43 %  12.3 of 28.6 MB  1,234,567 packets  5.9 M/s  0:03 left
struct Progress {
    private let reader: CaptureReader?
    private let isVisible: Bool
    private var start = ContinuousClock.now
    private var next: ContinuousClock.Instant
    private var last = 0

    /// Whether the progress line, which all instances share, is on the terminal.
    private static let stands = Atomic(false)

    /// - Parameter besideOutput: Whether results are printed meanwhile; a terminal that shows results shows no
    ///   progress.
    init(_ reader: CaptureReader? = nil, besideOutput: Bool = false) {
        self.reader = reader
        isVisible = isatty(STDERR_FILENO) == 1 && !(besideOutput && Console.isTerminal)
        next = start + .seconds(1)
    }

    /// Shows the number of packets read, at most five times a second.
    mutating func show(_ packets: Int) {
        guard isVisible else { return }
        let now = ContinuousClock.now
        // A second pass through the capture has begun.
        if packets < last { start = now }
        last = packets
        let (reader, start) = (reader, start)
        show(
            ReadingProgress(
                packets: packets, bytes: reader?.bytesRead, size: reader?.size, seconds: (now - start) / .seconds(1)
            ).text)
    }

    /// Shows a text, at most five times a second.
    mutating func show(_ text: @autoclosure () -> String) {
        guard isVisible else { return }
        let now = ContinuousClock.now
        guard now >= next else { return }
        next = now + .milliseconds(200)
        Self.stands.store(true, ordering: .relaxed)
        Console.writeRaw("\r\(text())\u{1B}[K")
    }

    /// Removes the line.
    static func clear() {
        if stands.exchange(false, ordering: .relaxed) { Console.writeRaw("\r\u{1B}[K") }
    }
}
