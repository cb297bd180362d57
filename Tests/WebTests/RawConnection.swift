import Foundation
import Glibc
import Testing

/// A TCP connection whose bytes the test writes. Reads block a separate thread, because the server needs the threads of
/// tasks.
final class RawConnection: @unchecked Sendable {
    private let descriptor: Int32
    private var received: [UInt8] = []

    init(to base: String) throws {
        let port = try #require(base.split(separator: ":").last.flatMap { UInt16($0) })
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(status == 0)
    }

    deinit { close(descriptor) }

    func send(_ text: String) {
        let bytes = Array(text.utf8)
        #expect(Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count)
    }

    /// The input up to a text or the end, or until nothing arrives for 30 s.
    func read(until end: String) async -> String { await Self.inThread { self.wait(until: end) } }

    /// Waits until the peer closes the connection; false after 30 s.
    func isClosedByPeer() async -> Bool { await Self.inThread { self.waitForEnd() } }

    private static func inThread<Value: Sendable>(_ wait: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: wait()) }
        }
    }

    private func wait(until end: String) -> String {
        while true {
            let text = String(decoding: received, as: UTF8.self)
            if text.contains(end) { return text }
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return text }
            received += buffer.prefix(count)
        }
    }

    private func waitForEnd() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count == 0 { return true }
            if count < 0 { return errno == ECONNRESET }
        }
    }

    /// Whether there is input to read.
    var hasInput: Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) == 1
    }
}
