import Bytes
import PluginKit

/// Bottle Config and Device Settings (sections 4.2 and 4.7): a later read returns the value last read or written.
extension ShippedOracle {
    /// The effect of a write is known only if it is known whether the puck is calibrated.
    mutating func prepareConfig(_ bytes: [UInt8]) {
        guard known.isConfigKnown, board.wire.value(of: bytes, as: .bottleConfig, BottleConfig.self) != nil else {
            return
        }
        known.isTareKnown = !known.isTareDue
    }

    mutating func adoptConfig(_ shown: ShownValue) -> Expectation {
        guard let reported = board.wire.value(of: shown.bytes, as: .bottleConfig, BottleConfig.self) else {
            return .value(known.isConfigKnown ? shown.predicted ?? shown.bytes : shown.bytes)
        }
        guard known.isConfigKnown,
            var wanted = shown.predicted.flatMap({ board.wire.value(of: $0, as: .bottleConfig, BottleConfig.self) })
        else {
            learn(reported, shown.bytes)
            return .value(shown.bytes)
        }
        // The firmware computes with fewer digits.
        if !known.isTareKnown || abs(reported.tare - wanted.tare) <= 1 { wanted.tare = reported.tare }
        learn(reported, shown.bytes)
        return .value(board.wire.bytes(wanted, as: .bottleConfig))
    }

    private mutating func learn(_ reported: BottleConfig, _ bytes: [UInt8]) {
        let empty = Double(reported.tare) * Double(reported.scale)
        var scale = CellScale(scale: reported.scale, empty: 0, full: 0)
        if scale.isValid, reported.scale.isFinite {
            // Rounded so that the tare reads back unchanged.
            scale.rebase(empty: Int(Int32(clampingReal: reported.tare < 0 ? empty.rounded(.down) : empty.rounded(.up))))
            board.memory.calibration = scale
            board.memory.isCalibrationValid = true
            board.memory.goal = reported.goal
        } else {
            board.memory.calibration = nil
            firmware.config = bytes
        }
        known.isConfigKnown = true
        (known.isTareKnown, known.isTareDue) = (true, false)
    }

    mutating func adoptSettings(_ shown: ShownValue) -> Expectation {
        guard let reported = board.wire.value(of: shown.bytes, as: .deviceSettings, DeviceSettings.self) else {
            return .value(shown.predicted ?? [])
        }
        guard !known.areSettingsKnown else { return .value(shown.predicted ?? shown.bytes) }
        firmware.settings = reported
        board.memory.shakeToEmpty = reported.flags.shakeToEmpty
        known.areSettingsKnown = true
        // Reserved bits are not kept.
        return .value(board.wire.bytes(reported, as: .deviceSettings))
    }
}
