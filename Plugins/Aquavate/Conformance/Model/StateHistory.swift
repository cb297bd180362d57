import Bluetooth
import PluginKit

/// The meaning of a Current State that the puck sends (sections 4.1 and 10.6).
enum StateMeaning: Sendable {
    /// An evaluation, notified as it is made.
    case evaluation
    /// The last evaluation again, with the number of unsynced records of now: the answer to DELETE, 0x03, 0x04 or the last
    /// acknowledgement.
    case push
    /// A read: the last evaluation, however long ago it was made.
    case reading
    /// A read that was asked for before the last notification: either may be the older one.
    case overtaken
}

/// The Current States of one connection, each with its meaning.
struct StateHistory: Sendable {
    /// The state read or notified last, and that notified last.
    private(set) var last: Timestamped<CurrentState>?
    private(set) var notified: Timestamped<CurrentState>?
    /// The last evaluation that was notified. Nil where a later one, which was not, has been read or pushed.
    private(set) var evaluation: Timestamped<CurrentState>?
    /// The last request that pushes follow, and how many are still to come.
    private var cause: FrameReference?
    private var pushes = 0

    /// Seconds within which a push comes: a measurement takes 5 s, the last acknowledgement up to 10 s (AQ-042).
    private static let pushTime = 10.0

    /// The puck is asked for pushes.
    mutating func expectPush(at moment: FrameReference, times: Int = 1) {
        if cause.map({ moment.seconds(since: $0) > Self.pushTime }) != false { pushes = 0 }
        pushes += times
        cause = moment
    }

    /// The request that a push at a moment answers; nil where none is to come.
    func cause(at moment: FrameReference) -> FrameReference? {
        guard pushes > 0, let cause, moment.seconds(since: cause) <= Self.pushTime else { return nil }
        return cause
    }

    /// A push sends what was evaluated last. An evaluation that differs from it enough is notified too, so that what
    /// differs is an evaluation, though it comes after the request: it was on its way.
    func meaning(of state: CurrentState, _ attribute: AttributeValue, at moment: FrameReference) -> StateMeaning {
        if attribute.operation == .read {
            guard let notified, let requested = attribute.requested, requested < notified.moment else {
                return .reading
            }
            return .overtaken
        }
        guard cause(at: moment) != nil else { return .evaluation }
        return (notified ?? last).map { state.isNews(after: $0.content) } == true ? .evaluation : .push
    }

    mutating func take(_ state: CurrentState, _ meaning: StateMeaning, at moment: FrameReference) {
        let attribute = Timestamped(content: state, moment: moment)
        switch meaning {
        case .overtaken: return
        case .reading: if last.map({ state.isPush(of: $0.content) }) != true { evaluation = nil }
        case .push:
            pushes -= 1
            notified = attribute
            if last.map({ state.isPush(of: $0.content) }) != true { evaluation = nil }
        case .evaluation:
            // The first notification of a connection may be a push of what was evaluated before the subscription.
            evaluation = notified == nil && cause(at: moment) != nil ? nil : attribute
            notified = attribute
        }
        last = attribute
    }
}
