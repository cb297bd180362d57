import ATT
import PluginKit
import Profile

/// An event of a puck, its decoded value and the state before it.
struct PuckEvent {
    private let event: RuleEvent
    /// What is known of the puck on the event's connection; nil for what belongs to none, and at its opening.
    let puck: PuckLink?
    /// The value that the event tells, as it came; nil for other events.
    let attribute: AttributeValue?
    let value: PuckValue?
    /// The Current State that the puck sends, and its meaning.
    let state: CurrentState?
    let meaning: StateMeaning?
    /// The command that is written.
    let command: PuckCommand?
    /// The request that is written to Sync Control.
    let syncRequest: SyncRequest?

    init(_ event: borrowing RuleEvent, of puck: PuckLink?) {
        self.event = copy event
        self.puck = puck
        var (state, command, syncRequest): (CurrentState?, PuckCommand?, SyncRequest?)
        var meaning: StateMeaning?
        if case .value(let attribute) = event.content {
            self.attribute = attribute
            // What a client writes where it cannot be written is no value of the puck.
            let isOfPuck = attribute.operation != .write || Self.writable.contains(attribute.characteristic)
            value = isOfPuck ? PuckValue(attribute) : nil
            switch value {
            case .state(let shown)?:
                state = shown
                meaning = puck?.states.meaning(of: shown, attribute, at: event.moment)
            case .command(let written)?: command = written
            case .request(let written)?: syncRequest = written
            default: break
            }
        } else {
            (attribute, value) = (nil, nil)
        }
        (self.state, self.command, self.syncRequest, self.meaning) = (state, command, syncRequest, meaning)
    }

    /// Characteristics that clients write, of both dialects (sections 3.1 and 3.4).
    private static let writable: Set<CharacteristicIndex> = [
        .bottleConfig, .command, .syncControl, .deviceSettings, .prdBottleConfig, .syncStatus,
    ]

    var content: RuleEvent.Content { event.content }
    var moment: FrameReference { event.moment }
    var link: LinkState { event.link }
    var connection: Int { event.moment.connection }

    /// Whether the puck tells the value by itself.
    var isNotified: Bool { attribute?.operation == .notify }
    var isRead: Bool { attribute?.operation == .read }

    /// Whether it keeps the puck awake: commands but SET_TIME, Sync Control, Device Settings that are written.
    var isDataActivity: Bool {
        switch (attribute?.characteristic, attribute?.operation) {
        case (.syncControl, _), (.deviceSettings, .write): true
        case (.command, .write): command?.kind != .setTime
        default: false
        }
    }

    /// The chunk that is notified; nil for one that is read.
    var notifiedChunk: DrinkChunk? {
        if isNotified, case .chunk(let chunk)? = value { return chunk }
        return nil
    }

    /// The calibration state that is notified; reads give old ones.
    var calibration: Int? {
        if isNotified, case .calibration(let state)? = value { return state }
        return nil
    }

    /// The characteristic that the client unsubscribes from.
    var unsubscribed: CharacteristicIndex? {
        guard case .configuration(let access) = event.content, access.operation == .write,
            access.bytes.u16(0).map({ $0 & 1 == 0 }) == true
        else { return nil }
        return access.characteristic
    }

    var closing: ConnectionClosing? {
        if case .closed(let closing) = event.content { return closing }
        return nil
    }

    var isGap: Bool {
        if case .gap = event.content { return true }
        return false
    }
}

extension FrameReference {
    /// Whether the recorder had a clock: without one, times begin near 1970.
    var isTimeOfDay: Bool { time >= Self.earliest }

    /// 2020-01-01, in nanoseconds since 1970.
    private static let earliest: Int64 = 1_577_836_800_000_000_000
}
