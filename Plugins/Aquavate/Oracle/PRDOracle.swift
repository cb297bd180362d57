import Bluetooth
import Bytes
import PluginKit

/// A model of a puck in the dialect `prd` that follows a real one: its answers, without its sensors (section 3.4).
struct PRDOracle: DeviceOracle {
    private var board: Board
    private var firmware: PRDFirmware
    private var isConfigKnown = false
    private var isCountKnown = false
    /// Whether a client has set the time, which may date records that had none.
    private var isTimeSet = false
    /// Whether a calibration may be under way, which ends with another tare (HB-13).
    private var isCalibrating = false
    /// Whether the client is subscribed to new records.
    private var isWatching = false
    /// IDs of the records whose content is known, and the highest of them.
    private var records: Set<Int> = []
    private var lastRecord = 0
    /// A drink that a read has shown while its notification is pending: its ID in the store, and the time of the read.
    private var unreported: (id: Int, since: Timestamp)?

    /// Maximum number of records in a read of Drink History (HB-3).
    private static let mostRecords = 20
    /// Maximum transit time of a notification.
    private static let crossing = Duration.seconds(5)

    init() throws(TwinFault) {
        let quirks = PuckQuirks(QuirkSelection(.fixed))
        board = try Board(following: .prd, quirks)
        firmware = PRDFirmware(.motion, &board)
        _ = board.takeActions()
    }

    var answered: Set<String> { Set(PRDFirmware.answered.map(\.rawValue)) }

    func patience(for characteristic: String) -> Duration { .seconds(5) }

    mutating func miss(_ characteristic: String) -> String? { nil }

    mutating func handle(_ input: TwinInput, at now: Timestamp) -> [TwinAction] {
        board.begin(at: now)
        switch input {
        case .subscribed(PuckCharacteristic.drinkHistory.rawValue, let subscription, _):
            isWatching = subscription.contains(.notifications)
        case .write(PuckCharacteristic.prdBottleConfig.rawValue, let bytes, _, _):
            if board.wire.value(of: bytes, as: .prdBottleConfig, PRDConfig.self) != nil { isConfigKnown = true }
        case .write(PuckCharacteristic.syncStatus.rawValue, let bytes, _, _):
            switch board.wire.value(of: bytes, as: .prdControl, PRDControl.self)?.opcode {
            case .setTime: isTimeSet = true
            case .startCalibration: isCalibrating = true
            default: break
            }
            // Unread records may be among the acknowledged ones.
            if let last = board.wire.value(of: bytes, as: .acknowledgement, Int.self),
                last > lastRecord || hasUnreadBeforeRead
            {
                isCountKnown = false
            }
        default: break
        }
        firmware.take(input, &board)
        return board.takeActions()
    }

    mutating func adopt(_ shown: ShownValue, at now: Timestamp) -> Expectation {
        board.begin(at: now)
        switch PuckCharacteristic(rawValue: shown.characteristic) {
        case .prdBottleConfig: return adoptConfig(shown)
        case .syncStatus: return adoptCount(shown, at: now)
        case .drinkHistory: return shown.operation == .read ? adoptHistory(shown, at: now) : adoptRecord(shown, at: now)
        case .deviceStatus:
            let status = board.wire.value(of: shown.bytes, as: .deviceStatus, PRDStatus.self)
            if isCalibrating, status?.calibration == .idle { (isCalibrating, isConfigKnown) = (false, false) }
            return .value(shown.bytes)
        default: return .value(shown.bytes)
        }
    }

    /// Whether an older unsynced record has not been read or notified although a newer one has.
    private var hasUnreadBeforeRead: Bool {
        let areRead = board.memory.drinks.pending(limit: DrinkStore.capacity).map { records.contains($0.id) }
        return areRead.lastIndex(of: true).map { areRead[..<$0].contains(false) } ?? false
    }

    // MARK: - Values

    private mutating func adoptConfig(_ shown: ShownValue) -> Expectation {
        guard !isConfigKnown || isCalibrating,
            let reported = board.wire.value(of: shown.bytes, as: .prdBottleConfig, PRDConfig.self)
        else { return .value(shown.predicted ?? shown.bytes) }
        board.memory.required = reported
        isConfigKnown = true
        return .value(shown.bytes)
    }

