import Bytes
import PluginKit

/// The precision calibration, which the client starts and the bottle guides (HB-13).
extension PRDFirmware {
    mutating func startCalibration(with volume: Int?, _ board: inout Board) {
        guard calibration.state == .idle, let volume, PRDCalibration.volumes.contains(volume) else { return }
        calibration = CalibrationProcedure(limits: .filling(volume), volume: volume)
        perform(calibration.start(at: board.now), &board)
    }

    mutating func cancelCalibration(_ board: inout Board) {
        guard calibration.isActive else { return }
        measurement = nil
        perform(calibration.abort(at: board.now), &board)
    }

    /// The calibration's part of a pass.
    mutating func serveCalibration(_ board: inout Board) {
        guard calibration.state != .idle, measurement == nil else { return }
        perform(calibration.pass(isStill: gesture == .uprightStable, reading: reading, at: board.now), &board)
        // The end of a calibration is shown for 3 s.
        if calibration.state == .idle { emit(.idle, &board) }
    }

    /// Takes a reading for the calibration.
    mutating func measureForCalibration(_ board: inout Board) {
        guard let result = measurement?.take(board.surroundings.weigh()) else { return }
        measurement = nil
        perform(calibration.take(result, at: board.now), &board)
    }

    private mutating func perform(_ effects: [CalibrationProcedure.Effect], _ board: inout Board) {
        for effect in effects {
            switch effect {
            case .event(let state, draws: _): emit(state, &board)
            case .measure:
                board.powerUse.measure(readings: Measurement.count)
                measurement = Measurement(at: board.now, blocksLoop: false)
            case .apply(let scale): apply(scale, &board)
            }
        }
    }

    /// Reports a state in Device Status and on the display.
    private mutating func emit(_ state: CalibrationProcedure.State, _ board: inout Board) {
        guard state != reportedCalibration else { return }
        reportedCalibration = state
        board.emit("calibration", ["state": .text(state.name)])
        publishStatus(&board)
        if let prompt = CalibrationPrompt(state, capacity: calibration.volume) { board.show(.prompt(prompt)) }
        if state == .idle { messageEnd = board.now }
    }

    /// Stores the scale factor and the weight of the empty bottle, which depends on it.
    private func apply(_ scale: CellScale, _ board: inout Board) {
        var precise = board.requiredCalibration
        precise.scaleFactor = Double(scale.scale)
        precise.isPrecise = true
        board.memory.requiredCalibration = precise
        board.memory.required.tare = Int(Int32(clampingReal: precise.grams(scale.empty).rounded()))
        board.rebase(scale.full, isKept: true)
        board.store()
    }
}
