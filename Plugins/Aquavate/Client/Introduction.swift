import Bytes
import PluginKit
import Profile

/// The first procedure of each connection: subscriptions, all readable values, the time (section 11.7). It does not
/// read Drink Data, whose value may belong to an earlier transfer.
struct Introduction: AppProcedure {
    let dialect: Dialect
    let name = "introduction"
    /// Columns of the bottle's row, as far as they were read.
    private var bottle = Record()
    var deadline: Timestamp? { nil }

    init(dialect: Dialect) {
        self.dialect = dialect
    }

    private static let information = ["manufacturer_name", "model_number", "firmware_revision", "serial_number"]

    func begin(at now: Timestamp, _ session: inout AppSession) -> ProcedureStep {
        let read = Self.information.map { ClientAction.read($0) }
        switch dialect {
        case .shipped:
            let subscribed: [PuckCharacteristic] = [
                .currentState, .drinkData, .activityStats, .calibrationState, .batteryLevel,
            ]
            let values: [PuckCharacteristic] = [.bottleConfig, .deviceSettings, .currentState, .batteryLevel]
            let time = PuckCommand.setTime(time: Board.field(now.wholeSeconds))
            return .goOn(
                subscribed.map(AppSession.subscribe) + [session.command(time)] + read + values.map(AppSession.read)
                    + [AppSession.read(.syncControl)])
        case .prd:
            let subscribed: [PuckCharacteristic] = [.currentWeight, .drinkHistory, .deviceStatus]
            let values: [PuckCharacteristic] = [.prdBottleConfig, .currentWeight, .deviceStatus, .batteryLevel]
            return .goOn(
                subscribed.map(AppSession.subscribe) + read + values.map(AppSession.read) + [
                    AppSession.read(.syncStatus)
                ])
        }
    }

    mutating func take(_ input: ClientInput, at now: Timestamp, _ session: inout AppSession) -> ProcedureStep {
        switch input {
        case .read("bottle_config", .success(let bytes)):
            session.config = session.wire.value(of: bytes, as: .bottleConfig)
            learn([
                "capacity_ml": session.config?.capacity, "goal_ml": session.config?.goal,
                "tare_g": session.config?.tare,
            ])
            return .goOn()
        case .read("prd_bottle_config", .success(let bytes)):
            let config = session.wire.value(of: bytes, as: .prdBottleConfig, PRDConfig.self)
            learn(["capacity_ml": config?.capacity, "goal_ml": config?.goal, "tare_g": config?.tare])
            return .goOn()
        // All zero until the firmware has measured.
        case .read("current_state", .success(let bytes)) where bytes.contains { $0 != 0 }:
            let state = session.wire.value(of: bytes, as: .currentState, CurrentState.self)
            learn(["battery_percent": state?.battery, "is_battery_low": state.map { $0.flags.lowBattery ? 1 : 0 }])
            if let state, let level = state.level {
                learn(["level_ml": level, "level_time": state.timestamp > 0 ? state.timestamp : now.wholeSeconds])
            }
            return .goOn()
        case .read("device_status", .success(let bytes)):
            let status = session.wire.value(of: bytes, as: .deviceStatus, PRDStatus.self)
            learn(["battery_percent": status?.battery, "is_battery_low": status.map { $0.flags.lowBattery ? 1 : 0 }])
            return .goOn()
        case .read("serial_number", .success(let bytes)):
            // The firmware's strings end with NUL.
            let text = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            bottle.fields.append(("serial_number", .text(text)))
            return .goOn([.event(TwinNote("puck", ["serial_number": .text(text)]))])
        case .read("sync_control", .success(let bytes)):
            let status = session.wire.value(of: bytes, as: .syncStatus, SyncStatus.self)
            return finish(status?.count)
        case .read("sync_status", .success(let bytes)):
            let count = session.wire.value(of: bytes, as: .pendingCount, Int.self)
            return finish(count)
        case .read("sync_control", .failure(let fault)), .read("sync_status", .failure(let fault)):
            return .done([TwinNote.failure(of: name, "\(fault)")])
        default: return .goOn()
        }
    }

    /// Adds numbers to the bottle's row.
    private mutating func learn(_ numbers: KeyValuePairs<String, Int?>) {
        for (name, number) in numbers {
            if let number { bottle.fields.append((name, .integer(Int64(number)))) }
        }
    }

    /// Ends the procedure and commits the bottle's row.
    private func finish(_ unsynced: Int?) -> ProcedureStep {
        .done([
            .event(TwinNote("ready", ["unsynced": .number(unsynced ?? 0)])),
            .commit([.set(bottle, in: PuckTables.bottles)]),
        ])
    }
}

extension Timestamp {
    /// Seconds since 1970, truncated.
    var wholeSeconds: Int { Int(nanoseconds / 1_000_000_000) }
}