    private mutating func adoptCount(_ shown: ShownValue, at now: Timestamp) -> Expectation {
        guard let reported = board.wire.value(of: shown.bytes, as: .pendingCount, Int.self) else {
            return .value(shown.predicted ?? [])
        }
        // A drink was notified between the request and its response.
        if shown.bytes == shown.predicted, reported < board.unsynced { return .value(shown.bytes) }
        let drinks = reported - board.unsynced
        let isFine = !isCountKnown || drinks == 0 || drinks == 1 || drinks > 0 && !isWatching
        let wanted = isFine ? shown.bytes : shown.predicted ?? shown.bytes
        follow(min(reported, DrinkStore.capacity), at: now)
        isCountKnown = true
        return .value(wanted)
    }

    /// Adopts the device's number of unsynced records. If it rose by one, the new record is still to be notified.
    private mutating func follow(_ count: Int, at now: Timestamp) {
        let isMore = isCountKnown && isWatching && count == board.unsynced + 1
        board.memory.drinks.follow(unsynced: count)
        if isMore { unreported = board.memory.drinks.drinks.last.map { ($0.id, now) } }
    }

    /// The oldest pending records, with the content of earlier reads.
    private mutating func adoptHistory(_ shown: ShownValue, at now: Timestamp) -> Expectation {
        guard let reported = board.wire.value(of: shown.bytes, as: .drinkHistory, PRDHistory.self) else {
            return .value(shown.predicted ?? [])
        }
        let count = reported.records.count
        let isFine = !isCountKnown || count > board.unsynced && (!isWatching || count == board.unsynced + 1)
        if isFine, count <= Self.mostRecords, count > board.unsynced || !isCountKnown {
            if count < Self.mostRecords || count > board.unsynced { follow(count, at: now) }
            isCountKnown = count < Self.mostRecords
        }
        let wanted = board.memory.drinks.pending(limit: Self.mostRecords).enumerated().map { place, drink in
            guard reported.records.indices.contains(place) else { return drink }
            if records.contains(drink.id) { return dated(drink, as: reported.records[place]) }
            let found = learn(reported.records[place])
            board.memory.drinks.replace(drink.id, by: found)
            if unreported?.id == drink.id { unreported?.id = found.id }
            return found
        }
        return .value(
            board.wire.bytes(PRDHistory(records: wanted.map { PRDRecord($0) }), as: .drinkHistory))
    }

    /// A record that was just stored (HB-6); a read may have shown it before.
    private mutating func adoptRecord(_ shown: ShownValue, at now: Timestamp) -> Expectation {
        guard let reported = board.wire.value(of: shown.bytes, as: .drinkHistory, PRDHistory.self),
            let record = reported.records.first, reported.records.count == 1
        else { return .nothing("one record is told when it is stored") }
        let awaited = unreported.flatMap { now - $0.since <= Self.crossing ? $0.id : nil }
        unreported = nil
        var drink =
            board.memory.drinks.drinks.first { $0.id == awaited }
            ?? board.memory.drinks.store(timestamp: 0, amount: 0, level: 0)
        if !records.contains(drink.id) {
            let place = drink.id
            drink = learn(record)
            board.memory.drinks.replace(place, by: drink)
        }
        return .value(board.wire.bytes(PRDHistory(records: [PRDRecord(drink)]), as: .drinkHistory))
    }

    /// A known record: without a time, it gets one once the time is set (HB-12).
    private mutating func dated(_ drink: StoredDrink, as record: PRDRecord) -> StoredDrink {
        guard isTimeSet, drink.timestamp == 0, record.recordId == drink.id else { return drink }
        var dated = drink
        dated.timestamp = record.timestamp
        board.memory.drinks.replace(drink.id, by: dated)
        return dated
    }

    /// Converts a record to a stored drink: pending, and with an ID above the earlier ones.
    private mutating func learn(_ record: PRDRecord) -> StoredDrink {
        let drink = StoredDrink(
            id: max(record.recordId, lastRecord + 1), timestamp: record.timestamp, amount: record.amount,
            level: record.bottleLevel)
        lastRecord = drink.id
        if records.count < DrinkStore.capacity { records.insert(drink.id) }
        return drink
    }
}
