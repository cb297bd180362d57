import Bytes
import PluginKit

/// Fetches pending drinks in the dialect `prd`: reads up to 20 at a time and acknowledges them (section 6.4).
struct PRDSyncProcedure: AppProcedure {
    let name = "sync"
    var deadline: Timestamp? { nil }
    private var received = 0
    /// Highest acknowledged ID; later reads must contain higher ones.
    private var acknowledged = 0
    /// Records that are being written to disk.
    private var storing: [PRDRecord] = []

    func begin(at now: Timestamp, _ session: inout AppSession) -> ProcedureStep {
        .goOn([AppSession.read(.syncStatus)])
    }

    mutating func take(_ input: ClientInput, at now: Timestamp, _ session: inout AppSession) -> ProcedureStep {
        if let fault = input.fault(at: .syncStatus) ?? input.fault(at: .drinkHistory) {
            return .done([TwinNote.failure(of: name, "\(fault)")])
        }
        if let bytes = input.value(readFrom: .syncStatus) {
            let count = session.wire.value(of: bytes, as: .pendingCount, Int.self) ?? 0
            if count > 0 { return .goOn([AppSession.read(.drinkHistory)]) }
            return .done([
                .event(TwinNote("sync_done", ["records": .number(received)])),
                .commit([PuckTables.synced(at: now, offset: session.offset)]),
            ])
        }
        if case .committed(let outcome) = input, !storing.isEmpty { return acknowledge(outcome, &session) }
        guard let bytes = input.value(readFrom: .drinkHistory) else { return .goOn() }
        return receive(session.wire.value(of: bytes, as: .drinkHistory, PRDHistory.self)?.records ?? [], at: now)
    }

    private mutating func receive(_ records: [PRDRecord], at now: Timestamp) -> ProcedureStep {
        guard let last = records.map(\.recordId).max(), last > acknowledged else {
            return .done([TwinNote.failure(of: name, "the puck has pending records and sends none")])
        }
        storing = records
        return .goOn([.commit([.add(records.map { $0.row(received: now) }, to: PuckTables.drinks)])])
    }

    /// Acknowledges records that are on disk: the puck may forget them.
    private mutating func acknowledge(_ outcome: Result<Int, StoreFault>, _ session: inout AppSession) -> ProcedureStep
    {
        let records = storing
        storing = []
        if case .failure(let fault) = outcome { return .done([TwinNote.failure(of: name, "\(fault)")]) }
        acknowledged = records.map(\.recordId).max() ?? acknowledged
        received += records.count
        for record in records {
            session.drinks.insert(.init(id: record.recordId, timestamp: record.timestamp, amount: record.amount))
        }
        return .goOn(
            records.map { .event($0.note) } + [
                .event(TwinNote("chunk", ["records": .number(records.count)])),
                .write(PuckCharacteristic.syncStatus.rawValue, session.wire.bytes(acknowledged, as: .acknowledgement)),
                AppSession.read(.syncStatus),
            ])
    }
}

extension PRDRecord {
    /// The event of a record that the app has stored.
    fileprivate var note: TwinNote {
        TwinNote(
            "drink_received",
            [
                "record_id": .number(recordId), "timestamp": .number(timestamp), "amount": .number(amount),
                "bottle_level": .number(bottleLevel),
            ])
    }
}
