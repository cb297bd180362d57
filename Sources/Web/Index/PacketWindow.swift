import Bytes
import Captures
import Conversation
import Synchronization

/// A run of tracked packets, which can be dissected in any order, with the tracking state after them.
final class PacketWindow: Sendable {
    let batch: TrackedBatch
    let before: Place
    let end: Checkpoint
    /// Index range of its packets.
    let range: Range<Int>

    var lastNumber: Int { end.place.number }

    init(after before: Place, batch: TrackedBatch, end: Checkpoint) {
        self.before = before
        self.batch = batch
        self.end = end
        range = before.index..<end.place.index
    }

    /// Index in the window of the first packet numbered `number` or higher.
    func offset(ofNumber number: Int) -> Int {
        var (low, high) = (0, batch.metadata.count)
        while low < high {
            let middle = (low + high) / 2
            if batch.metadata[middle].packet.number < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// Cache of recent windows: scrolling requests the neighbours of the window shown.
final class WindowCache: Sendable {
    private struct Content {
        var generation = 0
        /// Most recently requested last.
        var windows: [PacketWindow] = []
    }

    private let content = Mutex(Content())
    private static let limit = 12

    /// The first cached window accepted by `contains`, after a position that satisfies `isBefore`.
    func first(
        _ generation: Int, after isBefore: (Place) -> Bool, where contains: (PacketWindow) -> Bool
    ) -> PacketWindow? {
        content.withLock { content in
            guard content.generation == generation else { return nil }
            let found = content.windows.firstIndex {
                ($0.before.index == 0 || isBefore($0.before)) && contains($0)
            }
            guard let found else { return nil }
            let window = content.windows.remove(at: found)
            content.windows.append(window)
            return window
        }
    }

    /// The latest state after a cached window that satisfies `isBefore`, if it is later than `checkpoint`.
    func latest(_ generation: Int, before isBefore: (Place) -> Bool, than checkpoint: Checkpoint) -> Checkpoint? {
        content.withLock { content in
            guard content.generation == generation else { return nil }
            return content.windows.map(\.end).filter { $0.place.index > checkpoint.place.index && isBefore($0.place) }
                .max { $0.place.index < $1.place.index }
        }
    }

    func keep(_ window: PacketWindow, _ generation: Int) {
        content.withLock { content in
            if content.generation != generation { content.windows = [] }
            content.generation = generation
            content.windows.removeAll { $0.range == window.range }
            content.windows.append(window)
            if content.windows.count > Self.limit { content.windows.removeFirst() }
        }
    }
}
