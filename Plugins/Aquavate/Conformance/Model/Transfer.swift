import PluginKit

/// A transfer of drinks, from START on.
struct Transfer: Sendable {
    var start: FrameReference
    var request: SyncRequest
    /// Unsynced records that the puck had told of before; nil where it was not captured.
    var former: Int?
    /// Requests that a chunk is due for, the oldest first.
    var asked: [FrameReference] = []
    /// Index of the next chunk.
    var next = 0
    /// What the first chunk announces; nil before it.
    var total: Int?
    /// Chunks and records that came.
    var chunks = 0
    var records = 0
    var acknowledgements = 0
    /// The last chunk with a head.
    var last: FrameReference?
    /// A chunk came that nothing asked for, or that has no head: what follows it follows from that, and no number of it is
    /// certain.
    var isDisturbed = false

    init(_ request: SyncRequest, at start: FrameReference, former: Int?) {
        self.start = start
        self.request = request
        self.former = former
        asked = [start]
    }

    /// Chunks that records in so many make at most.
    var mostChunks: Int { (request.count + request.recordsPerChunk - 1) / request.recordsPerChunk }

    /// Whether a chunk can be the answer that is due.
    func awaits(_ chunk: DrinkChunk) -> Bool {
        !asked.isEmpty && chunk.index == next && chunk.total == total ?? chunk.total
            && (1...mostChunks).contains(chunk.total) && chunk.count <= request.recordsPerChunk
    }

    /// Whether the next acknowledgement is the last one.
    var isLastDue: Bool { total == acknowledgements + 1 }

    /// Whether one more acknowledgement completes it.
    var isComplete: Bool { total.map { acknowledgements >= $0 } ?? false }

    /// Requests that are followed at one time.
    private static let askedLimit = 16

    mutating func take(_ chunk: DrinkChunk, at moment: FrameReference) {
        if total == nil || isDisturbed || asked.isEmpty { total = chunk.total }
        if asked.isEmpty { isDisturbed = true } else { asked.removeFirst() }
        next = chunk.index + 1
        chunks += 1
        records += chunk.count
        last = moment
    }

    /// Records a chunk without a head, which answers what asked for a chunk.
    mutating func recordMalformedChunk() {
        if !asked.isEmpty { asked.removeFirst() }
        isDisturbed = true
        next += 1
        chunks += 1
    }

    /// Whether the puck may have completed it: which acknowledgement is the last one is not certain.
    var mayBeComplete: Bool { isDisturbed && acknowledgements > 0 }

    /// Unsynced records that its completion leaves, new drinks aside; nil where that is not known.
    var remainder: Int? { isDisturbed ? nil : former.map { max(0, $0 - records) } }

    /// Takes an acknowledgement; whether it was the last one.
    mutating func acknowledge(at moment: FrameReference) -> Bool {
        acknowledgements += 1
        if isComplete { return true }
        if asked.count < Self.askedLimit { asked.append(moment) }
        return false
    }
}

/// What is known of the transfer of a connection.
enum TransferPhase: Sendable {
    /// The puck may be in one that an earlier connection began.
    case unknown
    case idle
    case running(Transfer)

    var transfer: Transfer? {
        if case .running(let transfer) = self { return transfer }
        return nil
    }
    var isIdle: Bool {
        if case .idle = self { return true }
        return false
    }
}

/// A transfer whose last chunk was acknowledged.
struct Completion: Sendable {
    var transfer: Transfer
    var moment: FrameReference
}
