import Bytes
import PluginKit

/// What comes first in each connection: subscriptions, everything that can be read, the time (section 11.7). Drink Data is
/// not read: a value of it may be of an earlier transfer.
struct Introduction: Errand {
    let dialect: Dialect
    let name = "introduction"
    var deadline: Timestamp? { nil }

    private static let information = ["manufacturer_name", "model_number", "firmware_revision", "serial_number"]

    func begin(at now: Timestamp, _ visit: inout Visit) -> ErrandStep {
        let read = Self.information.map { ClientAction.read($0) }
        switch dialect {
        case .shipped:
            let subscribed: [PuckCharacteristic] = [
                .currentState, .drinkData, .activityStats, .calibrationState, .batteryLevel,
            ]
            let values: [PuckCharacteristic] = [.bottleConfig, .deviceSettings, .currentState, .batteryLevel]
            let time = PuckCommand.setTime(time: Board.field(now.wholeSeconds))
            return .goOn(
                subscribed.map(Visit.subscribe) + [visit.command(time)] + read + values.map(Visit.read)
                    + [Visit.read(.syncControl)])
        case .prd:
            let subscribed: [PuckCharacteristic] = [.currentWeight, .drinkHistory, .deviceStatus]
            let values: [PuckCharacteristic] = [.prdBottleConfig, .currentWeight, .deviceStatus, .batteryLevel]
            return .goOn(subscribed.map(Visit.subscribe) + read + values.map(Visit.read) + [Visit.read(.syncStatus)])
        }
    }

    func take(_ input: ClientInput, at now: Timestamp, _ visit: inout Visit) -> ErrandStep {
        switch input {
        case .read("bottle_config", .success(let bytes)):
            visit.config = visit.wire.value(of: bytes, as: .bottleConfig)
            return .goOn()
        case .read("serial_number", .success(let bytes)):
            // The firmware's texts end with NUL.
            let text = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            return .goOn([.tell(TwinNote("puck", ["serial_number": .text(text)]))])
        case .read("sync_control", .success(let bytes)):
            let status = visit.wire.value(of: bytes, as: .syncStatus, SyncStatus.self)
            return .done([.tell(TwinNote("ready", ["unsynced": .number(status?.count ?? 0)]))])
        case .read("sync_status", .success(let bytes)):
            let count = visit.wire.value(of: bytes, as: .pendingCount, Int.self)
            return .done([.tell(TwinNote("ready", ["unsynced": .number(count ?? 0)]))])
        case .read("sync_control", .failure(let fault)), .read("sync_status", .failure(let fault)):
            return .done([TwinNote.failure(of: name, "\(fault)")])
        default: return .goOn()
        }
    }
}

extension Timestamp {
    /// Since 1970, cut off.
    var wholeSeconds: Int { Int(nanoseconds / 1_000_000_000) }
}
