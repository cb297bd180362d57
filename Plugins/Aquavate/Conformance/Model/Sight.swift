import PluginKit

/// An event of a puck with its value as the puck's own.
struct Sight {
    let event: ConformanceEvent
    let value: PuckValue?

    init(_ event: borrowing ConformanceEvent) {
        self.event = copy event
        if case .value(let told) = event.content { value = PuckValue(told) } else { value = nil }
    }

    var moment: Moment { event.moment }
    var link: LinkState { event.link }
    var connection: Int { event.moment.connection }

    /// The value that the event tells, as it came; nil for other events.
    var told: AttributeValue? {
        if case .value(let told) = event.content { return told }
        return nil
    }

    /// Whether the puck tells the value by itself.
    var isNotified: Bool { told?.operation == .notify }
    var isRead: Bool { told?.operation == .read }

    /// The Current State that is told.
    var state: CurrentState? {
        if case .state(let state)? = value { return state }
        return nil
    }

    /// The command that is written.
    var command: PuckCommand? {
        if case .command(let command)? = value { return command }
        return nil
    }

    /// The request that is written to Sync Control.
    var syncRequest: SyncRequest? {
        if case .request(let request)? = value { return request }
        return nil
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

    var closing: ConnectionClosing? {
        if case .closed(let closing) = event.content { return closing }
        return nil
    }

    var isGap: Bool {
        if case .gap = event.content { return true }
        return false
    }
}
