import Captures
import Dissection

/// Takes the batches of a capture through stages. Each stage has them one after the other, in the capture's order, and
/// different stages work on different batches at the same time.
struct BatchStages {
    typealias Stage = @Sendable (inout TrackedBatch) -> Void

    private let stages: [Stage]

    /// Batches that are on their way at the same time; bounds the memory.
    private static let batchesInFlight = 4

    init(_ stages: [Stage]) {
        self.stages = stages
    }

    /// Goes through all that `reader` gives, which takes down on its own thread what each frame tells by itself. `take`
    /// gets every batch when the stages are through with it, in order, on that thread; `goesOn` is asked after every batch
    /// that was read, with the number of frames so far.
    func run(
        _ reader: any PacketSource, take: (borrowing TrackedBatch) -> Void = { _ in }, goesOn: (Int) -> Bool
    ) async throws {
        var waiting: [Task<Carrier, Never>] = []
        var free: [Carrier] = []
        /// The task of the batch before at each stage.
        var before: [Task<Carrier, Never>] = []
        func finishOldest() async {
            let carrier = await waiting.removeFirst().value
            take(carrier.batch)
            reader.reuse(carrier.batch.empty())
            free.append(carrier)
        }
        var frames = 0
        while let packets = try await reader.next() {
            frames += packets.packets.count
            let carrier = free.popLast() ?? Carrier()
            carrier.batch.fill(packets)
            before = tasks(for: carrier, behind: before)
            if let last = before.last { waiting.append(last) }
            if waiting.count >= Self.batchesInFlight { await finishOldest() }
            guard goesOn(frames) else { break }
        }
        while !waiting.isEmpty { await finishOldest() }
    }

    /// A task for each stage, each behind the same stage of the batch before and the stage before of this batch.
    private func tasks(for carrier: Carrier, behind before: [Task<Carrier, Never>]) -> [Task<Carrier, Never>] {
        var tasks: [Task<Carrier, Never>] = []
        for (index, stage) in stages.enumerated() {
            let awaited = [tasks.last, before.isEmpty ? nil : before[index]]
            tasks.append(
                Task {
                    for task in awaited { _ = await task?.value }
                    stage(&carrier.batch)
                    return carrier
                })
        }
        return tasks
    }

    /// Carries a batch from thread to thread; used again for later batches. It has one owner at a time.
    private final class Carrier: @unchecked Sendable {
        var batch = TrackedBatch()
    }
}
