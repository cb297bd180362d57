import Bytes
import PluginKit

/// Tares the bottle: the current weight becomes that of the empty bottle. The requirements define no characteristic for
/// the command, so the client reads Current Weight and writes it as the tare of Bottle Config.
struct PRDTareProcedure: AppProcedure {
    let name = "tare"
    var deadline: Timestamp? { nil }
    /// Grams.
    private var weight = 0

    func begin(at now: Timestamp, _ session: inout AppSession) -> ProcedureStep {
        .goOn([AppSession.read(.currentWeight), AppSession.read(.prdBottleConfig)])
    }

    mutating func take(_ input: ClientInput, at now: Timestamp, _ session: inout AppSession) -> ProcedureStep {
        if let fault = input.fault(at: .currentWeight) ?? input.fault(at: .prdBottleConfig) {
            return .done([TwinNote.failure(of: name, "\(fault)")])
        }
        if let bytes = input.value(readFrom: .currentWeight) {
            guard let grams = session.wire.value(of: bytes, as: .currentWeight, Int.self) else {
                return .done([TwinNote.failure(of: name, "Current Weight has another length than 2 bytes")])
            }
            weight = grams
        }
        if let bytes = input.value(readFrom: .prdBottleConfig) {
            guard var config = session.wire.value(of: bytes, as: .prdBottleConfig, PRDConfig.self) else {
                return .done([TwinNote.failure(of: name, "Bottle Config has another length than 6 or 8 bytes")])
            }
            config.tare = weight
            return .goOn([
                .write(PuckCharacteristic.prdBottleConfig.rawValue, session.wire.bytes(config, as: .prdBottleConfig))
            ])
        }
        guard input == .written(PuckCharacteristic.prdBottleConfig.rawValue, nil) else { return .goOn() }
        return .done([.event(TwinNote("tare_done", ["grams": .number(weight)]))])
    }
}
