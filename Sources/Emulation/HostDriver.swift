import Bytes
package import Host

/// An output of a device, a client or a host on a controller.
package enum StationOutput: Hashable, Sendable {
    /// A packet to the controller, its packet indicator first.
    case send([UInt8])
    /// An event of a device, or of the client session with this index.
    case event(EmulationEvent, session: Int = 0)
    /// An event of a host without an owner.
    case report(Host.Event)
}

/// The owner of a host: an emulated device, a client, or the caller's `DrivenHost`.
protocol HostDriver {
    var host: Host { get set }
    /// Events of the host that are not handled yet.
    var events: FIFO<Host.Event> { get set }
    var outputs: [StationOutput] { get set }

    mutating func take(_ event: Host.Event, at now: Timestamp)
}

extension HostDriver {
    /// Passes an input to the host. The events it causes are queued; `finish` handles them after the packets are out.
    mutating func run(_ input: Host.Input, at now: Timestamp) {
        for action in host.handle(input, at: now) {
            switch action {
            case .send(let packet): outputs.append(.send(packet))
            case .event(let event): events.append(event)
            }
        }
    }

    mutating func emit(_ event: EmulationEvent) {
        outputs.append(.event(event))
    }

    /// Handles the queued events and returns all outputs.
    mutating func finish(at now: Timestamp) -> [StationOutput] {
        while let event = events.popFirst() { take(event, at: now) }
        defer { outputs = [] }
        return outputs
    }
}

/// The wake-up timer of a state machine. After a deadline in the past, the next one is delayed, so that a faulty state
/// machine cannot spin.
struct RateLimitedTimer: Sendable {
    private var restUntil: Timestamp?
    private static let rest = Duration.milliseconds(1)

    /// The time at which the timer fires for a requested deadline.
    func due(_ wanted: Timestamp?) -> Timestamp? {
        wanted.map { wanted in restUntil.map { max(wanted, $0) } ?? wanted }
    }

    /// Records that the timer fired at `now`, and the next deadline.
    mutating func fired(at now: Timestamp, next wanted: Timestamp?) {
        restUntil = wanted.map { $0 <= now } == true ? now + Self.rest : nil
    }
}
