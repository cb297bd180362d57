public import Bytes
public import PluginKit
import Profile

/// A gateway of a counter, as the profile's description defines it: it sets the clock, subscribes, requests missing
/// events, acknowledges stored ones, and reconnects after a lost connection.
///
/// It stores each event once, with the note `event_stored`. Its memory is bounded.
public struct CounterGateway: DeviceClient {
    enum Phase: Hashable, Sendable {
        /// The user does not want a connection.
        case idle
        case scanning
        /// Connected, and preparing the connection.
        case connecting(Step)
        /// Subscribed.
        case connected
        /// Disconnecting from a connection that was given up.
        case leaving
        /// The retry back-off.
        case retrying(until: Timestamp)

        /// Its name in the note `state`, in the words of the product document; nil for a phase that the document does
        /// not define.
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

    /// Steps before events arrive, in this order. The Control Point answers only subscribed clients, so the clock is
    /// set after that subscription.
    enum Step: Int, Hashable, Sendable {
        case readInfo, readStatus, subscribeStatus, subscribeControlPoint, setTime, subscribeEvents

        /// The characteristic to subscribe to; nil for other steps.
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
    /// Deliveries of counters, by device ID.
    var deliveries: [Int: CounterDelivery] = [:]
    /// Device ID of the last connected counter.
    var counter: Int?
    /// Pending requests of the user.
    var tasks = FIFO<ControlRequest>()
    /// The counter's location according to the user; nil if unknown. Events without a location are stored with it.
    var assignedLocation: Int?
    /// The request without a response yet, and its time limit.
    var outstanding: (request: ControlRequest, limit: Timestamp)?
    /// Events being written to disk, with their arrival: nothing is acknowledged before that is done. Nil for a commit
    /// without an event.
    var unstored = FIFO<(event: CountEvent, arrival: Timestamp)?>()
    /// Counter Info of the connection; nil before it was read.
    var info: CounterInfo?
    /// The gateway session: the run of the gateway, shared by all its counters.
    let session: Int64
    /// When the counter becomes stale through silence; nil once that was reported.
    var staleTime: Timestamp?
    /// Start of the connection; nil without one.
    private var connection: Timestamp?

    /// Silence after which a counter is stale: three heartbeats.
    static let patience = Duration.seconds(90)
    /// Time limit for an indication, with some transit time.
    static let responseLimit = Duration.seconds(5)
    /// Duration of a connection after which the next wait is short again.
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
        return [.event(TwinNote("state", ["state": .text(name)]))] + actions
    }

    private mutating func respond(to input: ClientInput, at now: Timestamp) -> [ClientAction] {
        switch input {
        case .connected:
            // After a change of the counter's attributes, a request of the user is still to be answered.
            if let request = outstanding?.request, [.identify, .setLocation].contains(request.opcode) {
                tasks.append(request)
            }
            outstanding = nil
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

    /// Whether there is a connection in use.
    var isConnected: Bool {
        switch phase {
        case .connecting, .connected: true
        case .idle, .scanning, .leaving, .retrying: false
        }
    }

    // MARK: - Connection

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
            let location = Int(kind.definition.taken(task.amount))
            assignedLocation = location == 0 ? nil : location
            // A later location replaces one that waits for a connection.
            tasks.removeAll { $0.opcode == .setLocation }
            return ask(.setLocation(locationId: location), at: now)
        }
    }

    /// Handles the end of a connection. The counter may still be nearby: after a while, the gateway looks for it again.
    private mutating func disconnected(at now: Timestamp) -> [ClientAction] {
        defer { connection = nil }
        outstanding = nil
        let inactive = keep(isActive: false, at: now)
        info = nil
        if case .idle = phase { return inactive }
        if let connection, now - connection >= Self.steadyConnection { backOff.reset() }
        let wait = backOff.next()
        phase = .retrying(until: now + wait)
        return inactive + [.event(TwinNote("retry", ["seconds": .real(wait / .seconds(1))]))]
    }

    private mutating func passTime(until now: Timestamp) -> [ClientAction] {
        guard let deadline, deadline <= now else { return [] }
        if case .retrying = phase {
            phase = .scanning
            return [.connect]
        }
        if let outstanding, outstanding.limit <= now { return fail("the Control Point did not answer") }
        staleTime = nil
        return [.event(TwinNote("stale_device", ["device_id": .number(counter ?? 0)]))]
    }

    /// Gives up a failed connection, before another attempt.
    mutating func fail(_ reason: String) -> [ClientAction] {
        (phase, outstanding) = (.leaving, nil)
        return [.event(TwinNote("failed", ["reason": .text(reason)])), .disconnect]
    }
}
