import Bluetooth
import Bytes
import PluginKit

/// Calibration State (section 9): the client's commands, time and the bottle lead from state to state.
extension ShippedOracle {
    mutating func adoptCalibration(_ shown: ShownValue) -> Expectation {
        guard let told = board.wire.value(of: shown.bytes, as: .calibrationState, CalibrationValue.self) else {
            return .value(shown.predicted ?? [])
        }
        if shown.operation == .read {
            // A read returns the last notified value.
            let isStale = board.quirks.shows(.staleCalibrationState)
            let wanted = isStale ? known.calibrationValue ?? shown.bytes : shown.bytes
            known.calibrationValue = wanted
            return .value(wanted)
        }
        known.calibrationValue = shown.bytes
        if let state = CalibrationProcedure.State(rawValue: told.state.rawValue), crossesCancellation(state) {
            follow(state, told)
            return .value(board.wire.bytes(value(of: state, told), as: .calibrationState))
        }
        if let predicted = shown.predicted {
            if predicted == shown.bytes { known.isCalibrationKnown = true }
            guard var wanted = board.wire.value(of: predicted, as: .calibrationState, CalibrationValue.self) else {
                return .value(predicted)
            }
            if wanted.state == .triggered {
                // A calibration started at the bottle just as START came still has the previous readings.
                let isCrossing = known.started.map { board.now - $0 < Self.crossing } ?? false
                known.isBegunAtBottle = isCrossing && (told.emptyAdc, told.fullAdc) != (0, 0)
            }
            if known.isBegunAtBottle || !board.quirks.shows(.lateReadings) {
                (wanted.emptyAdc, wanted.fullAdc) = (told.emptyAdc, told.fullAdc)
            }
            return .value(board.wire.bytes(wanted, as: .calibrationState))
        }
        guard let state = CalibrationProcedure.State(rawValue: told.state.rawValue),
            canFollow(state, from: firmware.procedure.state)
        else {
            return .nothing("the calibration is in state \(firmware.procedure.state.name)")
        }
        if state == .triggered { known.isBegunAtBottle = known.isCalibrationKnown }
        follow(state, told)
        return .value(board.wire.bytes(value(of: state, told), as: .calibrationState))
    }

    /// Whether a state crossed CANCEL_CALIBRATION: a measurement that has begun runs to its end (9.2).
    private func crossesCancellation(_ state: CalibrationProcedure.State) -> Bool {
        guard let cancelled = known.cancelled, board.now - cancelled < Self.crossing, state != .idle else {
            return false
        }
        return firmware.procedure.state == .idle && known.isCalibrationKnown
            && canFollow(state, from: known.cancelledState)
    }

    /// Whether the bottle, or the end of a measurement, can lead from one state to another.
    private func canFollow(_ state: CalibrationProcedure.State, from former: CalibrationProcedure.State) -> Bool {
        guard known.isCalibrationKnown else { return true }
        let time = firmware.procedure.time(at: board.now)
        return switch (former, state) {
        case (.idle, .triggered), (.complete, .triggered), (.error, .triggered), (.triggered, .started): true
        case (.started, .waitEmpty): time >= .milliseconds(2900)
        case (.waitEmpty, .measureEmpty), (.measureEmpty, .waitFull), (.measureEmpty, .waitEmpty): true
        case (.waitFull, .measureFull), (.measureFull, .waitFull), (.measureFull, .complete), (.measureFull, .error):
            true
        case (.waitEmpty, .error): time >= .seconds(59)
        case (.waitFull, .error): time >= .seconds(119)
        case (let former, .idle): former != .idle && former != .complete && former != .error
        default: false
        }
    }

    private mutating func follow(_ state: CalibrationProcedure.State, _ told: CalibrationValue) {
        known.isCalibrationKnown = true
        firmware.procedure.follow(state, empty: told.emptyAdc, full: told.fullAdc, at: board.now)
        let measures = state == .measureEmpty || state == .measureFull
        firmware.measurement = measures ? Measurement(at: board.now, blocksLoop: false) : nil
        guard state == .complete, told.fullAdc > told.emptyAdc else { return }
        let scale = Float(told.fullAdc - told.emptyAdc) / Float(CellScale.capacity)
        board.memory.calibration = CellScale(scale: scale, empty: told.emptyAdc, full: told.fullAdc)
        board.memory.isCalibrationValid = true
        // The firmware computes the scale with fewer digits.
        known.isConfigKnown = false
    }

    /// The value of a state: with readings when it is complete.
    private func value(of state: CalibrationProcedure.State, _ told: CalibrationValue) -> CalibrationValue {
        var value = CalibrationValue(
            state: .init(rawValue: state.rawValue), flags: .init(failed: state == .error), emptyAdc: 0, fullAdc: 0)
        if state == .complete || known.isBegunAtBottle || !board.quirks.shows(.lateReadings) {
            (value.emptyAdc, value.fullAdc) = (told.emptyAdc, told.fullAdc)
        }
        if state == .complete { value.fullAdc = max(value.fullAdc, value.emptyAdc + 1) }
        return value
    }
}
