import Glibc

/// An open file descriptor, closed with its last reference. Reads and writes never block.
///
/// Only the files in `System` of this module use unsafe memory, which they pass to system calls.
final class Descriptor {
    let number: CInt
    /// Whether to write with `send`: a closed peer of a socket must not end the program with SIGPIPE.
    private let isSocket: Bool
    /// Whether reads block without input, so that they are allowed only after polling.
    let canWait: Bool

    init(owning number: CInt, isSocket: Bool) {
        self.number = number
        self.isSocket = isSocket
        canWait = false
        let flags = fcntl(number, F_GETFL)
        _ = fcntl(number, F_SETFL, flags | O_NONBLOCK)
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    }

    /// Duplicates standard input without changing its mode: other programs may have the same file open.
    private init?(copying number: CInt) {
        self.number = fcntl(number, F_DUPFD_CLOEXEC, 3)
        isSocket = false
        canWait = true
        if self.number < 0 { return nil }
    }

    /// Standard input; nil if it is closed.
    static func standardInput() -> Descriptor? { Descriptor(copying: STDIN_FILENO) }

    /// Opens a named pipe for reading, without waiting for a writer; nil if the path is something else.
    static func namedPipe(_ path: String) throws(SystemFailure) -> Descriptor? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw .last }
        guard status.st_mode & S_IFMT == S_IFIFO else { return nil }
        let number = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard number >= 0 else { throw .last }
        return Descriptor(owning: number, isSocket: false)
    }

    deinit {
        Glibc.close(number)
    }

    /// Outcome of a read or write.
    enum Outcome<Value> {
        case done(Value)
        /// The operation would block.
        case wouldWait
        /// The peer has closed.
        case end
        case failed(SystemFailure)
    }

    /// Reads available bytes, at most 64 KiB; for a datagram socket, one datagram.
    func read() -> Outcome<[UInt8]> {
        var outcome = Outcome<[UInt8]>.wouldWait
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Self.chunk) { buffer, count in
            let got = unsafe Glibc.read(number, buffer.baseAddress, Self.chunk)
            count = max(0, got)
            if got == 0 {
                outcome = .end
            } else if got < 0, errno != EAGAIN, errno != EINTR {
                outcome = .failed(.last)
            }
        }
        return bytes.isEmpty ? outcome : .done(bytes)
    }

    private static let chunk = 65_536

    /// Writes as much as possible; returns the number of bytes written.
    func write(_ bytes: ArraySlice<UInt8>) -> Outcome<Int> {
        unsafe bytes.withUnsafeBytes { buffer in
            let written =
                unsafe isSocket
                ? Glibc.send(number, buffer.baseAddress, buffer.count, CInt(MSG_NOSIGNAL))
                : Glibc.write(number, buffer.baseAddress, buffer.count)
            if written >= 0 { return .done(written) }
            return errno == EAGAIN || errno == EINTR ? .wouldWait : .failed(.last)
        }
    }

    /// Accepts a connection; nil if none is pending.
    func accept() -> Descriptor? {
        let peer = Glibc.accept(number, nil, nil)
        return peer < 0 ? nil : Descriptor(owning: peer, isSocket: true)
    }

    /// The error of a connection attempt; nil if it succeeded.
    var connectFailure: SystemFailure? {
        var code: CInt = 0
        var size = socklen_t(MemoryLayout<CInt>.size)
        guard unsafe getsockopt(number, SOL_SOCKET, SO_ERROR, &code, &size) == 0 else { return .last }
        return code == 0 ? nil : SystemFailure(code: code)
    }

    /// Sends short packets immediately (TCP_NODELAY).
    func disableDelay() {
        var on: CInt = 1
        unsafe setsockopt(number, CInt(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<CInt>.size))
    }
}

/// An error of a system call.
struct SystemFailure: Error, Hashable {
    let code: CInt
    /// Whether the code is from getaddrinfo.
    var isOfHostName = false

    /// The error of the last system call.
    static var last: SystemFailure { SystemFailure(code: errno) }

    /// The system's error message, such as "Connection refused".
    var text: String {
        guard isOfHostName else { return unsafe String(cString: strerror(code)) }
        return unsafe gai_strerror(code).map { unsafe String(cString: $0) } ?? "Name resolution failed"
    }

    /// Advice for the user; empty if there is none.
    var advice: String {
        if isOfHostName { return "check the name of the host" }
        return switch code {
        case ECONNREFUSED: "start what listens there first"
        case EADDRINUSE: "something listens there already: end it, or take another port"
        case ENOENT: "check the path"
        case EACCES, EPERM: "run it as root, or ask for the right to open it"
        case EBUSY: "another program uses it: end that program, or power the adapter down"
        case ENODEV: "no such adapter; “hciconfig -a” lists those that are there"
        case ENOTTY: "not a serial port"
        case EAFNOSUPPORT: "this kernel has no Bluetooth: sudo modprobe bluetooth, or a kernel that has it"
        default: ""
        }
    }
}
