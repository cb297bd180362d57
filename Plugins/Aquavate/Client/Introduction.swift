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
    private(set) var deadline: Timestamp?
    /// Grams of the empty bottle in the dialect `prd`; nil before Bottle Config is read.
    private var tare: Int?
    /// Number of unsynced records, read last.
    private var unsynced = 0
    /// Until when an evaluation may confirm the puck's offset from UTC; nil before the values are read.
    private var confirmationEnd: Timestamp?

    init(dialect: Dialect) {
        self.dialect = dialect
    }

    private static let information = ["manufacturer_name", "model_number", "firmware_revision", "serial_number"]
    /// Time for an evaluation, which an upright bottle makes every 5 s, and pause between reads of Current State.
    private static let confirmationTime = Duration.seconds(10)
    private static let confirmationPause = Duration.seconds(1)
    /// Lowest level in ml that noise and a tare in whole grams explain.
    private static let lowestLevel = -20

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
            // A puck that has no such command ignores or refuses it.
            let time = session.control(.setTime(time: Board.field(now.wholeSeconds)))
            return .goOn(
                subscribed.map(AppSession.subscribe) + [time] + read + values.map(AppSession.read) + [
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
            tare = config?.tare
            learn(["capacity_ml": config?.capacity, "goal_ml": config?.goal, "tare_g": config?.tare])
            return .goOn()
        case .read("current_state", let result):
            if case .success(let bytes) = result { learn(state: bytes, at: now, session) }
            return confirmationEnd == nil ? .goOn() : confirmOffset(at: now, session)
        case .read("current_weight", .success(let bytes)):
            learn(weight: session.wire.value(of: bytes, as: .currentWeight), at: now)
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
            unsynced = session.wire.value(of: bytes, as: .syncStatus, SyncStatus.self)?.count ?? 0
            return confirmOffset(at: now, session)
        case .read("sync_status", .success(let bytes)):
            unsynced = session.wire.value(of: bytes, as: .pendingCount, Int.self) ?? 0
            return finish(session)
        case .read("sync_control", .failure(let fault)), .read("sync_status", .failure(let fault)):
            return .done([TwinNote.failure(of: name, "\(fault)")])
        case .time where deadline.map { now >= $0 } ?? false:
            deadline = nil
            return .goOn([AppSession.read(.currentState)])
        default: return .goOn()
        }
    }

    /// Adds the values of a Current State to the bottle's row. It is all zero until the firmware has measured.
    private mutating func learn(state bytes: [UInt8], at now: Timestamp, _ session: AppSession) {
        guard bytes.contains(where: { $0 != 0 }),
            let state = session.wire.value(of: bytes, as: .currentState, CurrentState.self)
        else { return }
        learn(["battery_percent": state.battery, "is_battery_low": state.flags.lowBattery ? 1 : 0])
        guard let level = state.level else { return }
        // A clock that is fast may show a time to come.
        let measured = min(state.timestamp - (session.offset ?? 0), now.wholeSeconds)
        learn(["level_ml": level, "level_time": state.timestamp > 0 ? measured : now.wholeSeconds])
    }

    /// Adds the level of a bottle in the dialect `prd`: its weight less that of the empty bottle. A puck that weighs less
    /// than the empty bottle is being held, and reports no level.
    private mutating func learn(weight: Int?, at now: Timestamp) {
        guard let weight, let tare, weight - tare >= Self.lowestLevel else { return }
        learn(["level_ml": max(0, weight - tare), "level_time": now.wholeSeconds])
    }

    /// Adds numbers to the bottle's row.
    private mutating func learn(_ numbers: KeyValuePairs<String, Int?>) {
        for (name, number) in numbers {
            guard let number else { continue }
            bottle.fields.removeAll { $0.name == name }
            bottle.fields.append((name, .integer(Int64(number))))
        }
    }

    /// Reads Current State again while the puck's offset from UTC is doubtful: the drinks need it.
    private mutating func confirmOffset(at now: Timestamp, _ session: AppSession) -> ProcedureStep {
        let end = confirmationEnd ?? now + Self.confirmationTime
        confirmationEnd = end
        guard session.isOffsetDoubtful, now < end else { return finish(session) }
        deadline = now + Self.confirmationPause
        return .goOn()
    }

    /// Ends the procedure and commits the bottle's row.
    private mutating func finish(_ session: AppSession) -> ProcedureStep {
        learn(["utc_offset_s": session.offset])
        return .done([
            .event(TwinNote("ready", ["unsynced": .number(unsynced)])),
            .commit([.set(bottle, in: PuckTables.bottles)]),
        ])
    }
}

extension Timestamp {
    /// Seconds since 1970, truncated.
    var wholeSeconds: Int { Int(nanoseconds / 1_000_000_000) }
}
