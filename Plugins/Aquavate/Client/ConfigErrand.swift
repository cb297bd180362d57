import Bytes
import PluginKit

/// Sets the goal of a day: Bottle Config is read, and written back with another goal.
struct GoalErrand: Errand {
    let name = "set_goal"
    /// ml.
    let goal: Int
    let dialect: Dialect
    var deadline: Timestamp? { nil }

    private var characteristic: PuckCharacteristic { dialect == .shipped ? .bottleConfig : .requiredConfig }

    func begin(at now: Timestamp, _ visit: inout Visit) -> ErrandStep { .goOn([Visit.read(characteristic)]) }

    func take(_ input: ClientInput, at now: Timestamp, _ visit: inout Visit) -> ErrandStep {
        if let fault = input.fault(at: characteristic) { return .done([TwinNote.failure(of: name, "\(fault)")]) }
        if let bytes = input.value(readFrom: characteristic) { return write(bytes, visit) }
        guard input == .written(characteristic.rawValue, nil) else { return .goOn() }
        return .done([.tell(TwinNote("set_goal_done", ["ml": .number(goal)]))])
    }

    private func write(_ bytes: [UInt8], _ visit: Visit) -> ErrandStep {
        switch dialect {
        case .shipped:
            guard var config = visit.wire.value(of: bytes, as: .bottleConfig, BottleConfig.self),
                config.hasScaleInRange
            else { return .done([TwinNote.failure(of: name, "the puck is not calibrated")]) }
            if config.goal == goal { return unchanged }
            config.goal = goal
            return .goOn([.write(characteristic.rawValue, visit.wire.bytes(config, as: .bottleConfig))])
        case .prd:
            guard var config = visit.wire.value(of: bytes, as: .requiredConfig, RequiredConfig.self) else {
                return .done([TwinNote.failure(of: name, "Bottle Config has another length than 6 or 8 bytes")])
            }
            if config.goal == goal { return unchanged }
            config.goal = goal
            return .goOn([.write(characteristic.rawValue, visit.wire.bytes(config, as: .requiredConfig))])
        }
    }

    /// What changes nothing is not written.
    private var unchanged: ErrandStep { .done([.tell(TwinNote("set_goal_done", ["ml": .number(goal)]))]) }
}
