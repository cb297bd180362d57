import Foundation
import PDUTestKit
import Synchronization
import TestKit
import Transports

/// Measures the delay that `gattbench proxy` adds: the round trip of packets over sockets between a host and an echoing
/// controller, with the proxy and without.
struct ProxyDelay {
    /// The median and the 99th percentile, in microseconds.
    struct Times {
        var median: Double
        var slow: Double

        init(_ seconds: [Double]) {
            let sorted = seconds.sorted()
            median = sorted[sorted.count / 2] * 1e6
            slow = sorted[sorted.count * 99 / 100] * 1e6
        }

        init(median: Double, slow: Double) {
            self.median = median
            self.slow = slow
        }
    }

    struct Result: CustomStringConvertible {
        /// The one-way time without the proxy, and with it.
        var direct: Times
        var proxied: Times

        /// The delay that the proxy adds one way.
        var added: Times {
            Times(median: proxied.median - direct.median, slow: proxied.slow - direct.slow)
        }

        var description: String {
            "one way of a packet of \(ProxyDelay.packet.count) bytes: \(words(direct)) without the proxy, "
                + "\(words(proxied)) with it; it adds \(words(added))"
        }

        private func words(_ times: Times) -> String {
            "\(Int(times.median.rounded())) µs (99 of 100: \(Int(times.slow.rounded())) µs)"
        }
    }

    /// The largest permitted delay, in microseconds.
    static let limit = 200.0

    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    /// ACL data with a notification.
    private static let packet: [UInt8] =
        [0x02, 0x40, 0x20, 0xFB, 0x00, 0xF7, 0x00, 0x04, 0x00, 0x1B, 0x10, 0x00] + [UInt8](repeating: 0x55, count: 244)
    private static let warmUp = 500
    private static let rounds = 5000

    private let gattbench: String
    private let folder: TemporaryFolder

    init(gattbench: String) throws {
        self.gattbench = gattbench
        folder = try TemporaryFolder()
    }

    func measured() throws -> Result {
        let echo = Echo(path: folder.path("controller"))
        defer { echo.stop() }
        let direct = try times(to: echo.path)
        let process = Process()
        process.executableURL = URL(filePath: gattbench)
        let host = folder.path("host")
        process.arguments = [
            "proxy", "--host", "unix-server:\(host)", "--controller", "unix:\(echo.path)", "-w",
            folder.path("proxy.btsnoop"),
        ]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        defer {
            process.interrupt()
            process.waitUntilExit()
        }
        return Result(direct: direct, proxied: try times(to: host))
    }

    /// Half the round-trip time of packets sent one after the other.
    private func times(to path: String) throws -> Times {
        var loop = TransportLoop()
        loop.add(try attach(to: path))
        defer { loop.close() }
        var seconds: [Double] = []
        for _ in 0..<Self.warmUp + Self.rounds {
            let start = ContinuousClock.now
            _ = loop.transports[0].send(Self.packet, at: loop.now)
            try awaitPacket(loop)
            seconds.append((ContinuousClock.now - start) / .seconds(2))
        }
        return Times(Array(seconds.dropFirst(Self.warmUp)))
    }

    private func attach(to path: String) throws -> any Transport {
        let end = ContinuousClock.now + .seconds(30)
        while true {
            do {
                return try TransportOpener().open(.unix(path: path))
            } catch {
                guard ContinuousClock.now < end else { throw error }
                SystemThread.pause(milliseconds: 10)
            }
        }
    }

    private func awaitPacket(_ loop: TransportLoop) throws {
        let end = ContinuousClock.now + .seconds(10)
        while ContinuousClock.now < end {
            for (_, event) in loop.wait(until: nil) {
                switch event {
                case .packet: return
                case .closed(let text): throw Failure(description: "the proxy: \(text)")
                default: break
                }
            }
        }
        throw Failure(description: "a packet did not come back in ten seconds")
    }
}

/// A controller that echoes every packet, in its own thread.
private final class Echo: Sendable {
    let path: String
    private let isOver = Atomic(false)

    init(path: String) {
        self.path = path
        _ = SystemThread.start { [self] in run() }
    }

    func stop() { isOver.store(true, ordering: .relaxed) }

    private func run() {
        var loop = TransportLoop()
        guard let server = try? TransportOpener().open(.unixServer(path: path)) else { return }
        loop.add(server)
        defer { loop.close() }
        while !isOver.load(ordering: .relaxed) {
            for case (_, .packet(let packet, _)) in loop.wait(until: nil) { _ = server.send(packet, at: loop.now) }
        }
    }
}
