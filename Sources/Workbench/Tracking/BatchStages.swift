import Captures
import Conversation

/// Passes the batches of a capture through stages. Each stage processes the batches in the capture's order; different
/// stages process different batches at the same time.
struct BatchStages {
    typealias Stage = @Sendable (inout TrackedBatch) -> Void

    private let stages: [Stage]

    /// Batches in flight, enough to keep all stages and the reader busy; bounds the memory.
    private var batchesInFlight: Int { max(4, stages.count + 1) }

    init(_ stages: [Stage]) {
        self.stages = stages
    }

    /// Reads all batches of `reader`; `goesOn` is called after every batch read, with the number of frames so far.
    ///
    /// Batches are filled here and travel in a few reused boxes to each stage, and back. A stage with another batch in
    /// its queue continues without waiting, because suspending and resuming a thread takes as long as a stage does.
    func run(_ reader: any PacketSource, goesOn: (Int) -> Bool) async throws {
        let hops = (0...stages.count).map { _ in AsyncStream.makeStream(of: BatchBox.self) }
        let back = hops[stages.count]
        for _ in 0..<batchesInFlight { back.continuation.yield(BatchBox()) }
        let work = stages.enumerated().map { index, stage in
            let (come, go) = (hops[index].stream, hops[index + 1].continuation)
            return Task {
                for await box in come {
                    stage(&box.batch)
                    go.yield(box)
                }
                go.finish()
            }
        }
        var failure: (any Error)?
        do {
            try await send(reader, from: back.stream, to: hops[0].continuation, goesOn)
        } catch {
            failure = error
        }
        hops[0].continuation.finish()
        for task in work { await task.value }
        if let failure { throw failure }
    }

    /// Sends the batches of `reader`, as boxes come back.
    private func send(
        _ reader: any PacketSource, from back: AsyncStream<BatchBox>, to first: AsyncStream<BatchBox>.Continuation,
        _ goesOn: (Int) -> Bool
    ) async throws {
        var frames = 0
        for await box in back {
            reader.reuse(box.batch.empty())
            guard let packets = try await reader.next() else { return }
            box.batch.fill(packets)
            frames += box.batch.metadata.count
            first.yield(box)
            guard goesOn(frames) else { return }
        }
    }

    /// A batch that moves between threads. It has one owner at a time.
    private final class BatchBox: @unchecked Sendable {
        var batch = TrackedBatch()
    }
}
