/// A drink as the puck stores it (section 7.1).
struct StoredDrink: Codable, Hashable, Sendable {
    /// From 1.
    var id: Int
    /// Seconds of the puck's local epoch.
    var timestamp: Int
    /// ml; negative for a refill, which only the dialect `prd` stores.
    var amount: Int
    /// ml in the bottle afterwards.
    var level: Int
    var isSynced = false
    var isDeleted = false

    /// 100 ml or more.
    var isPour: Bool { amount >= 100 }

    /// Whether the numbers fit into the fields of a record.
    var isSound: Bool {
        (0...Int(UInt32.max)).contains(id) && (0...Int(UInt32.max)).contains(timestamp)
            && Int16(exactly: amount) != nil && Int16(exactly: level) != nil
    }
}

/// Ring of the last 600 drinks; a new drink overwrites the oldest, synced or not (section 7.1).
struct DrinkStore: Codable, Hashable, Sendable {
    static let capacity = 600

    /// Slots in the order of the file.
    private var slots: [StoredDrink] = []
    /// Slot of the next drink.
    private var writeIndex = 0
    private(set) var nextId = 1
    /// Drinks that no client has acknowledged, including deleted ones.
    private(set) var unsyncedCount = 0
    /// Unsynced drinks that are not deleted.
    private(set) var pendingCount = 0

    /// The drinks, oldest first.
    var drinks: [StoredDrink] { Array(slots[oldest...] + slots[..<oldest]) }

    /// Slot of the oldest drink.
    private var oldest: Int { slots.count == Self.capacity ? writeIndex : 0 }

    /// Stores a drink under the next ID.
    @discardableResult
    mutating func store(timestamp: Int, amount: Int, level: Int) -> StoredDrink {
        let drink = StoredDrink(id: nextId, timestamp: timestamp, amount: amount, level: level)
        if slots.count < Self.capacity { slots.append(drink) } else { slots[writeIndex] = drink }
        writeIndex = (writeIndex + 1) % Self.capacity
        // IDs have 32 bits.
        nextId = nextId == Int(UInt32.max) ? 1 : nextId + 1
        recount()
        return drink
    }

    /// Marks a drink as deleted; returns whether there is one with this ID.
    @discardableResult
    mutating func delete(_ id: Int) -> Bool {
        guard let index = slots.firstIndex(where: { $0.id == id }) else { return false }
        slots[index].isDeleted = true
        recount()
        return true
    }

    /// Marks all drinks since a time as deleted.
    mutating func deleteAll(since start: Int) {
        for index in slots.indices where slots[index].timestamp >= start { slots[index].isDeleted = true }
        recount()
    }

    /// Removes all drinks; IDs optionally restart at 1.
    mutating func clear(restartsIDs: Bool) {
        let next = restartsIDs ? 1 : nextId
        self = DrinkStore()
        nextId = next
    }

    /// Marks the oldest `count` unsynced drinks as synced, deleted or not.
    mutating func markSynced(oldest count: Int) {
        var rest = count
        for index in order where rest > 0 && !slots[index].isSynced {
            slots[index].isSynced = true
            rest -= 1
        }
        recount()
    }

    /// Marks the drinks that satisfy a condition as synced.
    mutating func markSynced(where condition: (StoredDrink) -> Bool) {
        for index in slots.indices where condition(slots[index]) { slots[index].isSynced = true }
        recount()
    }

    /// Drinks to be sent, oldest first: neither synced nor deleted.
    func pending(limit: Int) -> [StoredDrink] {
        var pending: [StoredDrink] = []
        for index in order where pending.count < limit && !slots[index].isSynced && !slots[index].isDeleted {
            pending.append(slots[index])
        }
        return pending
    }

    /// ml drunk since a time.
    func total(since start: Int) -> Int {
        slots.reduce(0) { $0 + ($1.timestamp >= start && !$1.isDeleted && $1.amount > 0 ? $1.amount : 0) }
    }

    /// Whether the store is consistent, as a puck writes it; an edited file may not be.
    var isSound: Bool {
        slots.count <= Self.capacity && (0..<Self.capacity).contains(writeIndex)
            && (slots.count == Self.capacity || writeIndex == slots.count)
            && (1...Int(UInt32.max)).contains(nextId) && unsyncedCount == slots.count { !$0.isSynced }
            && pendingCount == slots.count { !$0.isSynced && !$0.isDeleted } && slots.allSatisfy(\.isSound)
    }

    private var order: [Int] { Array(oldest..<slots.count) + Array(0..<oldest) }

    // MARK: Following a real device

    /// A store of unknown content: its drinks have IDs that no device reaches.
    static var unknown: DrinkStore {
        var store = DrinkStore()
        store.nextId = 0xF000_0000
        return store
    }

    /// Adopts an observed number of unsynced drinks: adds drinks of unknown content, or marks the oldest as synced.
    mutating func follow(unsynced count: Int) {
        if count < unsyncedCount { markSynced(oldest: unsyncedCount - count) }
        while unsyncedCount < min(count, Self.capacity) { store(timestamp: 0, amount: 0, level: 0) }
    }

    /// Replaces a drink by its observed content.
    mutating func replace(_ id: Int, by drink: StoredDrink) {
        guard let index = slots.firstIndex(where: { $0.id == id }) else { return }
        slots[index] = drink
        recount()
    }

    private mutating func recount() {
        (unsyncedCount, pendingCount) = (0, 0)
        for slot in slots where !slot.isSynced {
            unsyncedCount += 1
            if !slot.isDeleted { pendingCount += 1 }
        }
    }
}
