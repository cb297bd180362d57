import PluginKit

/// What a write to Sync Control asks for.
struct SyncRequest: Hashable, Sendable {
    var count: Int
    /// 0 QUERY, 1 START, 2 ACK.
    var command: Int
    var chunkSize: Int

    init?(_ reading: ValueReading) {
        guard !reading.isFaulty, let count = reading.integer("count"), let command = reading.integer("command"),
            let chunkSize = reading.integer("chunk_size")
        else { return nil }
        self.count = count
        self.command = command
        self.chunkSize = chunkSize
    }

    var isQuery: Bool { command == 0 }
    var isStart: Bool { command == 1 }
    var isAcknowledgement: Bool { command == 2 }
    /// Records of a full chunk, as the puck takes the request.
    var recordsPerChunk: Int { (1...20).contains(chunkSize) ? chunkSize : 20 }
}

/// What a read of Sync Control tells.
struct SyncStatus: Hashable, Sendable {
    /// Unsynced records at the time of the read.
    var count: Int
    /// 0 idle, 1 in progress.
    var status: Int

    init?(_ reading: ValueReading) {
        guard !reading.isFaulty, let count = reading.integer("count"), let status = reading.integer("status") else {
            return nil
        }
        self.count = count
        self.status = status
    }
}

/// A drink as it is sent.
struct DrinkRecord: Hashable, Sendable {
    struct Flags: Hashable, Sendable {
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

    /// An element of a chunk's records.
    init?(_ element: ValueReading.Element) {
        guard let id = element.integer("records.record_id"), let timestamp = element.integer("records.timestamp"),
            let amount = element.integer("records.amount"), let level = element.integer("records.level_after"),
            let type = element.integer("records.type"), let synced = element.integer("records.flags.synced"),
            let dayBoundary = element.integer("records.flags.day_boundary"),
            let deleted = element.integer("records.flags.deleted")
        else { return nil }
        recordId = id
        self.timestamp = timestamp
        self.amount = amount
        levelAfter = level
        self.type = type
        flags = Flags(synced: synced != 0, dayBoundary: dayBoundary != 0, deleted: deleted != 0)
    }
}

/// A chunk of a transfer; of one that was cut short, what its head says.
struct DrinkChunk: Sendable {
    var index: Int
    var total: Int
    var count: Int
    var reserved: Int
    /// Nil where bytes are missing; empty for those without IDs, of the first firmware, which no rule is about.
    var records: [DrinkRecord]?

    /// Nil for six zero bytes, which are no chunk.
    init?(_ reading: ValueReading) {
        guard let index = reading.integer("chunk_index"),
            let total = reading.integer("total_chunks"), let count = reading.integer("record_count"),
            let reserved = reading.integer("reserved")
        else { return nil }
        if total == 0, count == 0, index == 0 { return nil }
        self.index = index
        self.total = total
        self.count = count
        self.reserved = reserved
        if reading.layout.name == "drink_chunk" {
            records = reading.elements(of: "records") { DrinkRecord($0) }
        } else {
            records = reading.isFaulty ? nil : []
        }
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
