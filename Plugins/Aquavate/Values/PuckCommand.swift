/// A write to Command (section 5).
typealias PuckCommand = DeviceProfile.Command

extension PuckCommand {
    typealias Kind = Opcode

    /// Whether the puck heeds it: opcode and length are those of a command.
    var isHeeded: Bool { parameters == nil }

    /// The opcode of a command that the puck heeds.
    var kind: Kind? { isHeeded ? opcode : nil }

    /// Of CAL_SET_DATA, whether the puck stores it.
    var isStoredCalibration: Bool {
        guard kind == .calSetData, let scale, let emptyAdc, let fullAdc else { return false }
        return !(scale <= 0) && fullAdc > emptyAdc
    }

    /// Whether Activity Stats answer it.
    var asksForActivity: Bool {
        switch kind {
        case .getActivitySummary, .getMotionChunk, .getBackpackChunk: true
        default: false
        }
    }
}
