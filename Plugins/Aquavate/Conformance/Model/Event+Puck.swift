import Bluetooth
import Bytes
import PluginKit
import Profile

/// A puck's value, decoded once for all rules.
private final class PuckReading: TypedValue {
    let value: PuckValue
    /// The values that most rules ask for: copying the whole enumeration takes longer.
    private(set) var state: CurrentState?
    private(set) var request: SyncRequest?
    private(set) var commandKind: PuckCommand.Kind?
    /// The meaning of the state, once a rule has asked for it.
    var meaning: StateMeaning?

    init?(_ attribute: AttributeValue) {
        // A write to a characteristic that is not writable is not a value of the puck.
        guard attribute.operation != .write || Self.isWritable(attribute.characteristic),
            let value = PuckValue(attribute)
        else { return nil }
        self.value = value
        switch value {
        case .state(let state): self.state = state
        case .request(let request): self.request = request
        case .command(let command): commandKind = command.kind
        default: break
        }
    }

    /// Whether a characteristic of either dialect is writable (sections 3.1 and 3.4).
    private static func isWritable(_ characteristic: CharacteristicIndex) -> Bool {
        switch characteristic {
        case .bottleConfig, .command, .syncControl, .deviceSettings, .prdBottleConfig, .syncStatus: true
        default: false
        }
    }
}

// MARK: - Values

extension Event {
    /// The value that the puck or its client sends; nil for other events.
    var puckValue: PuckValue? { reading?.value }
    private var reading: PuckReading? { typedValue() }
    var isNotified: Bool { value?.operation == .notify }
    var isRead: Bool { value?.operation == .read }
    /// Whether it is a write that the puck refuses: no effect of it is expected, and only the client rules check it.
    var isRefused: Bool { value?.isRefused ?? false }

    /// Whether it carries a value of a characteristic: checked first, as most values are of others.
    private func isValue(of characteristic: CharacteristicIndex) -> Bool { value?.characteristic == characteristic }

    /// The Current State that the puck sends.
    var state: CurrentState? { isValue(of: .currentState) ? reading?.state : nil }
    /// The meaning of the Current State, given the earlier ones, found once for all rules; nil for other events.
    func meaning(after states: StateHistory) -> StateMeaning? {
        guard isValue(of: .currentState), let reading, let state = reading.state, let value else { return nil }
        if let meaning = reading.meaning { return meaning }
        reading.meaning = states.meaning(of: state, value, at: moment)
        return reading.meaning
    }
    /// The notified calibration state; reads return old ones.
    var calibration: Int? {
        guard isNotified, isValue(of: .calibrationState), case .calibration(let state) = puckValue else { return nil }
        return state
    }
    /// The notified chunk.
    var notifiedChunk: DrinkChunk? {
        guard isNotified, isValue(of: .drinkData), case .chunk(let chunk) = puckValue else { return nil }
        return chunk
    }

    /// The written command, whatever the outcome.
    var sentCommand: PuckCommand? {
        guard isValue(of: .command), case .command(let command) = puckValue else { return nil }
        return command
    }
    /// The written command; nil if the puck refuses the write.
    var command: PuckCommand? { isRefused ? nil : sentCommand }
    /// The opcode of a command that the puck accepts.
    var commandKind: PuckCommand.Kind? { isValue(of: .command) && !isRefused ? reading?.commandKind : nil }
    /// The request written to Sync Control, whatever the outcome.
    var sentRequest: SyncRequest? { isValue(of: .syncControl) ? reading?.request : nil }
    /// The request written to Sync Control; nil if the puck refuses the write.
    var syncRequest: SyncRequest? { isRefused ? nil : sentRequest }

    /// Whether it notifies a Current State of the wrong length (AQ-031), whose content is unknown.
    var isMalformedState: Bool { isNotified && isValue(of: .currentState) && state == nil }
    /// Whether it notifies a chunk with an incomplete header (AQ-060), whose numbers are unknown.
    var isMalformedChunk: Bool {
        guard isNotified, isValue(of: .drinkData), let value else { return false }
        return value.bytes.count < DrinkChunkValue.headLength
    }

    /// Whether it is data activity, which keeps the puck awake: a command except SET_TIME, an access to Sync Control or
    /// a write of Device Settings (section 10.3).
    var isDataActivity: Bool {
        guard let value else { return false }
        return switch value.characteristic {
        case .syncControl: true
        case .deviceSettings: value.operation == .write
        case .command: value.operation == .write && reading?.commandKind != .setTime
        default: false
        }
    }
}

// MARK: - Other events

extension Event {
    var isOpening: Bool { if case .opened = content { true } else { false } }
    var closing: ConnectionClosing? { if case .closed(let closing) = content { closing } else { nil } }
    var isGap: Bool { if case .gap = content { true } else { false } }
    var request: AttributeRequest? { if case .request(let request) = content { request } else { nil } }
    var response: AttributeResponse? { if case .response(let response) = content { response } else { nil } }

    /// The characteristic that the client unsubscribes from.
    var unsubscribed: CharacteristicIndex? {
        guard case .configuration(let access) = content, access.isEffectiveWrite, access.notifies == false else {
            return nil
        }
        return access.characteristic
    }
}

extension Connection {
    /// The supervision timeout in seconds; nil if it was not captured.
    var supervisionTimeout: Double? { parameters.map { Double($0.timeout) / 100 } }

    /// Tolerance in seconds for the distance of two notifications: two connection intervals, at least 0.1 s.
    var jitter: Double { max(0.1, 2 * 0.00125 * Double(parameters?.interval ?? 0)) }
}

extension FrameReference {
    /// Whether the capturing device had a clock: without one, times begin near 1970.
    var isTimeOfDay: Bool { time >= Self.earliest }

    /// 2020-01-01.
    private static let earliest = Timestamp(nanoseconds: 1_577_836_800_000_000_000)
}
