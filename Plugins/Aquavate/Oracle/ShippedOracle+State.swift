import Bluetooth
import Bytes
import PluginKit

/// Current State and Battery Level (sections 4.1 and 10.6).
extension ShippedOracle {
    mutating func adoptState(_ shown: ShownValue) -> Expectation {
        guard let reported = board.wire.value(of: shown.bytes, as: .currentState, CurrentState.self) else {
            return .value(shown.predicted ?? board.wire.bytes(firmware.state, as: .currentState))
        }
        let predicted = shown.predicted.flatMap { board.wire.value(of: $0, as: .currentState, CurrentState.self) }
        let isPush = shown.operation == .notify && predicted != nil
        // A push repeats the last evaluation. A value that differs from it by more was sent before the push.
        if isPush, reported.isNews(after: firmware.state) {
            return .nothing("the answer sends the last evaluation again")
        }
        if shown.operation == .read, known.hasState, reported == firmware.state { return .value(shown.bytes) }
        var wanted = reported
        if reported.isPush(of: CurrentState()) {
            wanted = unevaluated(reported)
        } else {
            fillMeasurement(&wanted, isPush ? predicted : nil, isEvaluation: shown.operation == .notify && !isPush)
            fillTime(&wanted, isEvaluation: shown.operation == .notify && !isPush)
            fillDrinks(&wanted, pushed: isPush ? predicted : nil)
        }
        if shown.operation == .notify, !isPush { known.isEvaluatedAnew = true }
        known.day.handle(reported, isEvaluation: shown.operation == .notify && !isPush)
        take(reported, isLive: shown.operation == .notify, isPush: isPush)
        return .value(board.wire.bytes(wanted, as: .currentState))
    }

    /// A puck that has not evaluated anything since its boot shows zeros, except for the number of records.
    private func unevaluated(_ reported: CurrentState) -> CurrentState {
        var wanted = known.isEvaluated ? firmware.state : CurrentState()
        let isOld = reported.unsynced == 0 || known.hasState && reported.unsynced == firmware.state.unsynced
        wanted.unsynced = isOld ? reported.unsynced : unsynced(orSooner: reported.unsynced)
        return wanted
    }

    /// Flags and readings of measurements (sections 4.1 and 9.4). Evaluations in calibration mode show a measurement,
    /// and its result only until that mode ends. Until the next evaluation, a read shows the state before the
    /// connection.
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

    /// The timestamp of an evaluation: once the time was set, it is known except for whole hours. An evaluation
    /// in flight when SET_TIME came shows the former time.
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

    /// The daily total, and the number of pending records: each drink adds one.
    private mutating func fillDrinks(_ wanted: inout CurrentState, pushed: CurrentState?) {
        let reported = wanted
        if isExplained(reported) { return }
        guard known.isUnsyncedKnown else {
            if known.totals?.contains(reported.dailyTotal) == false { wanted.dailyTotal = known.totals?.last ?? 0 }
            return
        }
        let gain = (reported.dailyTotal - (known.totals?.last ?? reported.dailyTotal)) & 0xFFFF
        if known.totals?.contains(reported.dailyTotal) != false {
            wanted.unsynced = unsynced(orSooner: reported.unsynced)
        } else if gain >= Self.leastDrink, gain < Self.mostDrink, pushed == nil {
            wanted.unsynced = min(board.unsynced + 1, DrinkStore.capacity)
        } else {
            wanted.dailyTotal = known.totals?.last ?? reported.dailyTotal
            wanted.unsynced = unsynced(orSooner: reported.unsynced)
        }
    }

    private static let leastDrink = 30
    /// ml; more than a bottle holds.
    private static let mostDrink = 1100

    /// Whether total and number of records are the previous ones, or those after some more drinks.
    private func isExplained(_ reported: CurrentState) -> Bool {
        let isOldCount = isFormer(reported.unsynced)
        let drinks = reported.unsynced - board.unsynced
        let isSameCount = !known.isUnsyncedKnown || drinks == 0 || isOldCount
        guard isWatching, let totals = known.totals, !isNewDay(reported) else {
            return isSameCount || drinks > 0
        }
        if isSameCount, totals.contains(reported.dailyTotal) { return true }
        return totals.contains { total in
            let gain = (reported.dailyTotal - total) & 0xFFFF
            if !known.isUnsyncedKnown { return (Self.leastDrink...Self.mostDrink).contains(gain) }
            let isFull = reported.unsynced == DrinkStore.capacity
            let count = drinks + (known.isDrinkAwaited ? 1 : 0)
            guard count > 0 || isFull || isOldCount else { return false }
            return gain >= Self.leastDrink * max(count, 1) && gain <= Self.mostDrink * max(count, 1)
        }
    }

    /// Whether the value may belong to a new day, which begins with a new total whenever the puck computes it.
    private func isNewDay(_ reported: CurrentState) -> Bool {
        known.day.day != nil && known.day.mayBeOfAnotherDay(at: reported)
    }

    /// The expected number of unsynced records, given the observed one: more than the known number only if their drinks
    /// have not been notified yet.
    func unsynced(orSooner reported: Int) -> Int {
        guard known.isUnsyncedKnown else { return reported }
        if isFormer(reported) { return reported }
        let drinks = reported - board.unsynced
        return drinks == 0 || drinks == 1 || drinks > 0 && !isWatching ? reported : board.unsynced
    }

    /// Whether this was the number of unsynced records until just now: a value in flight may still contain it.
    private func isFormer(_ count: Int) -> Bool {
        known.formerUnsynced.map { $0.count == count && board.now <= $0.until } ?? false
    }

    /// Applies an observed state. A read is as old as the last evaluation: it proves little about the number of
    /// records. A push repeats the previous total: it does not show the effect of a deletion.
    private mutating func take(_ reported: CurrentState, isLive: Bool, isPush: Bool) {
        firmware.state = reported
        known.hasState = true
        if reported.isPush(of: CurrentState()) { return }
        known.isEvaluated = true
        firmware.evaluatedLevel = reported.level ?? firmware.evaluatedLevel
        if isWatching, !isPush || known.totals != nil {
            let totals = known.totals ?? []
            let rest = totals.firstIndex(of: reported.dailyTotal).map { Array(totals[$0...]) }
            known.totals = rest ?? [reported.dailyTotal]
        } else {
            known.totals = nil
        }
        firmware.total = reported.dailyTotal
        known.isDrinkAwaited = false
        if isLive || known.isUnsyncedKnown, !isFormer(reported.unsynced) { follow(unsynced: reported.unsynced) }
    }

    /// Adopts the number of unsynced records.
    mutating func follow(unsynced count: Int) {
        board.memory.drinks.follow(unsynced: min(max(count, 0), DrinkStore.capacity))
        known.isUnsyncedKnown = true
    }

    // MARK: - Battery Level

    /// Battery Level is notified when it changes (section 4.11).
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
