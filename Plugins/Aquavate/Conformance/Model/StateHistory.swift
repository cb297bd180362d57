import Bluetooth
import PluginKit

/// The meaning of a Current State that the puck sends (sections 4.1 and 10.6).
enum StateMeaning: Sendable {
    /// An evaluation, notified when it is made.
    case evaluation
    /// The last evaluation again, with the current number of unsynced records: the response to DELETE, 0x03, 0x04 or
    /// the last acknowledgement.
    case push
    /// A read: the last evaluation, however old.
    case reading
    /// A read requested before the last notification: either may be the older one.
    case overtaken
}

/// The Current States of one connection, each with its meaning.
struct StateHistory: Sendable {
    /// The last state, read or notified.
    private(set) var last: Timestamped<CurrentState>?
    private(set) var notified: Timestamped<CurrentState>?
    /// The last notified evaluation; nil if a read or a push has shown a later one since.
    private(set) var evaluation: Timestamped<CurrentState>?
    /// The last request that is answered by pushes, and the number of pending ones.
    private var cause: FrameReference?
    private var pushes = 0

    /// Records a request that is answered by pushes.
    mutating func expectPush(at moment: FrameReference, times: Int = 1) {
        if cause.map({ moment.seconds(since: $0) > DeviceProfile.Time.push }) != false { pushes = 0 }
        pushes += times
        cause = moment
    }

    /// The request that a push at a frame answers; nil if no push is pending.
    func cause(at moment: FrameReference) -> FrameReference? {
        guard pushes > 0, let cause, moment.seconds(since: cause) <= DeviceProfile.Time.push else { return nil }
        return cause
    }

    /// Classifies a state. A push repeats the last evaluation. A state that differs enough to be notified on its own is
    /// an evaluation, even after a request for a push: it was in flight.
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

    mutating func handle(_ state: CurrentState, _ meaning: StateMeaning, at moment: FrameReference) {
        let attribute = Timestamped(content: state, moment: moment)
        switch meaning {
        case .overtaken: return
        case .reading: if last.map({ state.isPush(of: $0.content) }) != true { evaluation = nil }
        case .push:
            pushes -= 1
            notified = attribute
            if last.map({ state.isPush(of: $0.content) }) != true { evaluation = nil }
        case .evaluation:
            // The first notification of a connection may be a push of an evaluation from before the subscription.
            evaluation = notified == nil && cause(at: moment) != nil ? nil : attribute
            notified = attribute
        }
        last = attribute
    }
}
