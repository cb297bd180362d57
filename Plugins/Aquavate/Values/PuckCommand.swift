/// A write to Command (section 5).
typealias PuckCommand = DeviceProfile.Command

extension PuckCommand {
    typealias Kind = Opcode

    /// Whether the puck accepts it: opcode and length are those of a command.
    var isHeeded: Bool { parameters == nil }

    /// The opcode of an accepted command; nil for one of the first firmware that no rule checks.
    var kind: Kind? { isHeeded && opcode.isNamed ? opcode : nil }

    /// Whether the puck stores the values of CAL_SET_DATA.
    var isStoredCalibration: Bool {
        guard kind == .calSetData, let scale, let emptyAdc, let fullAdc else { return false }
        return !(scale <= 0) && fullAdc > emptyAdc
    }

    /// Whether Activity Stats answers it.
    var asksForActivity: Bool {
        switch kind {
        case .getActivitySummary, .getMotionChunk, .getBackpackChunk: true
        default: false
        }
    }
}

// MARK: - Commands of earlier firmware

extension PuckCommand {
    /// Translates a command to firmware of 2026-01-23 to 2026-01-27, whose opcodes 0x21 to 0x23 request Activity Stats
    /// (section 16).
    init(_ command: DeviceProfile.InterimCommand) {
        let opcode: Opcode =
            switch command.opcode {
            case .getActivitySummary: .getActivitySummary
            case .getMotionChunk: .getMotionChunk
            case .getBackpackChunk: .getBackpackChunk
            case .unnamed(let number): .unnamed(number)
            default: Opcode(rawValue: command.opcode.rawValue)
            }
        self.init(
            opcode: opcode, point: command.point.map { Point(rawValue: $0.rawValue) }, emptyAdc: command.emptyAdc,
            fullAdc: command.fullAdc, scale: command.scale, time: command.time, total: command.total,
            recordId: command.recordId, chunk: command.chunk, parameters: command.parameters)
    }

    /// Translates a command to firmware of 2026-01-16 to 2026-01-23. Its 0x02 to 0x04 control a calibration that no
    /// characteristic shows, or are a ping: no rule checks them, and they stay unnamed.
    init(_ command: DeviceProfile.LegacyCommand) {
        let opcode: Opcode =
            switch command.opcode {
            case .startCalibration, .calMeasurePoint, .cancelCalibration, .unnamed: .unnamed(command.opcode.rawValue)
            default: Opcode(rawValue: command.opcode.rawValue)
            }
        self.init(
            opcode: opcode, time: command.time, total: command.total, recordId: command.recordId,
            parameters: command.parameters)
    }
}
