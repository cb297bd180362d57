import Emulation
import Foundation
import Synchronization
import Workbench

/// `gattbench emulate` on a controller that is reached by a link, in a thread of this process.
final class RunningDevice: Sendable {
    private let isInterrupted = Mutex(false)
    private let lines = Mutex<[String]>([])
    private let outcome: Task<[String], any Error>
    private let wasReady = Mutex(false)
    private let foundProblem = Mutex<ClientProblem?>(nil)
    /// Tells that the device advertises for the first time, and that it has ended.
    private let readyOrEnded = DispatchSemaphore(value: 0)

    init(_ options: EmulateOptions) throws {
        let job = try Handover(EmulateJob(options, keyboard: nil))
        let (failures, failuresEnd) = AsyncThrowingStream<[String], any Error>.makeStream()
        outcome = Task { try await failures.reduce([], +) }
        Thread { [self] in
            do {
                let outcome = try job.value.run(isInterrupted: { isInterrupted.withLock { $0 } }) { output in
                    switch output {
                    case .ready:
                        wasReady.withLock { $0 = true }
                        readyOrEnded.signal()
                    case .happened(let entry): lines.withLock { $0.append(entry.json) }
                    default: break
                    }
                }
                foundProblem.withLock { $0 = outcome.problem }
                failuresEnd.yield(outcome.failures.map(\.description))
                failuresEnd.finish()
            } catch {
                failuresEnd.finish(throwing: error)
            }
            readyOrEnded.signal()
        }.start()
    }

    /// Waits until it can be found; false where it has ended before.
    ///
    /// It holds the thread: if other tests had their turn now, the time that a scenario gives might be over after them.
    func isReady() -> Bool {
        readyOrEnded.wait()
        return wasReady.withLock { $0 }
    }

    /// Why a client has not done its tasks, once it has ended.
    var problem: ClientProblem? { foundProblem.withLock { $0 } }

    /// Waits until it ends by itself; returns what happened.
    func lines() async throws -> [String] {
        _ = try await outcome.value
        return lines.withLock { $0 }
    }

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
