import Bytes
import PluginKit

/// Starts the bottle-guided calibration and follows it (section 9.6; HB-13 in the dialect `prd`).
struct AppCalibrationProcedure: AppProcedure {
    let dialect: Dialect
    /// ml that the bottle is filled with.
    let volume: Int
    let name = "calibration"
    let endsConnection = true
    private(set) var deadline: Timestamp?
    /// The last state that the puck has reported.
    private var state: CalibrationProcedure.State?

    /// The puck may be silent for two minutes, plus the time to draw and to measure.
    private static let patience = Duration.seconds(135)

    init(dialect: Dialect, volume: Int) {
        self.dialect = dialect
        self.volume = volume
    }

    mutating func begin(at now: Timestamp, _ session: inout AppSession) -> ProcedureStep {
        guard dialect == .prd || volume == CellScale.capacity else {
            let reason =
                "the command has no volume in the dialect shipped: its firmware expects \(CellScale.capacity) ml"
            return .done([TwinNote.failure(of: name, reason)])
        }
        deadline = now + Self.patience
        switch dialect {
        case .shipped: return .goOn([session.command(.startCalibration)])
        case .prd: return .goOn([session.control(.startCalibration(volume: volume))])
        }
    }

    mutating func take(_ input: ClientInput, at now: Timestamp, _ session: inout AppSession) -> ProcedureStep {
        if let fault = input.fault(at: .command) ?? input.fault(at: .syncStatus) {
            return .done([TwinNote.failure(of: name, "\(fault)")])
        }
        if let step = takeState(input, at: now, session) { return step }
        guard input == .time, let deadline, now >= deadline else { return .goOn() }
        return .done([
            Self.cancel(dialect, session), TwinNote.failure(of: name, "the puck was silent for too long"),
        ])
    }

    /// The command that ends a calibration.
    static func cancel(_ dialect: Dialect, _ session: AppSession) -> ClientAction {
        switch dialect {
        case .shipped: session.command(.cancelCalibration)
        case .prd: session.control(.cancelCalibration)
        }
    }

    /// Follows a reported state; nil for any other input.
    private mutating func takeState(_ input: ClientInput, at now: Timestamp, _ session: AppSession) -> ProcedureStep? {
        if let bytes = input.value(updateOf: .calibrationState),
            let reported = session.wire.value(of: bytes, as: .calibrationState, CalibrationValue.self)
        {
            deadline = now + Self.patience
            let scale = Double(reported.fullAdc - reported.emptyAdc) / Double(volume)
            return follow(reported.state.rawValue, ["scale": .real(scale)])
        }
        if let bytes = input.value(updateOf: .deviceStatus),
            let number = session.wire.value(of: bytes, as: .deviceStatus, PRDStatus.self)?.calibration?.rawValue
        {
            // Device Status is notified for other reasons, too, and keeps the end of an earlier calibration.
            let reported = CalibrationProcedure.State(rawValue: number)
            guard reported != state, state != nil || reported != .idle else { return .goOn() }
            deadline = now + Self.patience
            return follow(number, ["volume": .number(volume)])
        }
        return nil
    }

    private mutating func follow(_ number: Int, _ result: KeyValuePairs<String, TwinNote.Amount>) -> ProcedureStep {
        state = CalibrationProcedure.State(rawValue: number)
        let note = ClientAction.event(TwinNote("calibration_state", ["state": .text(state?.name ?? "\(number)")]))
        switch state {
        case .complete: return .done([note, .event(TwinNote("calibration_done", result))])
        case .idle: return .done([note, TwinNote.failure(of: name, "it was cancelled")])
        case .error: return .done([note, TwinNote.failure(of: name, "the bottle was not as it should be")])
        default: return .goOn([note])
        }
    }
}
