import Bluetooth
import Bytes
import PluginKit

/// Current State and Battery Level (sections 4.1 and 10.6).
extension ShippedOracle {
    mutating func adoptState(_ shown: ShownValue) -> Expectation {
        guard let told = board.wire.value(of: shown.bytes, as: .currentState, CurrentState.self) else {
            return .value(shown.predicted ?? board.wire.bytes(firmware.state, as: .currentState))
        }
        let predicted = shown.predicted.flatMap { board.wire.value(of: $0, as: .currentState, CurrentState.self) }
        let isPush = shown.operation == .notify && predicted != nil
        // A push shows what was evaluated last; what differs by more was on its way before it.
        if isPush, told.isNews(after: firmware.state) { return .nothing("the answer sends the last evaluation again") }
        if shown.operation == .read, known.hasState, told == firmware.state { return .value(shown.bytes) }
        var wanted = told
        if told.isPush(of: CurrentState()) {
            wanted = unevaluated(told)
        } else {
            fillMeasurement(&wanted, isPush ? predicted : nil, isEvaluation: shown.operation == .notify && !isPush)
            fillTime(&wanted, isEvaluation: shown.operation == .notify && !isPush)
            fillDrinks(&wanted, pushed: isPush ? predicted : nil)
        }
        if shown.operation == .notify, !isPush { known.isEvaluatedAnew = true }
        known.day.take(told, isEvaluation: shown.operation == .notify && !isPush)
        take(told, isLive: shown.operation == .notify, isPush: isPush)
        return .value(board.wire.bytes(wanted, as: .currentState))
    }

    /// A puck that has evaluated nothing since its boot tells zeros, but for the number of records.
    private func unevaluated(_ told: CurrentState) -> CurrentState {
        var wanted = known.isEvaluated ? firmware.state : CurrentState()
        let isOld = told.unsynced == 0 || known.hasState && told.unsynced == firmware.state.unsynced
        wanted.unsynced = isOld ? told.unsynced : unsynced(orSooner: told.unsynced)
        return wanted
    }

    /// Flags and readings of measurements (sections 4.1 and 9.4). A measurement is shown by evaluations of calibration
    /// mode, and its result no longer than that; until the next evaluation, a read shows what was before the connection.
    private func fillMeasurement(_ wanted: inout CurrentState, _ predicted: CurrentState?, isEvaluation: Bool) {
        let mayMeasure = firmware.isInCalibrationMode || known.calibrationModeEnd.map { board.now < $0 } == true
        if let flags = predicted?.flags {
            wanted.flags.calMeasuring = flags.calMeasuring
            wanted.flags.calResult = flags.calResult
        } else if !mayMeasure, isEvaluation || known.isEvaluatedAnew {
            wanted.flags.calMeasuring = !isEvaluation && firmware.state.flags.calMeasuring
            wanted.flags.calResult = !isEvaluation && firmware.state.flags.calResult
        }
        guard !wanted.flags.calResult, let weight = wanted.weight else { return }
        wanted.rawAdc = nil
        if wanted.flags.calibrated {
            wanted.level = min(max(weight, 0), CellScale.capacity)
        } else {
            wanted.weight = 0
            wanted.level = 0
        }
    }

    /// The timestamp of an evaluation: once the time was set, it is known but for hours. An evaluation that was on
    /// its way when SET_TIME came shows the former time.
    private mutating func fillTime(_ wanted: inout CurrentState, isEvaluation: Bool) {
        guard let timeSet = known.timeSet, isEvaluation, board.now - timeSet >= Self.crossing else { return }
        wanted.flags.timeValid = true
        let seconds = board.clock.seconds(at: board.now)
        let hours = known.hours ?? Int((Double(wanted.timestamp - seconds) / 3600).rounded())
        guard abs(wanted.timestamp - seconds - hours * 3600) > 5 || !(-12...14).contains(hours) else {
            known.hours = hours
            return
        }
        wanted.timestamp = Board.field(seconds + (known.hours ?? 0) * 3600)
    }

