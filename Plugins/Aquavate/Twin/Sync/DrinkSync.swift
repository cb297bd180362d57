/// The transfer of drinks (section 6.1): in memory alone, and not ended by a disconnect.
struct DrinkSync: Sendable {
    typealias Status = SyncStatus.Status

    /// What an acknowledgement brings about.
    enum Step: Sendable {
        case chunk(DrinkChunkValue)
        /// All was sent: these drinks are the client's now.
        case done([StoredDrink])
    }

    private(set) var status = Status.idle
    /// Records per chunk, as it is in force.
    private(set) var chunkSize = 20
    private(set) var buffer: [StoredDrink] = []
    /// Index of the chunk that was sent last.
    private(set) var chunk = 0

    private static let largestChunk = 20

    /// Begins anew with these drinks; the first chunk, nil without any.
    mutating func start(_ drinks: [StoredDrink], chunkSize: Int) -> DrinkChunkValue? {
        buffer = drinks
        self.chunkSize = chunkSize
        status = .inProgress
        chunk = 0
        return drinks.isEmpty ? nil : current
    }

    /// What comes next; nil while idle.
    mutating func acknowledge() -> Step? {
        guard status == .inProgress else { return nil }
        chunk += 1
        if chunk < total { return .chunk(current) }
        defer { end() }
        return .done(buffer)
    }

    /// Ends it; nothing is marked.
    mutating func end(_ status: Status = .idle) {
        buffer = []
        chunk = 0
        self.status = status
    }

    /// What is sent turns out to be these drinks.
    mutating func replace(_ drinks: [StoredDrink]) { buffer = drinks }

    /// Records per chunk turn out to be so many.
    mutating func follow(chunkSize: Int) { self.chunkSize = chunkSize }

    /// Records per chunk that a request asks for.
    static func chunkSize(_ asked: Int) -> Int { (1...largestChunk).contains(asked) ? asked : largestChunk }

    private var total: Int { (buffer.count + chunkSize - 1) / chunkSize }

    /// The chunk that was sent last.
    var current: DrinkChunkValue {
        let part = buffer.dropFirst(chunk * chunkSize).prefix(chunkSize)
        return DrinkChunkValue(
            chunkIndex: chunk, totalChunks: total, recordCount: part.count,
            records: part.map {
                DrinkRecord(
                    recordId: $0.id, timestamp: $0.timestamp, amount: $0.amount, levelAfter: $0.level,
                    type: $0.isPour ? .pour : .gulp,
                    flags: .init(synced: $0.isSynced, dayBoundary: false, deleted: $0.isDeleted))
            })
    }
}
