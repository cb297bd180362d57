import Bytes
import PluginKit

/// Fetches all drinks that the puck has not sent yet (sections 6.2, 6.3 and 11.7).
struct SyncErrand: Errand {
    let name = "sync"
    private(set) var deadline: Timestamp?
    private var phase = Phase.asking
    /// Records that came, and those among them that were new, in all rounds.
    private var received = 0
    private var new = 0
    /// Records that the puck counted before this round.
    private var counted = 0
    /// New ones of this round.
    private var newOfRound = 0

    private enum Phase: Sendable {
        /// The number of records is being read.
        case asking
        /// A chunk of this index is due, of so many if that is known; no ID of it is as low as the last one.
        case receiving(index: Int, total: Int?, lastID: Int)
        /// The last chunk was acknowledged; Current State confirms it.
        case confirming
    }

    private static let chunkTimeout = Duration.seconds(5)
    private static let confirmationTimeout = Duration.seconds(10)
    private static let mostRecords = 600

    mutating func begin(at now: Timestamp, _ visit: inout Visit) -> ErrandStep { .goOn([Visit.read(.syncControl)]) }

    mutating func take(_ input: ClientInput, at now: Timestamp, _ visit: inout Visit) -> ErrandStep {
        if let fault = input.fault(at: .syncControl) { return .done([TwinNote.failure(of: name, "\(fault)")]) }
        switch phase {
        case .asking:
            guard let bytes = input.value(readFrom: .syncControl) else { return .goOn() }
            return ask(bytes, at: now, &visit)
        case .receiving(let index, let total, let lastID):
            if let bytes = input.value(toldOf: .drinkData) {
                return receive(bytes, index: index, of: total, after: lastID, at: now, &visit)
            }
            if isLate(input, now) {
                visit.ghosts = counted
                return abort("no chunk came", visit)
            }
        case .confirming:
            if input.value(toldOf: .currentState) != nil || isLate(input, now) {
                phase = .asking
                deadline = nil
                return .goOn([Visit.read(.syncControl)])
            }
        }
        return .goOn()
    }

    private func isLate(_ input: ClientInput, _ now: Timestamp) -> Bool {
        input == .time && deadline.map { now >= $0 } ?? false
    }

    /// Begins a round, unless the one before brought nothing new: what is left then is not sent.
    private mutating func ask(_ bytes: [UInt8], at now: Timestamp, _ visit: inout Visit) -> ErrandStep {
        guard let status = visit.wire.value(of: bytes, as: .syncStatus, SyncStatus.self) else {
            return .done([TwinNote.failure(of: name, "Sync Control has another length than 8 bytes")])
        }
        let isFirst = received == 0
        if status.count == 0 || !isFirst && newOfRound == 0 {
            visit.ghosts = status.count
            return .done([
                .tell(TwinNote("sync_done", ["records": .number(received), "new": .number(new)]))
            ])
        }
        counted = status.count
        newOfRound = 0
        phase = .receiving(index: 0, total: nil, lastID: 0)
        deadline = now + Self.chunkTimeout
        let size = DrinkChunkValue.records(in: visit.capacity)
        return .goOn([visit.request(.start(min(status.count, Self.mostRecords), chunkSize: size))])
    }

    private mutating func receive(
        _ bytes: [UInt8], index: Int, of total: Int?, after lastID: Int, at now: Timestamp, _ visit: inout Visit
    ) -> ErrandStep {
        guard let chunk = visit.wire.value(of: bytes, as: .drinkChunk, DrinkChunkValue.self) else {
            return abort("a chunk was cut short", visit)
        }
        guard chunk.chunkIndex == index, chunk.totalChunks == total ?? chunk.totalChunks, chunk.totalChunks > index,
            !chunk.records.isEmpty
        else { return abort("a chunk was not the one that was due", visit) }
        var last = lastID
        for record in chunk.records {
            guard record.recordId > last else { return abort("record IDs do not rise", visit) }
            last = record.recordId
        }
        let fresh = chunk.records.filter {
            visit.drinks.insert(.init(id: $0.recordId, timestamp: $0.timestamp, amount: $0.amount)).inserted
        }
        received += chunk.records.count
        new += fresh.count
        newOfRound += fresh.count
        let isLast = index + 1 == chunk.totalChunks
        phase = isLast ? .confirming : .receiving(index: index + 1, total: chunk.totalChunks, lastID: last)
        deadline = now + (isLast ? Self.confirmationTimeout : Self.chunkTimeout)
        let note = TwinNote(
            "chunk",
            [
                "index": .number(index), "total": .number(chunk.totalChunks), "records": .number(chunk.records.count),
                "ml": .number(fresh.reduce(0) { $0 + $1.amount }),
            ])
        return .goOn(fresh.map { .tell($0.note) } + [.tell(note), visit.request(.acknowledgement)])
    }

    /// Ends the transfer; nothing is marked as sent.
    private func abort(_ reason: String, _ visit: Visit) -> ErrandStep {
        .done([visit.request(.query), TwinNote.failure(of: name, reason)])
    }
}

extension DrinkRecord {
    /// The app has stored it.
    fileprivate var note: TwinNote {
        TwinNote(
            "drink_received",
            [
                "record_id": .number(recordId), "timestamp": .number(timestamp), "amount": .number(amount),
                "level_after": .number(levelAfter),
            ])
    }
}
