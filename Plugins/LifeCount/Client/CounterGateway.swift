public import Bytes
public import PluginKit
import Profile

/// A gateway of a counter, as the profile's description has it: it sets the clock, subscribes, asks for what it lacks,
/// acknowledges what it has stored, and comes back when the connection is lost.
///
/// It stores each event once, with the note `event_stored`. Its memory is bounded.
public struct CounterGateway: DeviceClient {
    enum Phase: Hashable, Sendable {
        /// Its user does not want a connection.
        case idle
        /// Looks for the counter.
        case scanning
        /// Has a connection and prepares it.
        case connecting(Step)
        /// Is subscribed.
        case connected
        /// Has given up a connection that has not ended yet.
        case leaving
        /// The retry back-off.
        case retrying(until: Timestamp)

        /// Its name in the note `state`, in the words of the product document; nil for none of its states.
        var name: String? {
            switch self {
            case .idle: "idle"
            case .scanning: "scanning"
            case .connecting: "connecting"
            case .connected: "connected"
            case .leaving: nil
            case .retrying: "retry_backoff"
            }
        }
    }

    /// What a gateway does before events come, in this order. The Control Point answers only those who are subscribed to
    /// it, so the clock is set after that.
    enum Step: Int, Hashable, Sendable {
        case readInfo, readStatus, subscribeStatus, subscribeControlPoint, setTime, subscribeEvents

        /// What it subscribes to; nil for another step.
        var subscription: String? {
            switch self {
            case .subscribeStatus: CharacteristicName.counterStatus.rawValue
            case .subscribeControlPoint: CharacteristicName.controlPoint.rawValue
            case .subscribeEvents: CharacteristicName.countEvent.rawValue
            case .readInfo, .readStatus, .setTime: nil
            }
        }
    }

    let profile: CompiledProfile
    var phase = Phase.idle
    var backOff: BackOff
    /// Deliveries of counters, by their device IDs.
    var deliveries: [Int: CounterDelivery] = [:]
    /// Device ID of the counter that was connected last.
    var counter: Int?
    /// What the user wants of the counter.
    var tasks = FIFO<ControlRequest>()
    /// The request that was not answered yet, and when that is too late.
    var outstanding: (request: ControlRequest, limit: Timestamp)?
    /// Events on their way to the disk, with their arrival: nothing is acknowledged before they are there. Nil for a commit
    /// without an event.
    var unstored = FIFO<(event: CountEvent, arrival: Timestamp)?>()
    /// Counter Info of the connection; nil before it was read.
    var info: CounterInfo?
    /// The gateway session: the run of the gateway, of which all its counters are.
    let session: Int64
    /// When the counter will have been silent for too long; nil once that was reported.
    var staleTime: Timestamp?
    /// When the connection began; nil while there is none.
    private var connection: Timestamp?

    /// Silence after which a counter is stale: three heartbeats.
    static let patience = Duration.seconds(90)
    /// How long an indication may take, with some time for the way.
    static let responseLimit = Duration.seconds(5)
    /// A connection that held so long makes the next wait short again.
    private static let steadyConnection = Duration.seconds(60)

    public init(_ settings: TwinSettings) throws(TwinFault) {
        profile = try LifeCount.compiledProfile()
        backOff = BackOff(seed: settings.seed)
        session = settings.run
    }

    public var deadline: Timestamp? {
        switch phase {
        case .idle, .scanning, .leaving: nil
        case .retrying(let time): time
        case .connecting, .connected: [outstanding?.limit, staleTime].compactMap { $0 }.min()
        }
    }

    public mutating func handle(_ input: ClientInput, at now: Timestamp) -> [ClientAction] {
        let before = phase.name
        let actions = respond(to: input, at: now)
        guard let name = phase.name, name != before else { return actions }
        return [.tell(TwinNote("state", ["state": .text(name)]))] + actions
    }

    private mutating func respond(to input: ClientInput, at now: Timestamp) -> [ClientAction] {
        switch input {
        case .connected:
            (connection, staleTime) = (now, now + Self.patience)
            return prepare(.readInfo, at: now)
        case .disconnected: return disconnected(at: now)
        case .task(let task): return begin(task, at: now)
        case .time: return passTime(until: now)
        case .committed(let outcome): return settle(outcome, at: now)
        case .read, .written, .notified:
            guard isConnected else { return [] }
            return receive(input, at: now)
        }
    }

    /// Whether it has a connection and expects something of it.
    var isConnected: Bool {
        switch phase {
        case .connecting, .connected: true
        case .idle, .scanning, .leaving, .retrying: false
        }
    }

    // MARK: - Coming and going

    private mutating func begin(_ task: Stimulus, at now: Timestamp) -> [ClientAction] {
        guard let kind = GatewayTask(rawValue: task.name) else { return [] }
        switch kind {
        case .connect:
            switch phase {
            case .idle, .retrying:
                phase = .scanning
                return [.connect]
            case .scanning, .connecting, .connected, .leaving: return []
            }
        case .disconnect:
            defer { phase = .idle }
            switch phase {
            case .idle, .retrying: return []
            case .scanning, .connecting, .connected, .leaving: return [.disconnect]
            }
        case .identify: return ask(.identify, at: now)
        case .setLocation:
            return ask(.setLocation(locationId: Int(kind.definition.taken(task.amount))), at: now)
        }
    }

    /// The counter may still be somewhere: after a while the gateway looks for it again.
    private mutating func disconnected(at now: Timestamp) -> [ClientAction] {
        defer { connection = nil }
        outstanding = nil
        let inactive = keep(isActive: false, at: now)
        info = nil
        if case .idle = phase { return inactive }
        if let connection, now - connection >= Self.steadyConnection { backOff.reset() }
        let wait = backOff.next()
        phase = .retrying(until: now + wait)
        return inactive + [.tell(TwinNote("retry", ["seconds": .real(wait / .seconds(1))]))]
    }

    private mutating func passTime(until now: Timestamp) -> [ClientAction] {
        guard let deadline, deadline <= now else { return [] }
        if case .retrying = phase {
            phase = .scanning
            return [.connect]
        }
        if let outstanding, outstanding.limit <= now { return fail("the Control Point did not answer") }
        staleTime = nil
        return [.tell(TwinNote("stale_device", ["device_id": .number(counter ?? 0)]))]
    }

    /// Nothing good comes of this connection: it ends, and another one is tried.
    mutating func fail(_ reason: String) -> [ClientAction] {
        (phase, outstanding) = (.leaving, nil)
        return [.tell(TwinNote("failed", ["reason": .text(reason)])), .disconnect]
    }
}
