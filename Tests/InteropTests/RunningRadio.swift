import Foundation
import Radio
import Synchronization
import Transports
import Workbench

/// `gattbench radio` with two controllers, in a thread of this process.
final class RunningRadio: Sendable {
    private let isInterrupted = Mutex(false)
    private let outcome: Task<Void, any Error>
    /// The transports for Bumble.
    let clients: [String]

    /// - Parameter isImmediate: whether packets are exchanged at once instead of at connection events.
    init(record: String? = nil, recordAir: String? = nil, isImmediate: Bool = false) throws {
        var options = RadioOptions()
        options.hosts = [.tcpServer(host: nil, port: 0), .tcpServer(host: nil, port: 0)]
        options.record = record
        options.air = recordAir.map { AirOptions(path: $0) }
        options.pace = isImmediate ? .immediate : .air
        let job = try Handover(RadioJob(options))
        clients = job.value.names.map { $0.replacing("tcp-server:_", with: "tcp-client:127.0.0.1") }
        let (stream, continuation) = AsyncThrowingStream<Void, any Error>.makeStream()
        outcome = Task { for try await _ in stream {} }
        Thread { [self] in
            do {
                try job.value.run(isInterrupted: { isInterrupted.withLock { $0 } }, notify: { _ in })
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
        }.start()
    }

    func end() async throws {
        isInterrupted.withLock { $0 = true }
        try await outcome.value
    }

    /// Transfers a job to the thread that then uses it exclusively.
    private final class Handover: @unchecked Sendable {
        var value: RadioJob

        init(_ value: RadioJob) {
            self.value = value
        }
    }
}
