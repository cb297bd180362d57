import Captures

/// The frame with the response to each request of a capture. It grows with the capture, by 8 bytes for a request.
package struct ResponseIndex: Sendable {
    private struct Entry: Sendable {
        let request: UInt32
        let response: UInt32
    }

    private var entries: [Entry] = []

    package init() {}

    /// Takes in the responses of a batch, in the capture's order, up to a frame.
    package mutating func add(_ batch: borrowing TrackedBatch, upTo last: Int) {
        for index in batch.facts.indices where batch.facts[index].packet.number <= last {
            guard let request = batch.request(of: batch.facts[index])?.frame else { continue }
            entries.append(
                Entry(
                    request: UInt32(truncatingIfNeeded: request),
                    response: UInt32(truncatingIfNeeded: batch.facts[index].packet.number)))
        }
    }

    /// The capture ends: requests can be looked up from now on.
    package mutating func finish() { entries.sort { $0.request < $1.request } }

    /// The frame with the response to the request in a frame; nil where it has none.
    package subscript(request: Int) -> Int? {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if Int(entries[middle].request) < request { low = middle + 1 } else { high = middle }
        }
        guard low < entries.count, Int(entries[low].request) == request else { return nil }
        return Int(entries[low].response)
    }
}
