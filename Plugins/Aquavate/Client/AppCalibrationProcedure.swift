import Bytes
import PluginKit

/// Starts the bottle-guided calibration and follows it (section 9.6).
struct AppCalibrationProcedure: AppProcedure {
    let name = "calibration"
    let endsConnection = true
    private(set) var deadline: Timestamp?

    /// The puck may be silent for two minutes, plus the time to draw and to measure.
    private static let patience = Duration.seconds(135)

    mutating func begin(at now: Timestamp, _ session: inout AppSession) -> ProcedureStep {
        deadline = now + Self.patience
        return .goOn([session.command(.startCalibration)])
    }

    mutating func take(_ input: ClientInput, at now: Timestamp, _ session: inout AppSession) -> ProcedureStep {
        if let fault = input.fault(at: .command) { return .done([TwinNote.failure(of: name, "\(fault)")]) }
        if let bytes = input.value(updateOf: .calibrationState),
            let reported = session.wire.value(of: bytes, as: .calibrationState, CalibrationValue.self)
        {
            deadline = now + Self.patience
            return follow(reported)
        }
        guard input == .time, let deadline, now >= deadline else { return .goOn() }
        let cancel = session.command(.cancelCalibration)
        return .done([cancel, TwinNote.failure(of: name, "the puck was silent for too long")])
    }

    private func follow(_ reported: CalibrationValue) -> ProcedureStep {
        let state = CalibrationProcedure.State(rawValue: reported.state.rawValue)
        let note = ClientAction.event(
            TwinNote("calibration_state", ["state": .text(state?.name ?? "\(reported.state.rawValue)")]))
        switch state {
        case .complete:
            let scale = Double(reported.fullAdc - reported.emptyAdc) / Double(CellScale.capacity)
            return .done([note, .event(TwinNote("calibration_done", ["scale": .real(scale)]))])
        case .idle: return .done([note, TwinNote.failure(of: name, "it was cancelled")])
        case .error: return .done([note, TwinNote.failure(of: name, "the bottle was not as it should be")])
        default: return .goOn([note])
        }
    }
}
