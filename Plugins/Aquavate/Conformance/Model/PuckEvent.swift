import Bluetooth
import Bytes
import PluginKit
import Profile

/// An event of a puck and its decoded value. What many rules ask is found out once.
///
/// It is a class: a struct of this size is passed by its address, and each look at an object in it counts references.
final class PuckEvent {
    /// What it is that is no value; nil for values.
    let content: RuleEvent.Content?
    let moment: FrameReference
    /// Until when what is due can have come.
    let heard: Timestamp
    let link: LinkState
    /// The value that the event tells, as it came; nil for other events.
    let attribute: AttributeValue?
    let value: PuckValue?
    /// The Current State that the puck sends, and its meaning.
    private(set) var state: CurrentState?
    private(set) var meaning: StateMeaning?
    /// The opcode of a command that is written, if the puck heeds it and does not refuse the write.
    private(set) var commandKind: PuckCommand.Kind?
    /// Whether a Current State is notified that has another length (AQ-031): what it says is not known.
    private(set) var isMalformedState = false
    /// The request that is written to Sync Control, unless the puck refuses the write.
    private(set) var syncRequest: SyncRequest?
    /// The chunk that is notified; nil for one that is read.
    private(set) var notifiedChunk: DrinkChunk?
    /// Whether a chunk is notified that lacks a part of its head (AQ-060): its numbers are not known.
    private(set) var isMalformedChunk = false
    /// The calibration state that is notified; reads give old ones.
    private(set) var calibration: Int?
    /// Whether the puck tells the value by itself.
    let isNotified: Bool
    let isRead: Bool
    /// Whether it keeps the puck awake: commands but SET_TIME, Sync Control, Device Settings that are written.
    private(set) var isDataActivity = false

    var connection: Int { moment.connection }

    /// Whether it is a write that the puck refuses: nothing follows from it but what the client does wrong.
    let isRefused: Bool

    /// The command that is written, unless the puck refuses the write.
    var command: PuckCommand? { isRefused ? nil : sentCommand }
    /// The command that is written, whatever the outcome.
    var sentCommand: PuckCommand? { if case .command(let command) = value { command } else { nil } }
    /// The request that is written to Sync Control, whatever the outcome.
    var sentRequest: SyncRequest? { if case .request(let request) = value { request } else { nil } }

    init(_ event: borrowing RuleEvent) {
        content = event.value == nil ? event.content : nil
        moment = event.moment
        heard = event.heard
        link = event.link
        attribute = event.value
        if let attribute {
            isNotified = attribute.operation == .notify
            isRead = attribute.operation == .read
            isRefused = attribute.isRefused
            // What a client writes where it cannot be written is no value of the puck.
            let isOfPuck = attribute.operation != .write || Self.isWritable(attribute.characteristic)
            value = isOfPuck ? PuckValue(attribute) : nil
            take(attribute)
        } else {
            (value, isNotified, isRead, isRefused) = (nil, false, false, false)
        }
    }

    /// Takes in what the value tells.
    private func take(_ attribute: AttributeValue) {
        switch value {
        case .state(let shown)?: state = shown
        case .command(let command)?: if !isRefused { commandKind = command.kind }
        case .request(let request)?: if !isRefused { syncRequest = request }
        case .chunk(let chunk)?: if isNotified { notifiedChunk = chunk }
        case .calibration(let state)?: if isNotified { calibration = state }
        default: break
        }
        isMalformedState = isNotified && attribute.characteristic == .currentState && state == nil
        isMalformedChunk =
            isNotified && attribute.characteristic == .drinkData && attribute.bytes.count < DrinkChunkValue.headLength
        isDataActivity =
            switch (attribute.characteristic, attribute.operation) {
            case (.syncControl, _), (.deviceSettings, .write): true
            case (.command, .write): sentCommand?.kind != .setTime
            default: false
            }
    }

    /// Finds out what a Current State means after the others that the puck has sent on the connection.
    func findMeaning(on link: PuckLink?) {
        guard let state, let attribute else { return }
        meaning = link?.states.meaning(of: state, attribute, at: moment)
    }

    /// Whether clients write a characteristic, of either dialect (sections 3.1 and 3.4).
    private static func isWritable(_ characteristic: CharacteristicIndex) -> Bool {
        switch characteristic {
        case .bottleConfig, .command, .syncControl, .deviceSettings, .prdBottleConfig, .syncStatus: true
        default: false
        }
    }
}

// MARK: - What is no value

extension PuckEvent {
    var isOpening: Bool { if case .opened = content { true } else { false } }
    var closing: ConnectionClosing? { if case .closed(let closing) = content { closing } else { nil } }
    var isGap: Bool { if case .gap = content { true } else { false } }
    var request: AttributeRequest? { if case .request(let request) = content { request } else { nil } }
    var response: AttributeResponse? { if case .response(let response) = content { response } else { nil } }

    /// The parameters that the connection has from now on, after its opening.
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
    /// Whether the recorder had a clock: without one, times begin near 1970.
    var isTimeOfDay: Bool { time >= Self.earliest }

    /// 2020-01-01.
    private static let earliest = Timestamp(nanoseconds: 1_577_836_800_000_000_000)
}
