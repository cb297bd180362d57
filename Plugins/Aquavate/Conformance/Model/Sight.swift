import ATT
import PluginKit
import Profile

/// An event of a puck with its value as the puck's own, and what was known before it.
struct Sight {
    let event: ConformanceEvent
    /// What is known of the puck on the event's connection; nil for what belongs to none, and at its opening.
    let puck: PuckLink?
    /// The value that the event tells, as it came; nil for other events.
    let told: AttributeValue?
    let value: PuckValue?
    /// The Current State that the puck sends, and its meaning.
    let state: CurrentState?
    let meaning: StateMeaning?
    /// The command that is written.
    let command: PuckCommand?
    /// The request that is written to Sync Control.
    let syncRequest: SyncRequest?

    init(_ event: borrowing ConformanceEvent, of puck: PuckLink?) {
        self.event = copy event
        self.puck = puck
        var (state, command, syncRequest): (CurrentState?, PuckCommand?, SyncRequest?)
        var meaning: StateMeaning?
        if case .value(let told) = event.content {
            self.told = told
            // What a client writes where it cannot be written is no value of the puck.
            let isOfPuck = told.operation != .write || Self.writable.contains(told.characteristic)
            value = isOfPuck ? PuckValue(told) : nil
            switch value {
            case .state(let shown)?:
                state = shown
                meaning = puck?.states.meaning(of: shown, told, at: event.moment)
            case .command(let told)?: command = told
            case .request(let told)?: syncRequest = told
            default: break
            }
        } else {
            (told, value) = (nil, nil)
        }
        (self.state, self.command, self.syncRequest, self.meaning) = (state, command, syncRequest, meaning)
    }

    /// Characteristics that clients write, of both dialects (sections 3.1 and 3.4).
    private static let writable: Set<CharacteristicIndex> = [
        .bottleConfig, .command, .syncControl, .deviceSettings, .prdBottleConfig, .syncStatus,
    ]

    var moment: Moment { event.moment }
    var link: LinkState { event.link }
    var connection: Int { event.moment.connection }

    /// Whether the puck tells the value by itself.
    var isNotified: Bool { told?.operation == .notify }
    var isRead: Bool { told?.operation == .read }

    /// Whether it keeps the puck awake: commands but SET_TIME, Sync Control, Device Settings that are written.
    var isDataActivity: Bool {
        switch (told?.characteristic, told?.operation) {
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

extension Moment {
    /// Whether the recorder had a clock: without one, times begin near 1970.
    var isTimeOfDay: Bool { time >= Self.earliest }

    /// 2020-01-01, in nanoseconds since 1970.
    private static let earliest: Int64 = 1_577_836_800_000_000_000
}
