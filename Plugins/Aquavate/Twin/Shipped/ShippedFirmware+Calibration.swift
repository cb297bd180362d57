import Bytes
import PluginKit

/// Both kinds of calibration (section 9).
extension ShippedFirmware {
    // MARK: Bottle-guided

    /// The calibration's part of a pass.
    mutating func serveCalibration(_ board: inout Board) {
        guard procedure.state != .idle, measurement == nil else { return }
        let wasActive = procedure.isActive
        perform(procedure.pass(isStill: gesture == .uprightStable, reading: reading, at: board.now), &board)
        // After the last screen comes the status.
        if procedure.state == .idle { isRedrawWanted = true }
        endCalibration(wasActive, &board)
    }

    /// Handles an inverted hold of the bottle: starts a calibration, or ends one.
    mutating func holdInverted(_ board: inout Board) {
        if procedure.isActive { abortCalibration(&board) } else { perform(procedure.start(at: board.now), &board) }
    }

    mutating func startCalibration(_ board: inout Board) {
        let effects = procedure.start(at: board.now)
        if !effects.isEmpty || board.quirks.shows(.sleeplessAfterCalibration) { isInCalibrationMode = true }
        perform(effects, &board)
    }

    mutating func abortCalibration(_ board: inout Board) {
        guard procedure.isActive else { return }
        measurement = nil
        perform(procedure.abort(at: board.now), &board)
        isRedrawWanted = true
        endCalibration(true, &board)
    }

    /// Takes a reading for the procedure.
    mutating func measure(_ board: inout Board) {
        guard let result = measurement?.take(board.surroundings.weigh()) else { return }
        measurement = nil
        nextPass = board.now
        if latched.contains(.cancelCalibration), !board.quirks.shows(.lateCancel) {
            latched.remove(.cancelCalibration)
            return abortCalibration(&board)
        }
        let wasActive = procedure.isActive
        perform(procedure.take(result, at: board.now), &board)
        endCalibration(wasActive, &board)
    }

    /// Handles the end of a calibration.
    private mutating func endCalibration(_ wasActive: Bool, _ board: inout Board) {
        guard wasActive, !procedure.isActive else { return }
        lastActivity = board.now
        if !board.quirks.shows(.sleeplessAfterCalibration) { isInCalibrationMode = false }
    }

    private mutating func perform(_ effects: [CalibrationProcedure.Effect], _ board: inout Board) {
        for effect in effects {
            switch effect {
            case .event(let state, draws: true): draw(&board, reporting: state)
            case .event(let state, draws: false): emit(state, &board)
            case .measure:
                board.powerUse.measure(readings: Measurement.count)
                measurement = Measurement(at: board.now, blocksLoop: board.quirks.shows(.blockedLoop))
            case .apply(let scale):
                calibration = scale
                board.memory.calibration = scale
                board.memory.isCalibrationValid = true
                board.store()
            }
        }
    }

    /// Notifies a state; without a client, the value stays as last notified.
    mutating func emit(_ state: CalibrationProcedure.State, _ board: inout Board) {
        board.emit("calibration", ["state": .text(state.name)])
        let bytes = board.wire.bytes(value(of: state, board), as: .calibrationState)
        if client != nil {
            board.notify(.calibrationState, bytes)
        } else if !board.quirks.shows(.staleCalibrationState) {
            board.set(.calibrationState, bytes)
        }
    }

    private func value(of state: CalibrationProcedure.State, _ board: Board) -> CalibrationValue {
        let hasReadings = state == .complete || !board.quirks.shows(.lateReadings)
        return CalibrationValue(
            state: .init(rawValue: state.rawValue), flags: .init(failed: state == .error),
            emptyAdc: hasReadings ? procedure.empty : 0, fullAdc: hasReadings ? procedure.full : 0)
    }

    // MARK: Client-driven

    /// A measurement in the Bluetooth task; the client waits for its end.
    struct PointMeasurement: Sendable {
        var measurement: Measurement
        /// The command to answer; nil for one without an answer.
        var ticket: TwinTicket?
    }

    mutating func startPoint(_ ticket: TwinTicket?, _ board: inout Board) {
        isInCalibrationMode = true
        pointResult = nil
        board.powerUse.measure(readings: Measurement.count)
        pointMeasurement = PointMeasurement(
            measurement: Measurement(at: board.now, blocksLoop: false), ticket: ticket)
        pushState(&board)
    }

    /// Takes a reading for the client, which never learns whether the result is stable.
    mutating func measurePoint(_ board: inout Board) {
        guard let result = pointMeasurement?.measurement.take(board.surroundings.weigh()) else { return }
        let ticket = pointMeasurement?.ticket
        pointMeasurement = nil
        pointResult = result.mean ?? 0
        pushState(&board)
        if let ticket { board.act(.answer(ticket, .accepted)) }
        serveDeferred(&board)
    }

    /// Handles CAL_SET_DATA.
    mutating func setCalibration(_ command: PuckCommand, _ board: inout Board) {
        guard command.isStoredCalibration, let scale = command.scale, let empty = command.emptyAdc,
            let full = command.fullAdc, scale.isFinite || board.quirks.shows(.takesNoNumber)
        else { return }
        let data = CellScale(scale: scale, empty: empty, full: full)
        board.memory.calibration = data
        board.memory.isCalibrationValid = !board.quirks.shows(.uninitialisedCalibration)
        if board.memory.isCalibrationValid { calibration = data }
        board.store()
        isInCalibrationMode = false
        pointResult = nil
        pushState(&board)
    }
}
