import Bluetooth
import Bytes
import PluginKit

/// Calibration State (section 9): the client's commands, time and the bottle lead from state to state.
extension ShippedOracle {
    mutating func adoptCalibration(_ shown: ShownValue) -> Expectation {
        guard let reported = board.wire.value(of: shown.bytes, as: .calibrationState, CalibrationValue.self) else {
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
        if let state = CalibrationProcedure.State(rawValue: reported.state.rawValue), crossesCancellation(state) {
            follow(state, reported)
            return .value(board.wire.bytes(value(of: state, reported), as: .calibrationState))
        }
        if let predicted = shown.predicted {
            if predicted == shown.bytes { known.isCalibrationKnown = true }
            guard var wanted = board.wire.value(of: predicted, as: .calibrationState, CalibrationValue.self) else {
                return .value(predicted)
            }
            if wanted.state == .triggered {
                // A calibration started at the bottle just as START came still has the previous readings.
                let isCrossing = known.started.map { board.now - $0 < Self.crossing } ?? false
                known.isBegunAtBottle = isCrossing && (reported.emptyAdc, reported.fullAdc) != (0, 0)
            }
            if known.isBegunAtBottle || !board.quirks.shows(.lateReadings) {
                (wanted.emptyAdc, wanted.fullAdc) = (reported.emptyAdc, reported.fullAdc)
            }
            return .value(board.wire.bytes(wanted, as: .calibrationState))
        }
        guard let state = CalibrationProcedure.State(rawValue: reported.state.rawValue),
            canFollow(state, from: firmware.procedure.state)
        else {
            return .nothing("the calibration is in state \(firmware.procedure.state.name)")
        }
        if state == .triggered { known.isBegunAtBottle = known.isCalibrationKnown }
        follow(state, reported)
        return .value(board.wire.bytes(value(of: state, reported), as: .calibrationState))
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

    private mutating func follow(_ state: CalibrationProcedure.State, _ reported: CalibrationValue) {
        known.isCalibrationKnown = true
        firmware.procedure.follow(state, empty: reported.emptyAdc, full: reported.fullAdc, at: board.now)
        let measures = state == .measureEmpty || state == .measureFull
        firmware.measurement = measures ? Measurement(at: board.now, blocksLoop: false) : nil
        guard state == .complete, reported.fullAdc > reported.emptyAdc else { return }
        let scale = Float(reported.fullAdc - reported.emptyAdc) / Float(CellScale.capacity)
        board.memory.calibration = CellScale(scale: scale, empty: reported.emptyAdc, full: reported.fullAdc)
        board.memory.isCalibrationValid = true
        // The firmware computes the scale with fewer digits.
        known.isConfigKnown = false
    }

    /// The value of a state: with readings when it is complete.
    private func value(of state: CalibrationProcedure.State, _ reported: CalibrationValue) -> CalibrationValue {
        var value = CalibrationValue(
            state: .init(rawValue: state.rawValue), flags: .init(failed: state == .error), emptyAdc: 0, fullAdc: 0)
        if state == .complete || known.isBegunAtBottle || !board.quirks.shows(.lateReadings) {
            (value.emptyAdc, value.fullAdc) = (reported.emptyAdc, reported.fullAdc)
        }
        if state == .complete { value.fullAdc = max(value.fullAdc, value.emptyAdc + 1) }
        return value
    }
}
