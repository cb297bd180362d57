import Bluetooth
import Bytes
import PluginKit
import Profile

/// A puck's value, decoded once for all rules.
private final class PuckReading: TypedValue {
    let value: PuckValue

    init?(_ attribute: AttributeValue) {
        // A write to a characteristic that is not writable is not a value of the puck.
        guard attribute.operation != .write || Self.isWritable(attribute.characteristic),
            let value = PuckValue(attribute)
        else { return nil }
        self.value = value
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
    var puckValue: PuckValue? { typedValue(as: PuckReading.self)?.value }
    var isNotified: Bool { value?.operation == .notify }
    var isRead: Bool { value?.operation == .read }
    /// Whether it is a write that the puck refuses: no effect of it is expected, and only the client rules check it.
    var isRefused: Bool { value?.isRefused ?? false }

    /// The Current State that the puck sends.
    var state: CurrentState? { if case .state(let state) = puckValue { state } else { nil } }
    /// The notified calibration state; reads return old ones.
    var calibration: Int? { if isNotified, case .calibration(let state) = puckValue { state } else { nil } }
    var notifiedChunk: DrinkChunk? { if isNotified, case .chunk(let chunk) = puckValue { chunk } else { nil } }

    /// The written command, whatever the outcome.
    var sentCommand: PuckCommand? { if case .command(let command) = puckValue { command } else { nil } }
    /// The written command; nil if the puck refuses the write.
    var command: PuckCommand? { isRefused ? nil : sentCommand }
    /// The opcode of a command that the puck accepts.
    var commandKind: PuckCommand.Kind? { command?.kind }
    /// The request written to Sync Control, whatever the outcome.
    var sentRequest: SyncRequest? { if case .request(let request) = puckValue { request } else { nil } }
    /// The request written to Sync Control; nil if the puck refuses the write.
    var syncRequest: SyncRequest? { isRefused ? nil : sentRequest }

    /// Whether it notifies a Current State of the wrong length (AQ-031), whose content is unknown.
    var isMalformedState: Bool { isNotified && value?.characteristic == .currentState && state == nil }
    /// Whether it notifies a chunk with an incomplete header (AQ-060), whose numbers are unknown.
    var isMalformedChunk: Bool {
        guard isNotified, let value, value.characteristic == .drinkData else { return false }
        return value.bytes.count < DrinkChunkValue.headLength
    }

    /// Whether it is data activity, which keeps the puck awake: a command except SET_TIME, an access to Sync Control or
    /// a write of Device Settings (section 10.3).
    var isDataActivity: Bool {
        switch (value?.characteristic, value?.operation) {
        case (.syncControl?, _), (.deviceSettings?, .write?): true
        case (.command?, .write?): sentCommand?.kind != .setTime
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

    /// New connection parameters; nil for those of the opening.
    var parameters: ConnectionParameters? {
        if case .parameters(let parameters) = content { parameters } else { nil }
    }

    /// The characteristic that the client unsubscribes from.
    var unsubscribed: CharacteristicIndex? {
        guard case .configuration(let access) = content, access.isEffectiveWrite, access.notifies == false else {
            return nil
        }
        return access.characteristic
    }
}

extension FrameReference {
    /// Whether the capturing device had a clock: without one, times begin near 1970.
    var isTimeOfDay: Bool { time >= Self.earliest }

    /// 2020-01-01.
    private static let earliest = Timestamp(nanoseconds: 1_577_836_800_000_000_000)
}
