import Bytes
import PluginKit
import Profile

/// The records of a dumped `/drinks.bin` (section 7.1 and "Storage Implementation"): a ring of 600 slots of 16 bytes,
/// which `meta.bin` may follow.
///
/// Without `meta.bin`, the order of the ring follows from the IDs. Records have no checksum: a slot is damaged if its bytes
/// are no record of the file's dialect.
struct DrinkDump {
    let dialect: Dialect
    /// Oldest first; the time without the offset, and without an arrival.
    private(set) var drinks: [Drink] = []
    /// Records that no client has acknowledged.
    private(set) var unsynced = 0
    /// Remarks about what is damaged or missing.
    private(set) var notes: [String] = []

    private static let slots = 600
    private static let slotSize = 16
    private static let noteLimit = 10

    private struct Slot {
        var index: Int
        var drink: Drink
        var isSynced: Bool
    }

    /// - Parameters:
    ///   - name: the file's name, for remarks.
    ///   - offset: seconds by which the bottle's epoch is ahead of UTC.
    init(_ bytes: [UInt8], name: String, offset: Int64) throws(CommandError) {
        let wire: PuckWire
        do throws(TwinFault) {
            wire = try PuckWire()
        } catch {
            throw .unreadable("\(error)")
        }
        let fileSize = Self.slots * Self.slotSize
        guard bytes.count <= fileSize + Self.slotSize else { throw .unreadable(Self.advice(bytes, name)) }
        let records = bytes.prefix(fileSize)
        let slots = stride(from: 0, to: records.count - records.count % Self.slotSize, by: Self.slotSize).map {
            Array(records[$0..<$0 + Self.slotSize])
        }
        let used = slots.indices.filter { !Self.isEmpty(slots[$0]) }
        let shipped = used.filter { Self.isShipped(slots[$0]) }
        let prd = used.filter { Self.isPRD(slots[$0]) }
        dialect = prd.count > shipped.count ? .prd : .shipped
        let whole = dialect == .prd ? prd : shipped
        guard !whole.isEmpty || used.isEmpty && !slots.isEmpty else { throw .unreadable(Self.advice(bytes, name)) }
        if records.count < fileSize {
            notes.append("\(name): \(bytes.count) bytes of \(fileSize): the slots from \(slots.count) on are missing")
        }
        let tail = records.count % Self.slotSize
        if tail > 0 { notes.append("\(name): the last \(tail) bytes are no whole record: skipped") }
        let damaged = used.filter { !whole.contains($0) }
        for index in damaged.prefix(Self.noteLimit) {
            let (flags, type) = (Self.hex(slots[index][12]), Self.hex(slots[index][13]))
            notes.append(
                "\(name): slot \(index) is no record of the dialect \(dialect.rawValue) (flags \(flags), type \(type)): skipped"
            )
        }
        if damaged.count > Self.noteLimit {
            notes.append("\(name): \(damaged.count - Self.noteLimit) more slots are damaged: skipped")
        }
        let found = whole.compactMap { index in
            Self.slot(index, slots[index], dialect, wire)
        }
        let header = metadata(Array(bytes.dropFirst(fileSize)), name, wire)
        let live = inOrder(found, header, name)
        unsynced = live.count { !$0.isSynced }
        drinks = live.map { slot in
            var drink = slot.drink
            drink.setTime(timestamp: drink.time, offset: offset, received: nil)
            return drink
        }
    }

    /// The error for a file that is none of `drinks.bin`, with what to do.
    private static func advice(_ bytes: [UInt8], _ name: String) -> String {
        let expected = "expected /drinks.bin, 600 records of 16 bytes, which the 16 bytes of /meta.bin may follow"
        guard bytes.count > slots * slotSize + slotSize else {
            return "\(name): no record in its \(bytes.count) bytes: \(expected)"
        }
        let isFileSystem = bytes.dropFirst(8).prefix(8).elementsEqual("littlefs".utf8)
        guard isFileSystem || bytes.count > 65_536 else { return "\(name): \(bytes.count) bytes: \(expected)" }
        return "\(name): an image of the \(isFileSystem ? "file system" : "flash"): \(expected); "
            + "read 64 KiB at 0x290000 with esptool, and unpack the files with mklittlefs"
    }

    private static func isEmpty(_ slot: [UInt8]) -> Bool {
        slot.allSatisfy { $0 == 0 } || slot.allSatisfy { $0 == 0xFF }
    }

