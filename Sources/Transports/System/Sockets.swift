import CBluetooth
import Glibc

/// TCP, Unix domain and Bluetooth sockets.
enum Sockets {
    /// Connection timeout, in milliseconds.
    private static let connectTimeout: CInt = 10_000

    /// Connects to a host, by name or address.
    static func connect(host: String, port: UInt16) throws(SystemFailure) -> Descriptor {
        var failure = SystemFailure(code: EHOSTUNREACH)
        for address in try addresses(host, port, isServer: false) {
            do throws(SystemFailure) {
                let descriptor = try address.socket()
                try connect(descriptor, address)
                descriptor.disableDelay()
                return descriptor
            } catch {
                failure = error
            }
        }
        throw failure
    }

    private static func connect(_ descriptor: Descriptor, _ address: SocketAddress) throws(SystemFailure) {
        if unsafe address.call({ unsafe Glibc.connect(descriptor.number, $0, $1) }) == 0 { return }
        guard errno == EINPROGRESS || errno == EINTR else { throw .last }
        var request = pollfd(fd: descriptor.number, events: Int16(POLLOUT), revents: 0)
        guard unsafe poll(&request, 1, connectTimeout) > 0 else { throw SystemFailure(code: ETIMEDOUT) }
        if let failure = descriptor.connectFailure { throw failure }
    }

    /// Listens on a local address; also returns the port, which the system selects for 0.
    static func listen(host: String?, port: UInt16) throws(SystemFailure) -> (Descriptor, UInt16) {
        var failure = SystemFailure(code: EADDRNOTAVAIL)
        for address in try addresses(host ?? "127.0.0.1", port, isServer: true) {
            do throws(SystemFailure) {
                let descriptor = try address.socket()
                var on: CInt = 1
                unsafe setsockopt(
                    descriptor.number, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<CInt>.size))
                try bindAndListen(descriptor, address)
                return (descriptor, boundPort(descriptor) ?? port)
            } catch {
                failure = error
            }
        }
        throw failure
    }

    private static func bindAndListen(_ descriptor: Descriptor, _ address: SocketAddress) throws(SystemFailure) {
        guard unsafe address.call({ unsafe bind(descriptor.number, $0, $1) }) == 0,
            Glibc.listen(descriptor.number, 1) == 0
        else {
            throw .last
        }
    }

    private static func boundPort(_ descriptor: Descriptor) -> UInt16? {
        var bytes = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = unsafe withUnsafeMutablePointer(to: &bytes) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(descriptor.number, $0, &size)
            }
        }
        guard result == 0 else { return nil }
        // The port has the same offset in both address families, in network byte order.
        let port = unsafe withUnsafeBytes(of: &bytes) { unsafe $0.loadUnaligned(fromByteOffset: 2, as: UInt16.self) }
        return UInt16(bigEndian: port)
    }

    /// Connects to a Unix domain socket.
    static func connect(path: String) throws(SystemFailure) -> Descriptor {
        let address = try SocketAddress(path: path)
        let descriptor = try address.socket()
        try connect(descriptor, address)
        return descriptor
    }

    /// Listens on a Unix domain socket; replaces a stale one.
    static func listen(path: String) throws(SystemFailure) -> Descriptor {
        let address = try SocketAddress(path: path)
        let descriptor = try address.socket()
        do throws(SystemFailure) {
            try bindAndListen(descriptor, address)
        } catch {
            guard error.code == EADDRINUSE, (try? connect(path: path)) == nil else { throw error }
            unsafe unlink(path)
            try bindAndListen(descriptor, address)
        }
        return descriptor
    }

    /// Claims an adapter exclusively through the user channel of Linux; it must be powered down.
    static func adapter(_ number: UInt16) throws(SystemFailure) -> Descriptor {
        try bluetooth(channel: HCI_CHANNEL_USER, adapter: number)
    }

    /// Opens a Bluetooth channel to the kernel: a raw HCI socket.
    static func bluetooth(channel: CInt, adapter: UInt16) throws(SystemFailure) -> Descriptor {
        Privileges.acquire()
        let descriptor = try bluetooth()
        var address = sockaddr_hci(
            hci_family: sa_family_t(AF_BLUETOOTH), hci_dev: adapter, hci_channel: UInt16(channel))
        let result = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor.number, $0, socklen_t(MemoryLayout<sockaddr_hci>.size))
            }
        }
        guard result == 0 else { throw .last }
        return descriptor
    }

    /// An unbound raw HCI socket.
    static func bluetooth() throws(SystemFailure) -> Descriptor {
        let handle = Glibc.socket(AF_BLUETOOTH, CInt(SOCK_RAW.rawValue), BTPROTO_HCI)
        guard handle >= 0 else { throw .last }
        return Descriptor(owning: handle, isSocket: true)
    }

    private static func addresses(
        _ host: String, _ port: UInt16, isServer: Bool
    ) throws(SystemFailure) -> [SocketAddress] {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        if isServer { unsafe hints.ai_flags = AI_PASSIVE }
        var list: UnsafeMutablePointer<addrinfo>?
        let code = unsafe getaddrinfo(host, String(port), &hints, &list)
        guard code == 0 else { throw SystemFailure(code: code, isOfHostName: true) }
        let first = unsafe list
        defer { unsafe freeaddrinfo(first) }
        var addresses: [SocketAddress] = []
        while let current = unsafe list {
            let family = unsafe current.pointee.ai_family
            let count = Int(unsafe current.pointee.ai_addrlen)
            let bytes = unsafe Array(UnsafeRawBufferPointer(start: current.pointee.ai_addr, count: count))
            addresses.append(SocketAddress(family: family, bytes: bytes))
            unsafe list = current.pointee.ai_next
        }
        return addresses
    }
}

/// A socket address for system calls.
struct SocketAddress {
    var family: CInt
    var bytes: [UInt8]

    init(family: CInt, bytes: [UInt8]) {
        self.family = family
        self.bytes = bytes
    }

    /// The address of a Unix domain socket; a leading `@` makes it abstract, as supported by Linux.
    init(path: String) throws(SystemFailure) {
        var name = Array(path.utf8)
        let isAbstract = name.first == UInt8(ascii: "@")
        if isAbstract { name[0] = 0 }
        guard name.count < 108 else { throw SystemFailure(code: ENAMETOOLONG) }
        family = AF_UNIX
        let prefix = UInt16(AF_UNIX)
        bytes =
            [UInt8(truncatingIfNeeded: prefix), UInt8(truncatingIfNeeded: prefix >> 8)] + name + (isAbstract ? [] : [0])
    }

    /// Creates a stream socket of the address's family.
    func socket() throws(SystemFailure) -> Descriptor {
        let number = Glibc.socket(family, CInt(SOCK_STREAM.rawValue), 0)
        guard number >= 0 else { throw .last }
        return Descriptor(owning: number, isSocket: true)
    }

    /// Passes the address to a system call.
    func call(_ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt) -> CInt {
        unsafe bytes.withUnsafeBytes { buffer in
            guard let start = buffer.baseAddress else { return -1 }
            return unsafe body(start.assumingMemoryBound(to: sockaddr.self), socklen_t(buffer.count))
        }
    }
}
