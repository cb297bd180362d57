import Bytes
package import Host

/// What comes out of somebody who lives on a controller, in order.
package enum StationOutput: Hashable, Sendable {
    /// A packet to the controller, its packet indicator first.
    case send([UInt8])
    /// What a device tells, or the client of a session.
    case tell(EmulationEvent, session: Int = 0)
    /// What a host reports that nobody else owns.
    case report(Host.Event)
}

/// Somebody who works through a host: an emulated device, or a client of one.
protocol HostOwner {
    var host: Host { get set }
    /// What the host has told and nobody has looked at yet.
    var events: FIFO<Host.Event> { get set }
    var outputs: [StationOutput] { get set }

    /// Takes what the host has told.
    mutating func take(_ event: Host.Event, at now: Timestamp)
}

extension HostOwner {
    /// Gives the host something to do. What it tells waits until the packets that belong before it are out.
    mutating func run(_ input: Host.Input, at now: Timestamp) {
        for action in host.handle(input, at: now) {
            switch action {
            case .send(let packet): outputs.append(.send(packet))
            case .tell(let event): events.append(event)
            }
        }
    }

    mutating func tell(_ event: EmulationEvent) {
        outputs.append(.tell(event))
    }

    /// Takes all that the host has told, and hands out what came of it.
    mutating func finish(at now: Timestamp) -> [StationOutput] {
        while let event = events.popFirst() { take(event, at: now) }
        defer { outputs = [] }
        return outputs
    }
}

/// The next wake-up of a state machine. Deadlines in the past are delayed, so that a faulty one cannot spin.
struct RateLimitedTimer: Sendable {
    private var restUntil: Timestamp?
    private static let rest = Duration.milliseconds(1)

    /// The time at which the timer fires for a wanted deadline.
    func due(_ wanted: Timestamp?) -> Timestamp? {
        wanted.map { wanted in restUntil.map { max(wanted, $0) } ?? wanted }
    }

    /// Notes that the timer fired at `now`, and the next deadline.
    mutating func fired(at now: Timestamp, next wanted: Timestamp?) {
        restUntil = wanted.map { $0 <= now } == true ? now + Self.rest : nil
    }
}
