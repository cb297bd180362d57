import Glibc

/// An open descriptor of the operating system, closed with its last reference. Reading and writing never wait.
///
/// Of this module only the files in `System` use unsafe memory: they hand it to system calls.
final class Descriptor {
    let number: CInt
    /// How bytes are written: a socket must not end the program when nobody reads it.
    private let isSocket: Bool
    /// Whether reading waits when nothing has come in: then it is read only when the system says that something has.
    let canWait: Bool

    init(owning number: CInt, isSocket: Bool) {
        self.number = number
        self.isSocket = isSocket
        canWait = false
        let flags = fcntl(number, F_GETFL)
        _ = fcntl(number, F_SETFL, flags | O_NONBLOCK)
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    }

    /// Another number for standard input, whose mode stays as it is: other programs may have the same file open.
    private init?(copying number: CInt) {
        self.number = fcntl(number, F_DUPFD_CLOEXEC, 3)
        isSocket = false
        canWait = true
        if self.number < 0 { return nil }
    }

    /// Standard input; nil where it is closed.
    static func standardInput() -> Descriptor? { Descriptor(copying: STDIN_FILENO) }

    deinit {
        Glibc.close(number)
    }

    /// What reading or writing came to.
    enum Outcome<Value> {
        case done(Value)
        /// Nothing can be done without waiting.
        case wouldWait
        /// The other end has closed.
        case end
        case failed(SystemFailure)
    }

    /// Bytes that have come in, 64 KiB at most; of a datagram socket one datagram.
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

    /// Writes what can be written; returns how many bytes that was.
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

    /// Accepts somebody who wants to connect; nil where there is nobody.
    func accept() -> Descriptor? {
        let peer = Glibc.accept(number, nil, nil)
        return peer < 0 ? nil : Descriptor(owning: peer, isSocket: true)
    }

    /// Why connecting failed; nil where it succeeded.
    var connectFailure: SystemFailure? {
        var code: CInt = 0
        var size = socklen_t(MemoryLayout<CInt>.size)
        guard unsafe getsockopt(number, SOL_SOCKET, SO_ERROR, &code, &size) == 0 else { return .last }
        return code == 0 ? nil : SystemFailure(code: code)
    }

    /// Packets are sent at once, however short they are.
    func disableDelay() {
        var on: CInt = 1
        unsafe setsockopt(number, CInt(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<CInt>.size))
    }
}

/// What the operating system said when a call failed.
struct SystemFailure: Error, Hashable {
    let code: CInt
    /// Whether the code is one of getaddrinfo.
    var isOfHostName = false

    /// The failure of the call just made.
    static var last: SystemFailure { SystemFailure(code: errno) }

    /// The system's own words, e.g. "Connection refused".
    var text: String {
        guard isOfHostName else { return unsafe String(cString: strerror(code)) }
        return unsafe gai_strerror(code).map { unsafe String(cString: $0) } ?? "Name resolution failed"
    }

    /// What the user can do about it; empty where we know nothing.
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
