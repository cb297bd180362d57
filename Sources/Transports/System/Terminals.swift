import Glibc

/// Speeds of serial ports.
package enum SerialSpeed {
    private static let codes: [UInt32: UInt32] = [
        9_600: UInt32(B9600), 19_200: UInt32(B19200), 38_400: UInt32(B38400), 57_600: UInt32(B57600),
        115_200: UInt32(B115200), 230_400: UInt32(B230400), 460_800: UInt32(B460800), 921_600: UInt32(B921600),
        1_000_000: UInt32(B1000000), 1_500_000: UInt32(B1500000), 2_000_000: UInt32(B2000000),
        3_000_000: UInt32(B3000000), 4_000_000: UInt32(B4000000),
    ]

    /// In bits per second, slowest first.
    package static let all: [UInt32] = codes.keys.sorted()

    static func code(_ baud: UInt32) -> speed_t? { codes[baud].map { speed_t($0) } }
}

/// Serial ports and pseudo-terminals.
enum Terminals {
    /// Opens a serial port: 8 data bits, no parity, 1 stop bit. H4 requires hardware flow control (Vol 4, Part A, 3).
    static func serial(path: String, baud: UInt32, hasFlowControl: Bool) throws(SystemFailure) -> Descriptor {
        let number = unsafe open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        guard number >= 0 else { throw .last }
        let descriptor = Descriptor(owning: number, isSocket: false)
        var settings = try raw(number)
        settings.c_cflag |= tcflag_t(CLOCAL | CREAD) | (hasFlowControl ? tcflag_t(CRTSCTS) : 0)
        if let speed = SerialSpeed.code(baud) {
            unsafe cfsetispeed(&settings, speed)
            unsafe cfsetospeed(&settings, speed)
        }
        guard unsafe tcsetattr(number, TCSANOW, &settings) == 0 else { throw .last }
        return descriptor
    }

    /// Creates a pseudo-terminal: this end, the path of the other end, and the other end itself, which must stay open.
    static func pseudoTerminal() throws(SystemFailure) -> (master: Descriptor, path: String, slave: Descriptor) {
        let number = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard number >= 0 else { throw .last }
        let master = Descriptor(owning: number, isSocket: false)
        var lock: CInt = 0
        var name: CUnsignedInt = 0
        guard unsafe ioctl(number, unlockTerminal, &lock) == 0, unsafe ioctl(number, nameOfTerminal, &name) == 0 else {
            throw .last
        }
        let path = "/dev/pts/\(name)"
        let other = unsafe open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard other >= 0 else { throw .last }
        let slave = Descriptor(owning: other, isSocket: false)
        var settings = try raw(other)
        guard unsafe tcsetattr(other, TCSANOW, &settings) == 0 else { throw .last }
        return (master, path, slave)
    }

    /// TIOCSPTLCK and TIOCGPTN of Linux: unlock the other end and return its number.
    private static let unlockTerminal: UInt = 0x4004_5431
    private static let nameOfTerminal: UInt = 0x8004_5430

    /// Creates a symbolic link; replaces an existing symbolic link, but nothing else.
    static func link(_ path: String, to target: String) throws(SystemFailure) {
        var status = stat()
        if unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK { unsafe unlink(path) }
        guard unsafe symlink(target, path) == 0 else { throw .last }
    }

    static func remove(_ path: String) {
        unsafe unlink(path)
    }

    private static func raw(_ number: CInt) throws(SystemFailure) -> termios {
        var settings = termios()
        guard unsafe tcgetattr(number, &settings) == 0 else { throw .last }
        unsafe cfmakeraw(&settings)
        return settings
    }
}
