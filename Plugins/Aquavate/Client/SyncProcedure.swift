import Bytes
import PluginKit

/// Fetches all drinks that the puck has not sent yet (sections 6.2, 6.3 and 11.7).
struct SyncProcedure: AppProcedure {
    let name = "sync"
    private(set) var deadline: Timestamp?
    private var phase = Phase.asking
    /// Records received, and the new ones among them, in all rounds.
    private var received = 0
    private var new = 0
    /// Records that the puck counted before this round.
    private var counted = 0
    /// New records of this round.
    private var newOfRound = 0

    private enum Phase: Sendable {
        /// Reading the number of records.
        case asking
        /// Waiting for the chunk with this index, of `total` chunks if known. Its IDs must be above `lastID`.
        case receiving(index: Int, total: Int?, lastID: Int)
        /// Writing the records of a chunk to disk; the acknowledgement follows.
        case storing(DrinkChunkValue, fresh: [DrinkRecord])
        /// The last chunk was acknowledged; waiting for the confirming Current State.
        case confirming
    }

    private static let chunkTimeout = Duration.seconds(DeviceProfile.Time.chunk)
    private static let confirmationTimeout = Duration.seconds(DeviceProfile.Time.push)
    private static let mostRecords = 600

    mutating func begin(at now: Timestamp, _ session: inout AppSession) -> ProcedureStep {
        .goOn([AppSession.read(.syncControl)])
    }

    mutating func take(_ input: ClientInput, at now: Timestamp, _ session: inout AppSession) -> ProcedureStep {
        if let fault = input.fault(at: .syncControl) { return .done([TwinNote.failure(of: name, "\(fault)")]) }
        switch phase {
        case .asking:
            guard let bytes = input.value(readFrom: .syncControl) else { return .goOn() }
            return ask(bytes, at: now, &session)
        case .receiving(let index, let total, let lastID):
            if let bytes = input.value(updateOf: .drinkData) {
                return receive(bytes, index: index, of: total, after: lastID, at: now, &session)
            }
            if isLate(input, now) {
                session.ghosts = counted
                return abort("no chunk came", session)
            }
        case .storing(let chunk, let fresh):
            if case .committed(let outcome) = input { return acknowledge(chunk, fresh, outcome, at: now, &session) }
            if input.value(updateOf: .drinkData) != nil {
                return abort("a chunk came before it was asked for", session)
            }
        case .confirming:
            if input.value(updateOf: .currentState) != nil || isLate(input, now) {
                phase = .asking
                deadline = nil
                return .goOn([AppSession.read(.syncControl)])
            }
        }
        return .goOn()
    }

    private func isLate(_ input: ClientInput, _ now: Timestamp) -> Bool {
        input == .time && deadline.map { now >= $0 } ?? false
    }

    /// Begins a round, unless the previous one brought nothing new: the puck does not send the others.
    private mutating func ask(_ bytes: [UInt8], at now: Timestamp, _ session: inout AppSession) -> ProcedureStep {
        guard let status = session.wire.value(of: bytes, as: .syncStatus, SyncStatus.self) else {
            return .done([TwinNote.failure(of: name, "Sync Control has another length than 8 bytes")])
        }
        let isFirst = received == 0
        if status.count == 0 || !isFirst && newOfRound == 0 {
            session.ghosts = status.count
            return .done([
                .event(TwinNote("sync_done", ["records": .number(received), "new": .number(new)])),
                .commit([PuckTables.synced(at: now, offset: session.offset)]),
            ])
        }
        counted = status.count
        newOfRound = 0
        phase = .receiving(index: 0, total: nil, lastID: 0)
        deadline = now + Self.chunkTimeout
        let size = DrinkChunkValue.records(in: session.capacity)
        return .goOn([session.request(.start(min(status.count, Self.mostRecords), chunkSize: size))])
    }

    private mutating func receive(
        _ bytes: [UInt8], index: Int, of total: Int?, after lastID: Int, at now: Timestamp, _ session: inout AppSession
    ) -> ProcedureStep {
        guard let chunk = session.wire.value(of: bytes, as: .drinkChunk, DrinkChunkValue.self) else {
            return abort("a chunk was cut short", session)
        }
        guard chunk.chunkIndex == index, chunk.totalChunks == total ?? chunk.totalChunks, chunk.totalChunks > index,
            !chunk.records.isEmpty
        else { return abort("a chunk was not the one that was due", session) }
        var last = lastID
        for record in chunk.records {
            guard record.recordId > last else { return abort("record IDs do not rise", session) }
            last = record.recordId
        }
        let fresh = chunk.records.filter { !session.drinks.contains($0.identity) }
        phase = .storing(chunk, fresh: fresh)
        deadline = nil
        return .goOn([.commit([.add(chunk.records.map { $0.row(received: now) }, to: PuckTables.drinks)])])
    }

    /// Acknowledges a chunk whose records are on disk: the puck may forget them.
    private mutating func acknowledge(
        _ chunk: DrinkChunkValue, _ fresh: [DrinkRecord], _ outcome: Result<Int, StoreFault>, at now: Timestamp,
        _ session: inout AppSession
    ) -> ProcedureStep {
        if case .failure(let fault) = outcome { return abort("\(fault)", session) }
        let index = chunk.chunkIndex
        session.drinks.formUnion(fresh.map(\.identity))
        received += chunk.records.count
        new += fresh.count
        newOfRound += fresh.count
        let isLast = index + 1 == chunk.totalChunks
        let last = chunk.records.map(\.recordId).max() ?? 0
        phase = isLast ? .confirming : .receiving(index: index + 1, total: chunk.totalChunks, lastID: last)
        deadline = now + (isLast ? Self.confirmationTimeout : Self.chunkTimeout)
        let note = TwinNote(
            "chunk",
            [
                "index": .number(index), "total": .number(chunk.totalChunks), "records": .number(chunk.records.count),
                "ml": .number(fresh.reduce(0) { $0 + $1.amount }),
            ])
        return .goOn(fresh.map { .event($0.note) } + [.event(note), session.request(.acknowledgement)])
    }

    /// Ends the transfer without marking anything as sent.
    private func abort(_ reason: String, _ session: AppSession) -> ProcedureStep {
        .done([session.request(.query), TwinNote.failure(of: name, reason)])
    }
}

extension DrinkRecord {
    fileprivate var identity: AppSession.ReceivedDrink { .init(id: recordId, timestamp: timestamp, amount: amount) }

    /// The event of a drink that the app has stored.
    fileprivate var note: TwinNote {
        TwinNote(
            "drink_received",
            [
                "record_id": .number(recordId), "timestamp": .number(timestamp), "amount": .number(amount),
                "level_after": .number(levelAfter),
            ])
    }
}
