import Profile

/// A write to Sync Control (section 4.3).
typealias SyncRequest = DeviceProfile.SyncRequest
/// A read of Sync Control.
typealias SyncStatus = DeviceProfile.SyncStatus
/// A drink as sent.
typealias DrinkRecord = DeviceProfile.DrinkRecord
/// A complete chunk of a transfer.
typealias DrinkChunkValue = DeviceProfile.DrinkChunk

extension SyncRequest {
    static let query = SyncRequest(startIndex: 0, count: 0, command: .query, status: 0, chunkSize: 0)
    static let acknowledgement = SyncRequest(startIndex: 0, count: 0, command: .ack, status: 0, chunkSize: 0)
    static func start(_ count: Int, chunkSize: Int) -> SyncRequest {
        SyncRequest(startIndex: 0, count: count, command: .start, status: 0, chunkSize: chunkSize)
    }

    var isQuery: Bool { command == .query }
    var isStart: Bool { command == .start }
    var isAcknowledgement: Bool { command == .ack }
    /// Records of a full chunk, as the puck interprets the request.
    var recordsPerChunk: Int { (1...20).contains(chunkSize) ? chunkSize : 20 }
}

extension DrinkChunkValue {
    /// "No chunk": the value after a boot.
    static let none = DrinkChunkValue(chunkIndex: 0, totalChunks: 0, recordCount: 0, records: [])

    /// Complete records that fit into a value of `capacity` bytes; at least one, at most 20 (section 3.3).
    static func records(in capacity: Int) -> Int { min(max((capacity - headLength) / recordLength, 1), 20) }

    /// Length in bytes of a chunk with this many records.
    static func length(of records: Int) -> Int { headLength + records * recordLength }

    /// Whether a chunk has records of the first firmware (section 13.10).
    static func isLegacy(_ bytes: [UInt8]) -> Bool {
        bytes.count > headLength && bytes.count == headLength + Int(bytes[4]) * legacyRecordLength
    }

    /// The bytes of a chunk with only its complete records, and their number in its head.
    static func wholeRecords(of bytes: [UInt8]) -> [UInt8] {
        guard bytes.count >= headLength else { return bytes }
        let count = min(Int(bytes[4]), (bytes.count - headLength) / recordLength)
        var whole = Array(bytes.prefix(length(of: count)))
        whole[4] = UInt8(count)
        return whole
    }

    private static let legacyRecordLength = 10
    static let headLength = 6
    private static let recordLength = 14
}

/// A chunk of a transfer; of a truncated chunk, only its head.
struct DrinkChunk: Sendable {
    var index: Int
    var total: Int
    var count: Int
    var reserved: Int
    /// Nil if bytes are missing; empty for records without IDs, of the first firmware, which no rule checks.
    var records: [DrinkRecord]?

    private static let fields = FieldList("chunk_index", "total_chunks", "record_count", "reserved")
    private static let recordFields = FieldList(DrinkRecord.paths.map { "records.\($0)" }, of: "records")

    /// Nil for six zero bytes, which are not a chunk.
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
        if reading.typeIndex == DeviceProfile.TypeName.drinkChunk.rawValue {
            records = reading.elements(of: Self.recordFields) { DrinkRecord(&$0) }
        } else {
            records = reading.isFaulty ? nil : []
        }
    }
}
