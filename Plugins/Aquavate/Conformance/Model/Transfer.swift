import PluginKit

/// A transfer of drink records, from START on.
struct Transfer: Sendable {
    var start: FrameReference
    var request: SyncRequest
    /// Unsynced records that the puck reported before START; nil if unknown.
    var former: Int?
    /// Requests whose chunk is pending, oldest first.
    var asked: [FrameReference] = []
    /// Index of the next chunk.
    var next = 0
    /// Number of chunks that the first chunk announces; nil before it.
    var total: Int?
    /// Chunks and records received.
    var chunks = 0
    var records = 0
    var acknowledgements = 0
    /// The last chunk with a complete header.
    var last: FrameReference?
    /// An unrequested chunk, or one with an incomplete header, was received. Later deviations may be consequences of
    /// it, and the counts of the transfer are uncertain.
    var isDisturbed = false

    init(_ request: SyncRequest, at start: FrameReference, former: Int?) {
        self.start = start
        self.request = request
        self.former = former
        asked = [start]
    }

    /// Number of chunks if the puck sends as many records as requested.
    var mostChunks: Int { (request.count + request.recordsPerChunk - 1) / request.recordsPerChunk }

    /// Whether a chunk can be the answer to the oldest pending request.
    func awaits(_ chunk: DrinkChunk) -> Bool {
        !asked.isEmpty && chunk.index == next && chunk.total == total ?? chunk.total
            && (1...mostChunks).contains(chunk.total) && chunk.count <= request.recordsPerChunk
    }

    /// Whether the next acknowledgement is the last one.
    var isLastDue: Bool { total == acknowledgements + 1 }

    /// Whether one more acknowledgement completes it.
    var isComplete: Bool { total.map { acknowledgements >= $0 } ?? false }

    /// Pending requests that are tracked.
    private static let askedLimit = 16

    mutating func handle(_ chunk: DrinkChunk, at moment: FrameReference) {
        if total == nil || isDisturbed || asked.isEmpty { total = chunk.total }
        if asked.isEmpty { isDisturbed = true } else { asked.removeFirst() }
        next = chunk.index + 1
        chunks += 1
        records += chunk.count
        last = moment
    }

    /// Records a chunk with an incomplete header, which answers the oldest pending request.
    mutating func recordMalformedChunk() {
        if !asked.isEmpty { asked.removeFirst() }
        isDisturbed = true
        next += 1
        chunks += 1
    }

    /// Whether the puck may have completed it: it is uncertain which acknowledgement is the last one.
    var mayBeComplete: Bool { isDisturbed && acknowledgements > 0 }

    /// Unsynced records after its completion, not counting new drinks; nil if unknown.
    var remainder: Int? { isDisturbed ? nil : former.map { max(0, $0 - records) } }

    /// Records an acknowledgement. Returns whether it was the last one.
    mutating func acknowledge(at moment: FrameReference) -> Bool {
        acknowledgements += 1
        if isComplete { return true }
        if asked.count < Self.askedLimit { asked.append(moment) }
        return false
    }
}

/// Phase of the transfer of a connection, as far as known.
enum TransferPhase: Sendable {
    /// A transfer that an earlier connection started may be in progress.
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

/// A transfer whose last chunk has been acknowledged.
struct Completion: Sendable {
    var transfer: Transfer
    var moment: FrameReference
}