    /// What was drunk, and how many records wait: each drink adds one.
    private mutating func fillDrinks(_ wanted: inout CurrentState, pushed: CurrentState?) {
        let told = wanted
        if isExplained(told) { return }
        guard known.isUnsyncedKnown else {
            if known.totals?.contains(told.dailyTotal) == false { wanted.dailyTotal = known.totals?.last ?? 0 }
            return
        }
        let gain = (told.dailyTotal - (known.totals?.last ?? told.dailyTotal)) & 0xFFFF
        if known.totals?.contains(told.dailyTotal) != false {
            wanted.unsynced = unsynced(orSooner: told.unsynced)
        } else if gain >= Self.leastDrink, gain < Self.mostDrink, pushed == nil {
            wanted.unsynced = min(board.unsynced + 1, DrinkStore.capacity)
        } else {
            wanted.dailyTotal = known.totals?.last ?? told.dailyTotal
            wanted.unsynced = unsynced(orSooner: told.unsynced)
        }
    }

    private static let leastDrink = 30
    /// More than a bottle holds.
    private static let mostDrink = 1100

    /// Whether total and number of records are those of before, or some drinks later.
    private func isExplained(_ told: CurrentState) -> Bool {
        let isOldCount = isFormer(told.unsynced)
        let drinks = told.unsynced - board.unsynced
        let isSameCount = !known.isUnsyncedKnown || drinks == 0 || isOldCount
        guard isWatching, let totals = known.totals, !isNewDay(told) else {
            return isSameCount || drinks > 0
        }
        if isSameCount, totals.contains(told.dailyTotal) { return true }
        return totals.contains { total in
            let gain = (told.dailyTotal - total) & 0xFFFF
            if !known.isUnsyncedKnown { return (Self.leastDrink...Self.mostDrink).contains(gain) }
            let isFull = told.unsynced == DrinkStore.capacity
            let count = drinks + (known.isDrinkAwaited ? 1 : 0)
            guard count > 0 || isFull || isOldCount else { return false }
            return gain >= Self.leastDrink * max(count, 1) && gain <= Self.mostDrink * max(count, 1)
        }
    }

    /// A day begins with a total of its own, whenever that is computed.
    private func isNewDay(_ told: CurrentState) -> Bool {
        known.day.day != nil && known.day.mayBeOfAnotherDay(at: told)
    }

    /// The number of unsynced records that should be told in place of one: more than are known only if their drinks have
    /// not been told yet.
    func unsynced(orSooner told: Int) -> Int {
        guard known.isUnsyncedKnown else { return told }
        if isFormer(told) { return told }
        let drinks = told - board.unsynced
        return drinks == 0 || drinks == 1 || drinks > 0 && !isWatching ? told : board.unsynced
    }

    /// Whether so many records were not synced until just now, as a value that was on its way may tell.
    private func isFormer(_ count: Int) -> Bool {
        known.formerUnsynced.map { $0.count == count && board.now <= $0.until } ?? false
    }

    /// What is read is as old as the last evaluation: it says little of how many records there are.
    /// A push sends the total of before: it does not say what a deletion has left.
    private mutating func take(_ told: CurrentState, isLive: Bool, isPush: Bool) {
        firmware.state = told
        known.hasState = true
        if told.isPush(of: CurrentState()) { return }
        known.isEvaluated = true
        firmware.evaluatedLevel = told.level ?? firmware.evaluatedLevel
        if isWatching, !isPush || known.totals != nil {
            let totals = known.totals ?? []
            let rest = totals.firstIndex(of: told.dailyTotal).map { Array(totals[$0...]) }
            known.totals = rest ?? [told.dailyTotal]
        } else {
            known.totals = nil
        }
        firmware.total = told.dailyTotal
        known.isDrinkAwaited = false
        if isLive || known.isUnsyncedKnown, !isFormer(told.unsynced) { follow(unsynced: told.unsynced) }
    }

    /// So many records are not synced.
    mutating func follow(unsynced count: Int) {
        board.memory.drinks.follow(unsynced: min(max(count, 0), DrinkStore.capacity))
        known.isUnsyncedKnown = true
    }

    // MARK: - Battery Level

    /// It is told when it changes (section 4.11).
    mutating func adoptBattery(_ shown: ShownValue) -> Expectation {
        guard let percent = shown.bytes.first, shown.bytes.count == 1 else {
            return .value([UInt8(clamping: known.battery ?? 0)])
        }
        let isSame = known.battery == Int(percent)
        if shown.operation == .notify, isSame { return .nothing("the level has not changed") }
        if shown.operation == .read, !isSame, let battery = known.battery { return .value([UInt8(clamping: battery)]) }
        if known.subscriptions.contains(.batteryLevel) { known.battery = Int(percent) }
        return .value([min(percent, 100)])
    }
}
