import Profile

/// What a write to Sync Control asks for (section 4.3).
struct SyncRequest: Codable, Hashable, Sendable {
    /// Without meaning, as is the status.
    var startIndex = 0
    /// Most records wanted; for START.
    var count: Int
    /// 0 QUERY, 1 START, 2 ACK.
    var command: Int
    var status = 0
    /// Records per chunk; for START.
    var chunkSize: Int

    static let query = SyncRequest(count: 0, command: 0, chunkSize: 0)
    static let acknowledgement = SyncRequest(count: 0, command: 2, chunkSize: 0)
    static func start(_ count: Int, chunkSize: Int) -> SyncRequest {
        SyncRequest(count: count, command: 1, chunkSize: chunkSize)
    }

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
    /// 0 idle, 1 in progress, 2 complete.
    var status: Int
    /// Records per chunk.
    var chunkSize: Int
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

/// A whole chunk of a transfer.
struct DrinkChunkValue: Codable, Hashable, Sendable {
    var chunkIndex: Int
    var totalChunks: Int
    var recordCount: Int
    var records: [DrinkRecord]

    /// "No chunk": the value after a boot.
    static let none = DrinkChunkValue(chunkIndex: 0, totalChunks: 0, recordCount: 0, records: [])

    /// Whole records that a value of so many bytes has room for; one at least, 20 at most (section 3.3).
    static func records(in capacity: Int) -> Int { min(max((capacity - headLength) / recordLength, 1), 20) }

    /// Bytes of a chunk with so many records.
    static func length(of records: Int) -> Int { headLength + records * recordLength }

    /// Whether a chunk has records of the first firmware (section 13.10).
    static func isLegacy(_ bytes: [UInt8]) -> Bool {
        bytes.count > headLength && bytes.count == headLength + Int(bytes[4]) * legacyRecordLength
    }

    private static let legacyRecordLength = 10
    private static let headLength = 6
    private static let recordLength = 14
}

/// A chunk of a transfer; of one that was cut short, what its head says.
struct DrinkChunk: Sendable {
    var index: Int
    var total: Int
    var count: Int
    var reserved: Int
    /// Nil where bytes are missing; empty for those without IDs, of the first firmware, which no rule is about.
    var records: [DrinkRecord]?

    private static let fields = FieldList("chunk_index", "total_chunks", "record_count", "reserved")

    /// Nil for six zero bytes, which are no chunk.
    init?(_ reading: ValueReading) {
        var numbers = reading.numbers(of: Self.fields)
        guard let index = numbers.integer(), let total = numbers.integer(), let count = numbers.integer(),
            let reserved = numbers.integer()
        else { return nil }
        if total == 0, count == 0, index == 0 { return nil }
        self.index = index
        self.total = total
        self.count = count
        self.reserved = reserved
        if reading.layout.name == "drink_chunk" {
            records = reading.elements(of: DrinkRecord.fields) { DrinkRecord(&$0) }
        } else {
            records = reading.isFaulty ? nil : []
        }
    }
}

// MARK: - Read by their fields, as they come often

extension SyncRequest {
    private static let fields = FieldList("count", "command", "chunk_size")

    init?(_ reading: ValueReading) {
        var numbers = reading.numbers(of: Self.fields)
        guard !reading.isFaulty, let count = numbers.integer(), let command = numbers.integer(),
            let chunkSize = numbers.integer()
        else { return nil }
        self.init(count: count, command: command, chunkSize: chunkSize)
    }
}

extension SyncStatus {
    private static let fields = FieldList("count", "status", "chunk_size")

    init?(_ reading: ValueReading) {
        var numbers = reading.numbers(of: Self.fields)
        guard !reading.isFaulty, let count = numbers.integer(), let status = numbers.integer(),
            let chunkSize = numbers.integer()
        else { return nil }
        self.init(count: count, status: status, chunkSize: chunkSize)
    }
}

extension DrinkRecord {
    fileprivate static let fields = FieldList(
        "records.record_id", "records.timestamp", "records.amount", "records.level_after", "records.type",
        "records.flags.synced", "records.flags.day_boundary", "records.flags.deleted", of: "records")

    /// An element of a chunk's records.
    fileprivate init?(_ numbers: inout FieldNumbers) {
        guard let id = numbers.integer(), let timestamp = numbers.integer(), let amount = numbers.integer(),
            let level = numbers.integer(), let type = numbers.integer(), let synced = numbers.flag(),
            let dayBoundary = numbers.flag(), let deleted = numbers.flag()
        else { return nil }
        self.init(
            recordId: id, timestamp: timestamp, amount: amount, levelAfter: level, type: type,
            flags: Flags(synced: synced, dayBoundary: dayBoundary, deleted: deleted))
    }
}
