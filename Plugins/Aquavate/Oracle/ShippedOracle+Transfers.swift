import Bluetooth
import Bytes
import PluginKit

/// Sync Control and Drink Data (section 6).
extension ShippedOracle {
    mutating func prepare(_ request: SyncRequest?) {
        guard let request else { return }
        if request.isStart {
            // The stored records are not known: all requested ones may be there.
            if !known.isUnsyncedKnown || !isWatching, board.unsynced < request.count {
                board.memory.drinks.follow(unsynced: request.count)
                known.isUnsyncedKnown = false
                known.isPendingKnown = false
            }
            known.wantedRecords = request.count
            known.isTransferKnown = true
            known.isChunkSizeKnown = true
            known.hasChunk = false
            known.isAcknowledged = false
        } else if request.isAcknowledgement {
            known.isAcknowledged = true
        } else if request.isQuery {
            known.isTransferKnown = true
        }
    }

    // MARK: - Sync Control

    mutating func adoptSyncControl(_ shown: ShownValue) -> Expectation {
        guard let reported = board.wire.value(of: shown.bytes, as: .syncStatus, SyncStatus.self) else {
            return .value(shown.predicted ?? [])
        }
        var wanted = reported
        (wanted.startIndex, wanted.command) = (0, 0)
        wanted.count = unsynced(orSooner: reported.count)
        // After START without a record to send, a puck is idle again at the next ACK; a puck without Q-02, at once.
        let endsSilently = known.isAcknowledged || !board.quirks.shows(.countsDeleted)
        let mayBeIdle = !known.hasChunk && !known.isPendingKnown && endsSilently
        if known.isTransferKnown, reported.status == .idle, mayBeIdle { firmware.sync.end() }
        if known.isTransferKnown { wanted.status = firmware.sync.status }
        if known.isChunkSizeKnown || !(1...20).contains(reported.chunkSize) {
            wanted.chunkSize = firmware.sync.chunkSize
        }
        if reported.status.rawValue > 1 { wanted.status = firmware.sync.status }
        if known.isUnsyncedKnown, reported.count == board.unsynced + 1, isWatching { known.isDrinkAwaited = true }
        follow(unsynced: reported.count)
        if !known.isTransferKnown, reported.status == .idle {
            firmware.sync.end()
            known.isTransferKnown = true
        }
        firmware.sync.follow(chunkSize: wanted.chunkSize)
        known.isChunkSizeKnown = true
        return .value(board.wire.bytes(wanted, as: .syncStatus))
    }

    // MARK: - Drink Data

    mutating func adoptChunk(_ shown: ShownValue) -> Expectation {
        guard let reported = board.wire.value(of: shown.bytes, as: .drinkChunk, DrinkChunkValue.self) else {
            // Drinks without IDs are from the first firmware, which this oracle does not model (section 16).
            return .value(DrinkChunkValue.isLegacy(shown.bytes) ? shown.bytes : shown.predicted ?? [])
        }
        // If START may have had nothing to send, the value is still the chunk before it.
        if shown.operation == .read, !known.hasChunk, !known.isPendingKnown { return .value(shown.bytes) }
        let predicted = shown.predicted.flatMap { board.wire.value(of: $0, as: .drinkChunk, DrinkChunkValue.self) }
        guard let predicted, predicted.totalChunks > 0 else {
            if shown.operation == .read || !known.isTransferKnown { return .value(shown.bytes) }
            let isRunning = firmware.sync.status == .inProgress
            return .nothing(isRunning ? "no START or ACK asks for it" : "no transfer is under way")
        }
        var wanted = predicted
        let isCurrent = firmware.sync.status == .inProgress && firmware.sync.chunk == predicted.chunkIndex
        if isCurrent {
            limit(reported, predicted)
            wanted = firmware.sync.current
        }
        for place in wanted.records.indices where reported.records.indices.contains(place) {
            let record = reported.records[place]
            let former = wanted.records[place]
            guard !known.records.contains(former.recordId) else { continue }
            let isInOrder = place == 0 || record.recordId > wanted.records[place - 1].recordId
            let drink = StoredDrink(
                id: isInOrder ? record.recordId : wanted.records[place - 1].recordId + 1,
                timestamp: record.timestamp, amount: record.amount, level: record.levelAfter)
            wanted.records[place] = DrinkRecord(drink)
            if isCurrent, DrinkChunkValue.length(of: place + 1) <= shown.count { learn(drink, for: former.recordId) }
        }
        known.hasChunk = true
        return .value(board.wire.bytes(wanted, as: .drinkChunk))
    }

    /// Drops records that turn out to be deleted: the puck sends fewer than predicted.
    private mutating func limit(_ reported: DrinkChunkValue, _ predicted: DrinkChunkValue) {
        let size = firmware.sync.chunkSize
        let start = predicted.chunkIndex * size
        let drinks = firmware.sync.buffer
        let isLast = reported.chunkIndex + 1 == reported.totalChunks
        let count = isLast ? start + reported.recordCount : reported.totalChunks * size
        guard !known.isPendingKnown, reported.chunkIndex == predicted.chunkIndex,
            reported.totalChunks <= predicted.totalChunks,
            reported.totalChunks > predicted.chunkIndex,
            !known.hasChunk || reported.totalChunks == predicted.totalChunks,
            (isLast ? 1...size : size...size).contains(reported.recordCount), count <= drinks.count || !isLast
        else { return }
        for drink in drinks.dropFirst(count) { board.memory.drinks.delete(drink.id) }
        firmware.sync.replace(Array(drinks.prefix(count)))
        guard isLast else { return }
        let isAll = known.isUnsyncedKnown && count == board.unsynced
        known.isPendingKnown = isAll || count < known.wantedRecords && count == drinks.count
    }

    /// Stores the content of a record that was not known.
    private mutating func learn(_ drink: StoredDrink, for id: Int) {
        board.memory.drinks.replace(id, by: drink)
        var drinks = firmware.sync.buffer
        guard let place = drinks.firstIndex(where: { $0.id == id }) else { return }
        drinks[place] = drink
        firmware.sync.replace(drinks)
        if known.records.count < DrinkStore.capacity { known.records.insert(drink.id) }
    }
}

extension DrinkRecord {
    /// A drink as sent: neither synced nor deleted.
    fileprivate init(_ drink: StoredDrink) {
        self.init(
            recordId: drink.id, timestamp: drink.timestamp, amount: drink.amount, levelAfter: drink.level,
            type: drink.isPour ? .pour : .gulp, flags: .init(synced: false, dayBoundary: false, deleted: false))
    }
}
