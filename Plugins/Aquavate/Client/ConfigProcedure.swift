import Bytes
import PluginKit
import Profile

/// Changes Bottle Config: reads it and writes it back with another goal or, in the dialect `prd`, with another
/// capacity. (The shipped firmware keeps its 830 ml, whatever is written.)
struct ConfigProcedure: AppProcedure {
    let name: String
    let dialect: Dialect
    /// ml; nil to leave the field unchanged.
    var goal: Int?
    var capacity: Int?
    var deadline: Timestamp? { nil }

    private var characteristic: PuckCharacteristic { dialect == .shipped ? .bottleConfig : .prdBottleConfig }

    func begin(at now: Timestamp, _ session: inout AppSession) -> ProcedureStep {
        .goOn([AppSession.read(characteristic)])
    }

    func take(_ input: ClientInput, at now: Timestamp, _ session: inout AppSession) -> ProcedureStep {
        if let fault = input.fault(at: characteristic) { return .done([TwinNote.failure(of: name, "\(fault)")]) }
        if let bytes = input.value(readFrom: characteristic) { return write(bytes, session) }
        return input == .written(characteristic.rawValue, nil) ? done : .goOn()
    }

    private func write(_ bytes: [UInt8], _ session: AppSession) -> ProcedureStep {
        switch dialect {
        case .shipped:
            guard let config = session.wire.value(of: bytes, as: .bottleConfig, BottleConfig.self),
                config.hasScaleInRange
            else { return .done([TwinNote.failure(of: name, "the puck is not calibrated")]) }
            var new = config
            new.goal = goal ?? config.goal
            return write(new, over: config, as: .bottleConfig, session)
        case .prd:
            guard let config = session.wire.value(of: bytes, as: .prdBottleConfig, PRDConfig.self) else {
                return .done([TwinNote.failure(of: name, "Bottle Config has another length than 6 or 8 bytes")])
            }
            var new = config
            new.goal = goal ?? config.goal
            new.capacity = capacity ?? config.capacity
            return write(new, over: config, as: .prdBottleConfig, session)
        }
    }

    /// Skips a write that would change nothing.
    private func write<Config: Encodable & Equatable>(
        _ new: Config, over old: Config, as kind: PuckWire.Kind, _ session: AppSession
    ) -> ProcedureStep {
        new == old ? done : .goOn([.write(characteristic.rawValue, session.wire.bytes(new, as: kind))])
    }

    /// Ends the procedure and commits what the puck has accepted to the bottle's row.
    private var done: ProcedureStep {
        var bottle = Record()
        if let goal { bottle.fields.append(("goal_ml", .integer(Int64(goal)))) }
        if let capacity { bottle.fields.append(("capacity_ml", .integer(Int64(capacity)))) }
        return .done([
            .event(TwinNote("\(name)_done", ["ml": .number(goal ?? capacity ?? 0)])),
            .commit([.set(bottle, in: PuckTables.bottles)]),
        ])
    }
}
