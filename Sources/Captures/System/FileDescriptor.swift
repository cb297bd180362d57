import Glibc

/// An open file of the operating system; closed on deinit.
///
/// Only the files in this module's `System` folder use unsafe memory: they pass it to system calls and to zlib.
package final class FileDescriptor: Sendable {
    package let number: CInt
    private let isOwned: Bool

    enum Kind: Sendable, Hashable {
        case regular, other
    }

    /// The identity of a file, independent of its path.
    struct Identity: Hashable {
        var device: UInt64
        var inode: UInt64

        fileprivate init(_ status: stat) {
            device = UInt64(status.st_dev)
            inode = UInt64(status.st_ino)
        }
    }

    package static let standardInput = FileDescriptor(number: 0, isOwned: false)
    static let standardOutput = FileDescriptor(number: 1, isOwned: false)

    private init(number: CInt, isOwned: Bool) {
        self.number = number
        self.isOwned = isOwned
    }

    deinit {
        if isOwned { close(number) }
    }

    /// Opens an existing file for reading.
    package static func reading(_ path: String) throws(SystemError) -> FileDescriptor {
        let number = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { throw SystemError.last }
        return FileDescriptor(number: number, isOwned: true)
    }

    /// Creates a file, or truncates an existing one.
    package static func writing(_ path: String) throws(SystemError) -> FileDescriptor {
        let number = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        guard number >= 0 else { throw SystemError.last }
        return FileDescriptor(number: number, isOwned: true)
    }

    /// Creates a file that only its owner can access, or truncates an existing one and makes it so.
    package static func writingPrivately(_ path: String) throws(SystemError) -> FileDescriptor {
        let number = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard number >= 0 else { throw SystemError.last }
        let file = FileDescriptor(number: number, isOwned: true)
        // The mode of open holds for new files only.
        if try file.status().kind == .regular, fchmod(number, 0o600) != 0 { throw SystemError.last }
        return file
    }

    /// Creates a file; fails if it exists.
    package static func creating(_ path: String) throws(SystemError) -> FileDescriptor {
        let number = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard number >= 0 else { throw SystemError.last }
        return FileDescriptor(number: number, isOwned: true)
    }

    /// Creates a file that only this user can access, and unlinks it: nothing of it remains when the process ends.
    package static func unnamed(in folder: String) throws(SystemError) -> FileDescriptor {
        let path = "\(folder)/gattbench-\(getpid())-\(UInt64.random(in: 0 ... .max))"
        let number = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard number >= 0 else { throw SystemError.last }
        let file = FileDescriptor(number: number, isOwned: true)
        guard unsafe unlink(path) == 0 else { throw SystemError.last }
        return file
    }

    /// A path to reopen the file in this process while it is open; an unlinked file has no other path.
    package var pathInProcess: String { "/proc/self/fd/\(number)" }

    /// Opens a file for appending; creates it, with access for its owner only, if it is missing.
    package static func appending(_ path: String) throws(SystemError) -> FileDescriptor {
        let number = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard number >= 0 else { throw SystemError.last }
        return FileDescriptor(number: number, isOwned: true)
    }

    func status() throws(SystemError) -> (kind: Kind, identity: Identity) {
        var status = stat()
        guard unsafe fstat(number, &status) == 0 else { throw SystemError.last }
        return (status.st_mode & S_IFMT == S_IFREG ? .regular : .other, Identity(status))
    }

    /// Whether users beside its owner may read a regular file.
    package var isReadableByOthers: Bool {
        var status = stat()
        guard unsafe fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
        return status.st_mode & 0o044 != 0
    }

    /// Size of a regular file in bytes; nil for other kinds.
    var size: Int? {
        var status = stat()
        guard unsafe fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(status.st_size)
    }

    /// Identity of the file at `path`; nil if it does not exist.
    static func identity(of path: String) -> Identity? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? Identity(status) : nil
    }

    /// Whether `output` is the same regular file as `input`, whatever their paths; the input `-` is standard input.
    package static func isSameFile(_ input: String, _ output: String) -> Bool {
        var status = stat()
        let failure = unsafe input == "-" ? fstat(STDIN_FILENO, &status) : stat(input, &status)
        guard failure == 0, status.st_mode & S_IFMT == S_IFREG, output != "-" else { return false }
        return identity(of: output) == Identity(status)
    }

    /// The read offset; nil for descriptors without one, such as pipes.
    var position: Int? {
        let position = lseek(number, 0, SEEK_CUR)
        return position < 0 ? nil : Int(position)
    }

    func seek(to position: Int) throws(SystemError) {
        if lseek(number, off_t(position), SEEK_SET) < 0 { throw SystemError.last }
    }

    /// Reads and appends to `bytes`: at least `minimum` bytes, fewer only at the end of the file, and at most
    /// `maximum`. Both must be at least 1.
    package func append(to bytes: inout [UInt8], atLeast minimum: Int, atMost maximum: Int) throws(SystemError) {
        let before = bytes.count
        var failure: SystemError?
        bytes.append(addingCapacity: maximum) { output in
            unsafe output.withUnsafeMutableBufferPointer { buffer, count in
                while count < minimum {
                    let got = unsafe read(number, buffer.baseAddress! + count, maximum - count)
                    if got == 0 { break }
                    if got > 0 {
                        count += got
                    } else if errno == EAGAIN {
                        waitUntilReadable()
                    } else if errno != EINTR {
                        failure = SystemError.last
                        break
                    }
                }
            }
        }
        if let failure, bytes.count == before { throw failure }
    }

    private func waitUntilReadable() {
        _ = isReadable(within: -1)
    }

    /// Waits up to `milliseconds` until data can be read or the end is reached; without limit if negative. Returns
    /// false after a timeout.
    func isReadable(within milliseconds: Int32) -> Bool {
        var request = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&request, 1, milliseconds) > 0
    }

    package func write(_ bytes: [UInt8]) throws(SystemError) {
        var failure: SystemError?
        unsafe bytes.withUnsafeBytes { buffer in
            var done = 0
            while done < buffer.count {
                let written = unsafe Glibc.write(number, buffer.baseAddress! + done, buffer.count - done)
                if written >= 0 {
                    done += written
                } else if errno != EINTR {
                    failure = SystemError.last
                    break
                }
            }
        }
        if let failure { throw failure }
    }
}

/// An error code of the operating system.
package struct SystemError: Error, Hashable {
    let code: CInt

    package init(code: CInt) {
        self.code = code
    }

    /// Whether the path is a directory where a file was expected.
    var isAboutDirectory: Bool { code == EISDIR }

    /// The error of the last call.
    package static var last: SystemError { SystemError(code: errno) }

    /// The system's message, e.g. "No such file or directory".
    package var text: String { unsafe String(cString: strerror(code)) }

    /// Advice to the user; empty if there is none.
    package var advice: String {
        switch code {
        case ENOENT: "check the path"
        case EACCES, EPERM: "check its permissions, or copy it"
        case ENOSPC: "free disk space"
        default: ""
        }
    }
}
