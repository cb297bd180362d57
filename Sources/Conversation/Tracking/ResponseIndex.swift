import Captures

/// Maps each request of a capture to the frame with its response, in 8 bytes per request.
package struct ResponseIndex: Sendable {
    private struct Entry: Sendable {
        let request: UInt32
        let response: UInt32
    }

    private var entries: [Entry] = []

    package init() {}

    /// Adds the responses of a batch, in capture order, up to the frame `last`.
    package mutating func add(_ batch: borrowing TrackedBatch, upTo last: Int) {
        for index in batch.metadata.indices where batch.metadata[index].packet.number <= last {
            guard let request = batch.request(of: batch.metadata[index])?.frame else { continue }
            entries.append(
                Entry(
                    request: UInt32(truncatingIfNeeded: request),
                    response: UInt32(truncatingIfNeeded: batch.metadata[index].packet.number)))
        }
    }

    /// Ends the capture: requests can be looked up from now on.
    package mutating func finish() { entries.sort { $0.request < $1.request } }

    /// Number of the frame with the response to the request in a frame; nil if there is none.
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
