import Bluetooth
import Bytes
import PluginKit

/// The drinks of a capture: each drink that a puck sent, once, with the deletions of the capture applied; and the goals
/// of its pucks. Offsets from UTC are those that the pucks' states show, as a sync learns them.
struct CapturedDrinks {
    private(set) var drinks: [Drink] = []
    /// Goals that pucks sent or accepted, without repetitions.
    private(set) var goals: [GoalHistory.Change] = []
    private let wire: PuckWire
    /// Indexes in `drinks`; several pucks can have identical drinks.
    private var places: [Key: [Int]] = [:]
    /// Last goals of the pucks, by index of the device.
    private var lastGoals: [Int: Int] = [:]
    /// Of each drink, when it was sent, in seconds since 1970, and its puck's offset as far as it was known then.
    private var arrivals: [(time: Int64, offset: Int?)] = []
    /// Clocks of the pucks, and the first offset that each showed, by address.
    private var clocks: [String: ClockOffset] = [:]
    private var firstOffsets: [String: Int] = [:]

    private struct Key: Hashable {
        let recordID: Int64
        let timestamp: Int64
        let amount: Int64
    }

    private static let command = Dialect.shipped.characteristic(5)
    private static let currentState = Dialect.shipped.characteristic(1)
    private static let drinkData = Dialect.shipped.characteristic(4)
    private static let bottleConfig = Dialect.shipped.characteristic(2)
    private static let prdBottleConfig = Dialect.prd.characteristic(0xF2)

    /// The characteristics that carry goals.
    private static let configurations = [bottleConfig, prdBottleConfig]
    /// The characteristics that carry drinks.
    static let histories = [drinkData, Dialect.prd.characteristic(0xF3)]
    /// The characteristics that carry drinks, goals and the puck's time.
    static let characteristics = histories + configurations + [currentState]
    /// The characteristics that deletions, the time and goals are written to.
    static let writtenCharacteristics = [command] + configurations

    init(_ values: [ObservedValue]) throws(TwinFault) {
        wire = try PuckWire()
        for value in values {
            // A device recorded at its own controller may have no address.
            let device = value.peer.address ?? ""
            switch value.type {
            case Self.command: follow(value, device)
            case Self.currentState: learnOffset(from: value, device)
            case Self.bottleConfig, Self.prdBottleConfig: learn(goal(of: value), from: value)
            case Self.drinkData: for drink in drinks(inChunk: value.value, device) { add(drink, value) }
            default:
                let history = wire.value(of: value.value, as: .drinkHistory, PRDHistory.self)
                for record in history?.records ?? [] {
                    add(
                        Drink(
                            device: device, recordID: Int64(record.recordId), time: Int64(record.timestamp),
                            amount: Int64(record.amount), level: Int64(record.bottleLevel)), value)
                }
            }
        }
        for (place, arrival) in arrivals.enumerated() {
            drinks[place].setTime(
                timestamp: drinks[place].time, offset: Int64(arrival.offset ?? firstOffsets[drinks[place].device] ?? 0),
                received: arrival.time >= RecordTime.earliest ? arrival.time : nil)
        }
    }

    private mutating func learnOffset(from value: ObservedValue, _ device: String) {
        guard let state = wire.value(of: value.value, as: .currentState, CurrentState.self) else { return }
        clocks[device, default: ClockOffset()].learn(stateTime: state.timestamp, received: value.time.wholeSeconds)
        if firstOffsets[device] == nil { firstOffsets[device] = clocks[device]?.seconds }
    }

    /// The drinks of a chunk; of a truncated chunk, only the complete ones.
    private func drinks(inChunk bytes: [UInt8], _ device: String) -> [Drink] {
        if DrinkChunkValue.isLegacy(bytes) {
            let chunk = wire.value(of: bytes, as: .legacyDrinkChunk, DeviceProfile.LegacyDrinkChunk.self)
            return (chunk?.legacyRecords ?? []).map {
                Drink(
                    device: device, recordID: 0, time: Int64($0.timestamp), amount: Int64($0.amount),
                    level: Int64($0.levelAfter), isDeleted: $0.flags.deleted)
            }
        }
        let chunk = wire.value(of: DrinkChunkValue.wholeRecords(of: bytes), as: .drinkChunk, DrinkChunkValue.self)
        return (chunk?.records ?? []).map {
            Drink(
                device: device, recordID: Int64($0.recordId), time: Int64($0.timestamp), amount: Int64($0.amount),
                level: Int64($0.levelAfter), isDeleted: $0.flags.deleted)
        }
    }

    /// Adds a drink unless known. A recording of both ends has each value twice, at one end without an address.
    private mutating func add(_ drink: Drink, _ value: ObservedValue) {
        let key = Key(recordID: drink.recordID, timestamp: drink.time, amount: drink.amount)
        for place in places[key] ?? [] {
            let known = drinks[place].device
            guard known == drink.device || known.isEmpty || drink.device.isEmpty else { continue }
            if known.isEmpty { drinks[place].device = drink.device }
            return
        }
        places[key, default: []].append(drinks.count)
        drinks.append(drink)
        arrivals.append((Int64(value.time.wholeSeconds), clocks[drink.device]?.seconds))
    }

    /// The goal of a Bottle Config that was read, or that the puck accepts (section 4.2); nil if it has none.
    private func goal(of value: ObservedValue) -> Int? {
        guard value.type == Self.bottleConfig else {
            return wire.value(of: value.value, as: .prdBottleConfig, PRDConfig.self)?.goal
        }
        guard let config = wire.value(of: value.value, as: .bottleConfig, BottleConfig.self) else { return nil }
        if value.operation != .write { return config.goal }
        return config.isAccepted ? config.clampedGoal : nil
    }

    /// Adds a puck's goal unless it is the puck's last one.
    private mutating func learn(_ goal: Int?, from value: ObservedValue) {
        guard let goal, lastGoals.updateValue(goal, forKey: value.peer.index) != goal else { return }
        goals.append(.init(time: Int64(value.time.wholeSeconds), goal: Int64(goal)))
    }

    /// Marks the drinks that a command deletes (section 5.2).
    private mutating func follow(_ value: ObservedValue, _ device: String) {
        guard let command = wire.value(of: value.value, as: .command, PuckCommand.self) else { return }
        switch command.kind {
        case .deleteDrink:
            // The last drink with the ID: IDs may have restarted.
            guard let id = command.recordId, id > 0,
                let place = drinks.lastIndex(where: { $0.device == device && $0.recordID == Int64(id) })
            else { return }
            drinks[place].isDeleted = true
        case .setTime: clocks[device, default: ClockOffset()].beginConnection()
        case .resetDaily:
            let start = Int64(PuckTables.dayStart(at: value.time.wholeSeconds + (clocks[device]?.seconds ?? 0)))
            for place in drinks.indices
            where drinks[place].device == device && (start..<start + 86_400).contains(drinks[place].time) {
                drinks[place].isDeleted = true
            }
        default: break
        }
    }
}
