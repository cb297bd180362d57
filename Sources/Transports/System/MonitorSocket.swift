import Bytes
import CBluetooth
import Glibc

/// A socket of the kernel's HCI monitor channel.
package final class MonitorSocket {
    private let descriptor: Descriptor
    private let clock = SystemClock()
    private var buffer = [UInt8](repeating: 0, count: 65_536 + 6)

    /// Bytes that the kernel keeps until they are fetched: several seconds of the fastest traffic.
    private static let kernelBuffer: CInt = 16 << 20

    /// Opens the channel; it needs the right CAP_NET_RAW.
    package convenience init() throws(TransportError) {
        do throws(SystemFailure) {
            let descriptor = try Sockets.bluetooth(channel: HCI_CHANNEL_MONITOR, adapter: UInt16(HCI_DEV_NONE))
            self.init(descriptor)
        } catch {
            throw TransportError("monitor", error.text, advice: Self.advice(error))
        }
    }

    /// Reads records from a socket that is open, one with each datagram.
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

    /// Waits until there is a record, or until `capturePatience` is over.
    func wait() {
        _ = Polling.wait([Interest(descriptor.number)], nanoseconds: capturePatience)
    }

    /// The next record with the time at which the kernel saw it; nil where none has come in.
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

    /// Records that the kernel has thrown away because its buffer was full.
    var lost: Int {
        var memory = [UInt32](repeating: 0, count: SocketMemory.count)
        var size = socklen_t(memory.count * MemoryLayout<UInt32>.size)
        guard unsafe getsockopt(descriptor.number, SOL_SOCKET, SocketOption.memory, &memory, &size) == 0 else {
            return 0
        }
        return Int(memory[SocketMemory.drops])
    }
}

/// Options of sockets that the C library's headers leave to Linux (`asm-generic/socket.h`).
private enum SocketOption {
    /// SO_RCVBUFFORCE: a buffer beyond what users may ask for.
    static let forcedBuffer: CInt = 33
    /// SO_TIMESTAMPNS_OLD: the time of each datagram, in nanoseconds.
    static let timestamps: CInt = 35
    /// SO_MEMINFO: numbers of 32 bits about the socket's memory.
    static let memory: CInt = 55
}

/// What stands where in the answer to SO_MEMINFO (`linux/sock_diag.h`).
private enum SocketMemory {
    /// SK_MEMINFO_DROPS
    static let drops = 8
    static let count = 9
}
