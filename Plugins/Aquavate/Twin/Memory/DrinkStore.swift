/// A drink as the puck keeps it (section 7.1).
struct StoredDrink: Codable, Hashable, Sendable {
    /// From 1.
    var id: Int
    /// Seconds of the puck's local epoch.
    var timestamp: Int
    /// ml; negative for a refill, which only the dialect of the requirements keeps.
    var amount: Int
    /// ml after it.
    var level: Int
    var isSynced = false
    var isDeleted = false

    /// 100 ml or more.
    var isPour: Bool { amount >= 100 }

    /// Whether its numbers fit into the fields of a record.
    var isSound: Bool {
        (0...Int(UInt32.max)).contains(id) && (0...Int(UInt32.max)).contains(timestamp)
            && Int16(exactly: amount) != nil && Int16(exactly: level) != nil
    }
}

/// The ring of the last 600 drinks; the oldest is overwritten, synced or not (section 7.1).
struct DrinkStore: Codable, Hashable, Sendable {
    static let capacity = 600

    /// Slots in the order of the file.
    private var slots: [StoredDrink] = []
    /// Slot of the next drink.
    private var writeIndex = 0
    private(set) var nextId = 1
    /// Drinks that no client has acknowledged, deleted ones among them.
    private(set) var unsyncedCount = 0
    /// Of these, those that are not deleted.
    private(set) var pendingCount = 0

    /// The drinks, oldest first.
    var drinks: [StoredDrink] { Array(slots[oldest...] + slots[..<oldest]) }

    /// Slot of the oldest drink.
    private var oldest: Int { slots.count == Self.capacity ? writeIndex : 0 }

    /// Keeps a drink under the next ID.
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

    /// Marks a drink as deleted; whether there is one of this ID.
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

    /// Forgets all drinks; IDs begin at 1 again if so wanted.
    mutating func clear(restartsIDs: Bool) {
        let next = restartsIDs ? 1 : nextId
        self = DrinkStore()
        nextId = next
    }

    /// Marks the oldest drinks that no client has acknowledged as synced, so many of them, whether deleted or not.
    mutating func markSynced(oldest count: Int) {
        var rest = count
        for index in order where rest > 0 && !slots[index].isSynced {
            slots[index].isSynced = true
            rest -= 1
        }
        recount()
    }

    /// Marks the drinks as synced that a condition holds for.
    mutating func markSynced(where condition: (StoredDrink) -> Bool) {
        for index in slots.indices where condition(slots[index]) { slots[index].isSynced = true }
        recount()
    }

    /// Drinks to be sent, the oldest first: neither synced nor deleted.
    func pending(limit: Int) -> [StoredDrink] {
        var pending: [StoredDrink] = []
        for index in order where pending.count < limit && !slots[index].isSynced && !slots[index].isDeleted {
            pending.append(slots[index])
        }
        return pending
    }

    /// ml that were drunk since a time.
    func total(since start: Int) -> Int {
        slots.reduce(0) { $0 + ($1.timestamp >= start && !$1.isDeleted && $1.amount > 0 ? $1.amount : 0) }
    }

    /// Whether it is one that a puck has written, and not a file that somebody has.
    var isSound: Bool {
        slots.count <= Self.capacity && (0..<Self.capacity).contains(writeIndex)
            && (slots.count == Self.capacity || writeIndex == slots.count)
            && (1...Int(UInt32.max)).contains(nextId) && unsyncedCount == slots.count { !$0.isSynced }
            && pendingCount == slots.count { !$0.isSynced && !$0.isDeleted } && slots.allSatisfy(\.isSound)
    }

    private var order: [Int] { Array(oldest..<slots.count) + Array(0..<oldest) }

    // MARK: Of a device that is followed

    /// The store of a device of which nothing is known: its drinks have IDs that no device comes to.
    static var unknown: DrinkStore {
        var store = DrinkStore()
        store.nextId = 0xF000_0000
        return store
    }

    /// So many drinks are not acknowledged: more are stored, of which nothing is known, or the oldest were synced.
    mutating func follow(unsynced count: Int) {
        if count < unsyncedCount { markSynced(oldest: unsyncedCount - count) }
        while unsyncedCount < min(count, Self.capacity) { store(timestamp: 0, amount: 0, level: 0) }
    }

    /// A drink turns out to be this one.
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
