import PluginKit

/// What a write to Sync Control asks for.
struct SyncRequest: Codable, Hashable, Sendable {
    var count: Int
    /// 0 QUERY, 1 START, 2 ACK.
    var command: Int
    var chunkSize: Int

    var isQuery: Bool { command == 0 }
    var isStart: Bool { command == 1 }
    var isAcknowledgement: Bool { command == 2 }
    /// Records of a full chunk, as the puck takes the request.
    var recordsPerChunk: Int { (1...20).contains(chunkSize) ? chunkSize : 20 }
}

/// What a read of Sync Control tells.
struct SyncStatus: Codable, Hashable, Sendable {
    /// Unsynced records at the time of the read.
    var count: Int
    /// 0 idle, 1 in progress.
    var status: Int
}

/// A drink as it is sent.
struct DrinkRecord: Codable, Hashable, Sendable {
    struct Flags: Codable, Hashable, Sendable {
        var synced: Bool
        var dayBoundary: Bool
        var deleted: Bool
    }

    var recordId: Int
    /// Seconds of the puck's local epoch.
    var timestamp: Int
    /// Millilitres.
    var amount: Int
    /// Millilitres.
    var levelAfter: Int
    /// 0 gulp, 1 pour.
    var type: Int
    var flags: Flags
}

/// A chunk of a transfer; of one that was cut short, what its head says.
struct DrinkChunk: Sendable {
    var index: Int
    var total: Int
    var count: Int
    var reserved: Int
    /// Nil where bytes are missing.
    var records: [DrinkRecord]?

    /// Nil for six zero bytes, which are no chunk, and for records without IDs, of the first firmware.
    init?(_ reading: ValueReading) {
        guard reading.layout.name == "drink_chunk", let index = reading.integer("chunk_index"),
            let total = reading.integer("total_chunks"), let count = reading.integer("record_count"),
            let reserved = reading.integer("reserved")
        else { return nil }
        if total == 0, count == 0, index == 0 { return nil }
        self.index = index
        self.total = total
        self.count = count
        self.reserved = reserved
        records = reading.decoded(as: Records.self)?.records
    }

    private struct Records: Codable {
        var records: [DrinkRecord]
    }
}

/// A drink of the dialect of the requirements.
struct RequiredRecord: Codable, Hashable, Sendable {
    var recordId: Int
    var timestamp: Int
    /// Millilitres; negative for a refill.
    var amount: Int
    /// 0 pending, 1 synced.
    var synced: Int
    /// 1 SIP to 4 REFILL.
    var type: Int
    var reserved: Int
}
