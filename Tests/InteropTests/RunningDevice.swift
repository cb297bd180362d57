import Emulation
import Foundation
import Synchronization
import Workbench

/// `gattbench emulate` on a controller behind a transport, in a thread of this process.
final class RunningDevice: Sendable {
    private let isInterrupted = Mutex(false)
    private let lines = Mutex<[String]>([])
    private let outcome: Task<[String], any Error>
    private let wasReady = Mutex(false)
    private let foundProblem = Mutex<ClientProblem?>(nil)
    /// Signals the device's first advertising and its end.
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

    /// Waits until the device advertises; false if it has ended before.
    ///
    /// This blocks the thread: if other tests ran in the meantime, the time limits of a scenario might expire.
    func isReady() -> Bool {
        readyOrEnded.wait()
        return wasReady.withLock { $0 }
    }

    /// Why a client has not completed its tasks; set once it has ended.
    var problem: ClientProblem? { foundProblem.withLock { $0 } }

    /// Waits until the device ends by itself; returns its events.
    func lines() async throws -> [String] {
        _ = try await outcome.value
        return lines.withLock { $0 }
    }

    /// Ends the device; returns the unmet expectations of its scenario, and its events.
    func end() async throws -> (failures: [String], lines: [String]) {
        isInterrupted.withLock { $0 = true }
        let failures = try await outcome.value
        return (failures, lines.withLock { $0 })
    }

    /// Transfers a job to the thread that then uses it exclusively.
    private final class Handover: @unchecked Sendable {
        var value: EmulateJob

        init(_ value: EmulateJob) {
            self.value = value
        }
    }
}
