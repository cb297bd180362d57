import Bytes
import Synchronization

enum JobState: String, Sendable {
    case running, complete, failed, cancelled
}

/// A computation over a whole capture, started in the background on request. For a live capture, it covers the packets
/// so far and is repeated when there are more, for at most a sixth of the time.
final class BackgroundJob<Outcome: Sendable>: Sendable {
    typealias Work = @Sendable (_ goesOn: @escaping @Sendable (Int) -> Bool) async throws -> Outcome

    struct Progress: Sendable {
        var state = JobState.running
        var scanned = 0
        var error: String?
        /// The last outcome; nil before the first completion.
        var outcome: Outcome?
    }

    private struct Content {
        var progress = Progress()
        var task: Task<Void, Never>?
        var isRunning = false
        /// The extent that the outcome covers: packets, and whether the capture was complete. Nil if the outcome is
        /// obsolete.
        var extent: Extent?
        var earliestNext = ContinuousClock.now
    }

    private struct Extent: Equatable {
        var packets: Int
        var isComplete: Bool
    }

    private let content = Mutex(Content())
    private let index: CaptureIndex
    private let work: Work

    init(_ index: CaptureIndex, _ work: @escaping Work) {
        (self.index, self.work) = (index, work)
    }

    /// The progress; starts the job if it is due.
    func ask() -> Progress {
        let extent = extent
        return content.withLock { content in
            let isFirst = content.task == nil
            let hasMore = content.extent != extent && ContinuousClock.now >= content.earliestNext
            if !content.isRunning, isFirst || hasMore {
                content.isRunning = true
                content.extent = extent
                content.progress.state = .running
                content.progress.error = nil
                content.task = Task(priority: .utility) { await run() }
            }
            return content.progress
        }
    }

    /// The extent available now.
    private var extent: Extent {
        let progress = index.progress
        return Extent(
            packets: progress.packets, isComplete: progress.learned != nil || progress.state != .running)
    }

    /// The progress, without starting the job; nil before it was started.
    var progress: Progress? { content.withLock { $0.task == nil ? nil : $0.progress } }

    /// Invalidates the last outcome and a running computation; the next request starts a new one.
    func forget() {
        content.withLock { content in
            content.extent = nil
            content.earliestNext = .now
            if content.task != nil { content.progress.state = .running }
        }
    }

    func cancel() { content.withLock { $0.task?.cancel() } }

    private func run() async {
        let start = ContinuousClock.now
        await index.waitUntilReadable()
        let extent = extent
        content.withLock { if $0.extent != nil { $0.extent = extent } }
        do {
            let outcome = try await work { scanned in
                self.content.withLock { $0.progress.scanned = scanned }
                return !Task.isCancelled
            }
            end(start) { content in
                content.progress.outcome = outcome
                content.progress.state = Task.isCancelled ? .cancelled : extent.isComplete ? .complete : .running
                content.progress.scanned = max(content.progress.scanned, content.extent?.packets ?? 0)
            }
        } catch {
            end(start) { content in
                content.progress.state = .failed
                content.progress.error = "\(error)"
            }
        }
    }

    private func end(_ start: ContinuousClock.Instant, _ change: (inout Content) -> Void) {
        content.withLock { content in
            change(&content)
            content.isRunning = false
            if content.extent != nil {
                content.earliestNext = .now + max(.seconds(1), (.now - start) * 5)
            } else if content.progress.state != .cancelled {
                content.progress.state = .running
            }
        }
    }
}

extension BackgroundJob.Progress {
    /// Members common to all responses about a job.
    var members: [(name: String, value: JSONValue)] {
        [("state", .string(state.rawValue)), ("scanned", .integer(scanned))]
            + (error.map { [("error", .string($0))] } ?? [])
    }

    /// The progress of both jobs: not complete while the other is running.
    func and<Other>(_ other: BackgroundJob<Other>.Progress) -> Self {
        var both = self
        if state == .complete, other.state == .running { both.state = .running }
        return both
    }
}
