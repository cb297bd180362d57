/// The transfer of drinks (section 6.1), kept in memory only; a disconnect does not end it.
struct DrinkSync: Sendable {
    typealias Status = SyncStatus.Status

    /// Effect of an acknowledgement.
    enum Step: Sendable {
        case chunk(DrinkChunkValue)
        /// All drinks were sent; the client has them now.
        case done([StoredDrink])
    }

    private(set) var status = Status.idle
    /// Records per chunk in force.
    private(set) var chunkSize = 20
    private(set) var buffer: [StoredDrink] = []
    /// Index of the chunk last sent.
    private(set) var chunk = 0

    private static let largestChunk = 20

    /// Starts a transfer of these drinks; returns the first chunk, nil without drinks.
    mutating func start(_ drinks: [StoredDrink], chunkSize: Int) -> DrinkChunkValue? {
        buffer = drinks
        self.chunkSize = chunkSize
        status = .inProgress
        chunk = 0
        return drinks.isEmpty ? nil : current
    }

    /// Handles an acknowledgement; nil while idle.
    mutating func acknowledge() -> Step? {
        guard status == .inProgress else { return nil }
        chunk += 1
        if chunk < total { return .chunk(current) }
        defer { end() }
        return .done(buffer)
    }

    /// Ends the transfer without marking anything.
    mutating func end(_ status: Status = .idle) {
        buffer = []
        chunk = 0
        self.status = status
    }

    /// Adopts the observed drinks of the transfer.
    mutating func replace(_ drinks: [StoredDrink]) { buffer = drinks }

    /// Adopts the observed number of records per chunk.
    mutating func follow(chunkSize: Int) { self.chunkSize = chunkSize }

    /// Records per chunk for a requested number.
    static func chunkSize(_ asked: Int) -> Int { (1...largestChunk).contains(asked) ? asked : largestChunk }

    private var total: Int { (buffer.count + chunkSize - 1) / chunkSize }

    /// The chunk last sent.
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