    private static func hex(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16, uppercase: true)
        return "0x" + (digits.count < 2 ? "0" : "") + digits
    }

    private static func amount(_ slot: [UInt8]) -> Int16 {
        Int16(bitPattern: UInt16(slot[8]) | UInt16(slot[9]) << 8)
    }

    private static func hasID(_ slot: [UInt8]) -> Bool { slot.prefix(4).contains { $0 != 0 } }

    /// Whether the bytes are a record of the shipped firmware, which stores drinks only, with their type by amount.
    private static func isShipped(_ slot: [UInt8]) -> Bool {
        let milliliters = amount(slot)
        return hasID(slot) && milliliters > 0 && slot[12] <= 7 && slot[13] == (milliliters >= 100 ? 1 : 0)
    }

    /// Whether the bytes are a record of the requirements: a refill is negative (AQ-075).
    private static func isPRD(_ slot: [UInt8]) -> Bool {
        hasID(slot) && slot[12] <= 1 && (1...4).contains(slot[13]) && (slot[13] == 4) == (amount(slot) < 0)
            && slot[14] == 0 && slot[15] == 0
    }

    private static func slot(_ index: Int, _ bytes: [UInt8], _ dialect: Dialect, _ wire: PuckWire) -> Slot? {
        switch dialect {
        case .shipped:
            guard let record = wire.value(of: bytes, as: .storedDrink, DeviceProfile.StoredDrink.self) else {
                return nil
            }
            let drink = Drink(
                device: "", recordID: Int64(record.recordId), time: Int64(record.timestamp),
                amount: Int64(record.amount), level: Int64(record.levelAfter), isDeleted: record.flags.deleted)
            return Slot(index: index, drink: drink, isSynced: record.flags.synced)
        case .prd:
            guard let record = wire.value(of: bytes, as: .prdDrinkRecord, PRDRecord.self) else { return nil }
            let drink = Drink(
                device: "", recordID: Int64(record.recordId), time: Int64(record.timestamp),
                amount: Int64(record.amount), level: Int64(record.bottleLevel))
            return Slot(index: index, drink: drink, isSynced: record.synced == .synced)
        }
    }

    // MARK: - The ring

    /// The contents of `meta.bin`; nil without it.
    private mutating func metadata(
        _ bytes: [UInt8], _ name: String, _ wire: PuckWire
    ) -> DeviceProfile.StoredMetadata? {
        guard !bytes.isEmpty else { return nil }
        guard let found = wire.value(of: bytes, as: .storedMetadata, DeviceProfile.StoredMetadata.self),
            found.writeIndex < Self.slots, found.recordCount <= Self.slots
        else {
            notes.append(
                "\(name): the \(bytes.count) bytes after the records are no meta.bin: the order follows from the IDs")
            return nil
        }
        return found
    }

    /// The live records, oldest first.
    private mutating func inOrder(
        _ slots: [Slot], _ metadata: DeviceProfile.StoredMetadata?, _ name: String
    ) -> [Slot] {
        var live: [Slot]
        if let metadata {
            // A ring that is not full begins at slot 0.
            let start = metadata.recordCount == Self.slots ? metadata.writeIndex : 0
            live = slots.filter { $0.index < metadata.recordCount }
            live = live.filter { $0.index >= start } + live.filter { $0.index < start }
        } else {
            let drop = slots.indices.dropFirst().first { slots[$0].drink.recordID < slots[$0 - 1].drink.recordID }
            guard let drop, let first = slots.first, let last = slots.last else { return slots }
            // The newest record is before the oldest one, or before what a cleared history has left behind.
            let isRing = last.index == Self.slots - 1 && last.drink.recordID < first.drink.recordID
            live = Array(slots[..<drop])
            if isRing { live = Array(slots[drop...]) + live }
        }
        if live.count < slots.count {
            notes.append(
                "\(name): records left over from a cleared history, not counted: \(slots.count - live.count)")
        }
        return live
    }
}

// MARK: - Output

extension DrinkDump {
    /// One line about the file.
    var text: String {
        "Storage: \(drinks.count) records of the dialect \(dialect.rawValue), \(drinks.count(where: \.isDeleted)) deleted, "
            + "\(unsynced) that no client has acknowledged"
    }

    var json: JSONValue {
        .members([
            "dialect": .string(dialect.rawValue), "records": .integer(drinks.count),
            "deleted": .integer(drinks.count(where: \.isDeleted)), "unsynced": .integer(unsynced),
        ])
    }
}
