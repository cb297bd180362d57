import Bytes
import PluginKit

/// Commands that the loop carries out; several of a kind, once (section 5.2).
enum LatchedCommand: Hashable, Sendable {
    case tare, resetDaily, clearHistory, redraw, startCalibration, cancelCalibration
}

/// Writes to Command (section 5).
extension ShippedFirmware {
    /// Handles a write; returns whether the answer comes later.
    mutating func take(command bytes: [UInt8], _ ticket: TwinTicket?, _ board: inout Board) -> Bool {
        let command = board.wire.value(of: bytes, as: .command, PuckCommand.self)
        mark(command, board)
        guard let command, let kind = command.kind else { return false }
        switch kind {
        case .tareNow: latched.insert(.tare)
        case .ping: break
        case .calMeasurePoint:
            startPoint(ticket, &board)
            return true
        case .calSetData: setCalibration(command, &board)
        case .resetDaily: latched.insert(.resetDaily)
        case .clearHistory: latched.insert(.clearHistory)
        case .setTime: setTime(command.time ?? 0, &board)
        case .setDailyTotal: latched.insert(.redraw)
        case .deleteDrink: delete(command.recordId ?? 0, &board)
        case .startCalibration: latched.insert(.startCalibration)
        case .cancelCalibration: latched.insert(.cancelCalibration)
        case .getActivitySummary, .getMotionChunk, .getBackpackChunk: answer(kind, chunk: command.chunk ?? 0, &board)
        case .unnamed: break
        }
        return false
    }

    /// Marks activity: any write keeps the puck awake, but SET_TIME cancels that, even for an earlier write.
    private mutating func mark(_ command: PuckCommand?, _ board: Board) {
        if board.quirks.shows(.anyWriteIsActivity) {
            isActivityMarked = command?.kind != .setTime
        } else if let kind = command?.kind, kind != .setTime {
            isActivityMarked = true
        }
    }

    // MARK: In the Bluetooth task

    private mutating func setTime(_ time: Int, _ board: inout Board) {
        board.clock.set(time, at: board.now)
        board.memory.isTimeValid = true
        board.emit("time_set", ["time": .number(time)])
        board.saveTime()
    }

    /// Confirms a deletion whether the drink exists or not, with the previous total.
    private mutating func delete(_ id: Int, _ board: inout Board) {
        let isKnown = board.memory.drinks.delete(id)
        if isKnown {
            total = board.total
            isRedrawWanted = true
            board.emit("drink_deleted", ["id": .number(id)])
            board.store()
        }
        if !board.quirks.shows(.staleDeleteTotal) {
            guard isKnown else { return }
            state.dailyTotal = total & 0xFFFF
        }
        pushState(&board)
    }

    /// Notifies activity statistics; nothing for a chunk that does not exist.
    private mutating func answer(_ kind: PuckCommand.Kind, chunk index: Int, _ board: inout Board) {
        let log = board.activity
        let bytes: [UInt8]? =
            switch kind {
            case .getMotionChunk: log.motionChunk(index).map { board.wire.bytes($0, as: .motionChunk) }
            case .getBackpackChunk: log.backpackChunk(index).map { board.wire.bytes($0, as: .backpackChunk) }
            default: board.wire.bytes(log.summary(isTimeValid: board.memory.isTimeValid), as: .activitySummary)
            }
        if let bytes { board.notify(.activityStats, bytes) }
    }

    // MARK: In the loop

    mutating func serveCommands(_ board: inout Board) {
        let commands = latched
        latched = []
        if commands.contains(.tare) { tare(&board) }
        if commands.contains(.resetDaily) { resetDaily(&board) }
        if commands.contains(.clearHistory) { clearHistory(&board) }
        if commands.contains(.redraw) {
            isRedrawWanted = true
            lastActivity = board.now
        }
        if commands.contains(.startCalibration) { startCalibration(&board) }
        if commands.contains(.cancelCalibration) {
            if measurement != nil, board.quirks.shows(.lateCancel) {
                latched.insert(.cancelCalibration)
            } else {
                abortCalibration(&board)
            }
        }
    }

    /// Takes the bottle as it stands for the empty one.
    private mutating func tare(_ board: inout Board) {
        guard var scale = calibration else { return }
        scale.rebase(empty: board.weigh())
        calibration = scale
        board.memory.calibration = scale
        board.memory.isCalibrationValid = true
        lastActivity = board.now
        board.emit("tared")
        board.store()
    }

    private mutating func resetDaily(_ board: inout Board) {
        board.memory.drinks.deleteAll(since: board.dayStart)
        total = 0
        lastActivity = board.now
        isRedrawWanted = true
        board.emit("day_reset")
        board.store()
    }

    private mutating func clearHistory(_ board: inout Board) {
        board.memory.drinks.clear(restartsIDs: board.quirks.shows(.clearRestartsIDs))
        board.rebase(0, isKept: true)
        total = 0
        lastActivity = board.now
        isRedrawWanted = true
        board.emit("history_cleared")
        board.store()
        if !board.quirks.shows(.silentClear) { pushState(&board) }
    }
}
