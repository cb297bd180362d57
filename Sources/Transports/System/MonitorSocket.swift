import Bytes
import CBluetooth
import Glibc

/// A socket of the kernel's HCI monitor channel.
package final class MonitorSocket {
    private let descriptor: Descriptor
    private let clock = SystemClock()
    private var buffer = [UInt8](repeating: 0, count: 65_536 + 6)

    /// Size of the kernel's receive buffer, in bytes: several seconds of the fastest traffic.
    private static let kernelBuffer: CInt = 16 << 20

    /// Opens the channel; requires CAP_NET_RAW.
    package convenience init() throws(TransportError) {
        do throws(SystemFailure) {
            let descriptor = try Sockets.bluetooth(channel: HCI_CHANNEL_MONITOR, adapter: UInt16(HCI_DEV_NONE))
            self.init(descriptor)
        } catch {
            throw TransportError("monitor", error.text, advice: Self.advice(error))
        }
    }

    /// Reads records from an open socket, one per datagram.
    package convenience init(owning number: CInt) {
        self.init(Descriptor(owning: number, isSocket: true))
    }

    private init(_ descriptor: Descriptor) {
        self.descriptor = descriptor
        var on: CInt = 1
        let size = socklen_t(MemoryLayout<CInt>.size)
        unsafe setsockopt(descriptor.number, SOL_SOCKET, SocketOption.timestamps, &on, size)
        var bytes = Self.kernelBuffer
        if unsafe setsockopt(descriptor.number, SOL_SOCKET, SocketOption.forcedBuffer, &bytes, size) != 0 {
            unsafe setsockopt(descriptor.number, SOL_SOCKET, SO_RCVBUF, &bytes, size)
        }
    }

    private static func advice(_ failure: SystemFailure) -> String {
        switch failure.code {
        case EPERM, EACCES: Privileges.advice
        default: failure.advice
        }
    }

    /// Waits for a record, at most `capturePatience`.
    func wait() {
        _ = Polling.wait([Interest(descriptor.number)], nanoseconds: capturePatience)
    }

    /// The next record with the kernel's timestamp; nil if there is none.
    func next() throws(TransportError) -> (ArraySlice<UInt8>, Timestamp)? {
        var time: Timestamp?
        let count = unsafe buffer.withUnsafeMutableBytes { bytes in
            unsafe Self.receive(descriptor.number, bytes, &time)
        }
        if count > 0 { return (buffer[..<count], time ?? clock.now) }
        guard count < 0, errno != EAGAIN, errno != EINTR else { return nil }
        throw TransportError("monitor", SystemFailure.last.text, advice: SystemFailure.last.advice)
    }

    private static func receive(
        _ number: CInt, _ bytes: UnsafeMutableRawBufferPointer, _ time: inout Timestamp?
    ) -> Int {
        // Room for one control message with a time: 16 bytes of header and 16 of timespec.
        var control: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0)
        var vector = unsafe iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
        return unsafe withUnsafeMutableBytes(of: &control) { control in
            unsafe withUnsafeMutablePointer(to: &vector) { vector in
                var message = unsafe msghdr()
                unsafe message.msg_iov = vector
                unsafe message.msg_iovlen = 1
                unsafe message.msg_control = control.baseAddress
                unsafe message.msg_controllen = control.count
                let count = unsafe recvmsg(number, &message, 0)
                let header = unsafe control.load(as: cmsghdr.self)
                if count >= 0, unsafe message.msg_controllen >= 32, header.cmsg_level == SOL_SOCKET,
                    header.cmsg_type == SocketOption.timestamps
                {
                    let stamp = unsafe control.load(fromByteOffset: 16, as: timespec.self)
                    time = Timestamp(nanoseconds: Int64(stamp.tv_sec) * 1_000_000_000 + Int64(stamp.tv_nsec))
                }
                return count
            }
        }
    }

    /// Number of records that the kernel dropped because its buffer was full.
    var lost: Int {
        var memory = [UInt32](repeating: 0, count: SocketMemory.count)
        var size = socklen_t(memory.count * MemoryLayout<UInt32>.size)
        guard unsafe getsockopt(descriptor.number, SOL_SOCKET, SocketOption.memory, &memory, &size) == 0 else {
            return 0
        }
        return Int(memory[SocketMemory.drops])
    }
}

/// Linux socket options missing from the C library's headers (`asm-generic/socket.h`).
private enum SocketOption {
    /// SO_RCVBUFFORCE: sets a buffer size beyond the limit for users.
    static let forcedBuffer: CInt = 33
    /// SO_TIMESTAMPNS_OLD: timestamps each datagram, in nanoseconds.
    static let timestamps: CInt = 35
    /// SO_MEMINFO: memory statistics of the socket, as 32-bit numbers.
    static let memory: CInt = 55
}

/// Indices into the result of SO_MEMINFO (`linux/sock_diag.h`).
private enum SocketMemory {
    /// SK_MEMINFO_DROPS
    static let drops = 8
    static let count = 9
}
