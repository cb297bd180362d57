import Bytes
import CArchive
import Captures
import Glibc

/// Reads the members of an archive in order. A child process unpacks them, with limited memory and no access to files.
@safe
final class ArchiveReader {
    struct Member: Hashable {
        /// The name as the archive has it; it is shown and compared, never used as a path.
        var name: String
        var isEncrypted: Bool
    }

    /// Why the archive was not read to its end; nil before, and if it was.
    private(set) var fault: String?
    /// Whether the limit of unpacked bytes was reached.
    private(set) var hasReachedLimit = false
    /// Why the current member was not read to its end; nil before, and if it was.
    private(set) var memberFault: String?
    /// Bytes unpacked so far, without those of skipped members.
    private(set) var unpacked = 0

    private let child: pid_t
    private let channel: CInt
    /// Whether the child process waits to hear whether the current member is read on.
    private var isWaiting = false
    private var isFinished = false

    /// Reads a file from its start; its own read offset does not move.
    init(_ file: FileDescriptor, memory: Int, unpacked limit: Int) throws(ArchiveFault) {
        if let fault = Self.libraryFault { throw ArchiveFault(text: fault) }
        let start: FileDescriptor
        do throws(SystemError) { start = try FileDescriptor.reading(file.pathInProcess) } catch {
            throw ArchiveFault(text: error.text)
        }
        var channel: CInt = -1
        child = unsafe gattbench_unpack(start.number, UInt64(memory), UInt64(max(0, limit)), &channel)
        self.channel = channel
        if child < 0 { throw ArchiveFault(text: "no process for unpacking: \(SystemError.last.text)") }
    }

    deinit {
        guard child > 0 else { return }
        close(channel)
        gattbench_end_unpacking(child)
    }

    /// The next file in the archive; nil at its end, at a fault and at a limit.
    func next() -> Member? {
        memberFault = nil
        if isWaiting { reply(isWanted: false) }
        while let (header, bytes) = receive() {
            guard header.message == GATTBENCH_ARCHIVE_MEMBER.rawValue else { continue }
            isWaiting = true
            return Member(
                name: String(decoding: bytes, as: UTF8.self), isEncrypted: header.is_encrypted != 0)
        }
        return nil
    }

    /// The next bytes of the current member; nil at its end and at a fault.
    func read() -> [UInt8]? {
        guard isWaiting else { return nil }
        reply(isWanted: true)
        guard let (header, bytes) = receive() else { return nil }
        guard header.message == GATTBENCH_ARCHIVE_DATA.rawValue else { return nil }
        isWaiting = true
        unpacked += bytes.count
        return bytes
    }

    private func reply(isWanted: Bool) {
        isWaiting = false
        var byte = UInt8(isWanted ? GATTBENCH_ARCHIVE_READ : GATTBENCH_ARCHIVE_SKIP)
        _ = unsafe send(channel, &byte, 1, CInt(MSG_NOSIGNAL))
    }

    /// The next message; nil at the end of the archive.
    private func receive() -> (gattbench_archive_header, [UInt8])? {
        guard !isFinished else { return nil }
        var header = gattbench_archive_header()
        let isWhole = unsafe withUnsafeMutableBytes(of: &header) { unsafe fill($0) }
        var bytes: [UInt8] = []
        if isWhole, header.length <= 1 << 20 {
            bytes = [UInt8](repeating: 0, count: Int(header.length))
            if unsafe bytes.withUnsafeMutableBytes({ unsafe fill($0) }) {
                handle(header, bytes)
                return isFinished ? nil : (header, bytes)
            }
        }
        isFinished = true
        fault = "it needs more memory than is allowed, or is not what it claims to be"
        return nil
    }

    private func handle(_ header: gattbench_archive_header, _ bytes: [UInt8]) {
        let text = { String(decoding: bytes, as: UTF8.self).legibleLine(limit: 200) }
        switch header.message {
        case GATTBENCH_ARCHIVE_MEMBER_FAULT.rawValue: memberFault = text()
        case GATTBENCH_ARCHIVE_END.rawValue: isFinished = true
        case GATTBENCH_ARCHIVE_FAULT.rawValue: (isFinished, fault) = (true, text())
        case GATTBENCH_ARCHIVE_LIMIT.rawValue: (isFinished, hasReachedLimit) = (true, true)
        default: break
        }
    }

    /// Fills a buffer from the channel; false if the child process has ended before.
    private func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Bool {
        var count = 0
        while count < buffer.count {
            let got = unsafe recv(channel, buffer.baseAddress! + count, buffer.count - count, 0)
            if got > 0 {
                count += got
            } else if got == 0 || errno != EINTR {
                return false
            }
        }
        return true
    }

    /// Why libarchive could not be loaded; nil if it is loaded.
    static let libraryFault: String? = unsafe gattbench_load_archive().map {
        unsafe "libarchive cannot be loaded (\(String(cString: $0))): install it with apt-get install libarchive13"
    }
}

/// Why an archive cannot be read at all.
struct ArchiveFault: Error {
    var text: String
}
