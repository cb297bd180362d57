package import Bytes
import Glibc

/// Keyboard input of a terminal, unbuffered and without echo, as a link with one byte per key.
///
/// Ctrl-C keeps its function. `close` restores the terminal settings.
package final class Keyboard: Transport {
    package let name = "keyboard"
    private let settings: termios
    private var isOpen = true

    /// Nil if standard input is not a terminal.
    package init?() {
        var settings = termios()
        guard isatty(STDIN_FILENO) == 1, unsafe tcgetattr(STDIN_FILENO, &settings) == 0 else { return nil }
        self.settings = settings
        settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
        // VTIME and VMIN: reads never block. The descriptor's mode is unchanged, because output may use the same one.
        settings.c_cc.5 = 0
        settings.c_cc.6 = 0
        guard unsafe tcsetattr(STDIN_FILENO, TCSANOW, &settings) == 0 else { return nil }
    }

    deinit {
        close()
    }

    package var interests: [Interest] { isOpen ? [Interest(STDIN_FILENO)] : [] }
    package var nextEvent: Timestamp? { nil }

    /// Keys pressed since the last call, without blocking.
    package func pressed() -> [UInt8] {
        var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        guard isOpen, unsafe poll(&input, 1, 0) > 0 else { return [] }
        return read()
    }

    package func advance(_ ready: [Readiness], to now: Timestamp) -> [TransportEvent] {
        guard isOpen, ready.contains(where: { $0.descriptor == STDIN_FILENO && $0.reading }) else { return [] }
        return read().map { .packet([$0], comment: nil) }
    }

    private func read() -> [UInt8] {
        let keys = unsafe [UInt8](unsafeUninitializedCapacity: 64) { buffer, count in
            count = max(0, unsafe Glibc.read(STDIN_FILENO, buffer.baseAddress, 64))
        }
        // A closed terminal is always ready but returns no bytes.
        if keys.isEmpty { close() }
        return keys
    }

    package func send(_ packet: [UInt8], at now: Timestamp) -> [TransportEvent] { [] }

    package func close() {
        guard isOpen else { return }
        isOpen = false
        var settings = settings
        unsafe tcsetattr(STDIN_FILENO, TCSANOW, &settings)
    }
}
