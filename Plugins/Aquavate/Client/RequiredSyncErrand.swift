import Bytes
import PluginKit

/// Fetches pending drinks in the dialect of the requirements: reads up to 20 at a time and acknowledges them (section 6.4).
struct RequiredSyncErrand: Errand {
    let name = "sync"
    var deadline: Timestamp? { nil }
    private var received = 0
    /// Highest ID that was acknowledged; the puck has to send others then.
    private var acknowledged = 0

    func begin(at now: Timestamp, _ visit: inout Visit) -> ErrandStep { .goOn([Visit.read(.syncStatus)]) }

    mutating func take(_ input: ClientInput, at now: Timestamp, _ visit: inout Visit) -> ErrandStep {
        if let fault = input.fault(at: .syncStatus) ?? input.fault(at: .drinkHistory) {
            return .done([TwinNote.failure(of: name, "\(fault)")])
        }
        if let bytes = input.value(readFrom: .syncStatus) {
            let count = visit.wire.value(of: bytes, as: .pendingCount, Int.self) ?? 0
            if count > 0 { return .goOn([Visit.read(.drinkHistory)]) }
            return .done([.tell(TwinNote("sync_done", ["records": .number(received)]))])
        }
        guard let bytes = input.value(readFrom: .drinkHistory) else { return .goOn() }
        return receive(visit.wire.value(of: bytes, as: .drinkHistory, RequiredHistory.self)?.records ?? [], &visit)
    }

    private mutating func receive(_ records: [RequiredRecord], _ visit: inout Visit) -> ErrandStep {
        guard let last = records.map(\.recordId).max(), last > acknowledged else {
            return .done([TwinNote.failure(of: name, "the puck has pending records and sends none")])
        }
        acknowledged = last
        received += records.count
        for record in records {
            visit.drinks.insert(.init(id: record.recordId, timestamp: record.timestamp, amount: record.amount))
        }
        return .goOn([
            .tell(TwinNote("chunk", ["records": .number(records.count)])),
            .write(PuckCharacteristic.syncStatus.rawValue, visit.wire.bytes(last, as: .acknowledgement)),
            Visit.read(.syncStatus),
        ])
    }
}
