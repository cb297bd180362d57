import Emulation
import Foundation
import Synchronization
import Workbench

/// `gattbench emulate` on a controller that is reached by a link, in a thread of this process.
final class RunningDevice: Sendable {
    private let isInterrupted = Mutex(false)
    private let lines = Mutex<[String]>([])
    private let outcome: Task<[String], any Error>
    /// Ends when the device advertises for the first time.
    private let ready: Task<Bool, Never>

    init(_ options: EmulateOptions) throws {
        let job = try Handover(EmulateJob(options, keyboard: nil))
        let (failures, failuresEnd) = AsyncThrowingStream<[String], any Error>.makeStream()
        let (isReady, readyEnd) = AsyncStream<Bool>.makeStream()
        outcome = Task { try await failures.reduce([], +) }
        ready = Task { await isReady.contains(true) }
        Thread { [self] in
            do {
                let failures = try job.value.run(isInterrupted: { isInterrupted.withLock { $0 } }) { output in
                    switch output {
                    case .ready: readyEnd.yield(true)
                    case .happened(let happening): lines.withLock { $0.append(happening.json) }
                    default: break
                    }
                }
                failuresEnd.yield(failures.map(\.description))
                failuresEnd.finish()
            } catch {
                failuresEnd.finish(throwing: error)
            }
            readyEnd.finish()
        }.start()
    }

    /// Waits until it can be found; false where it has ended before.
    func isReady() async -> Bool { await ready.value }

    /// Ends it; returns what its scenario expected in vain, and what happened.
    func end() async throws -> (failures: [String], lines: [String]) {
        isInterrupted.withLock { $0 = true }
        let failures = try await outcome.value
        return (failures, lines.withLock { $0 })
    }

    /// A job on its way into the thread that alone uses it from then on.
    private final class Handover: @unchecked Sendable {
        var value: EmulateJob

        init(_ value: EmulateJob) {
            self.value = value
        }
    }
}
